#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/index/index_walk.hpp"
#include "kernel/storage/index/space_index.hpp"

namespace stele::kernel::storage {

/// One composite index of a collection: equality on all fields but the last, order by the last. Its
/// layout is told in docs/reference/indexes.md.
struct CompositeIndexState {
    std::uint64_t number = 0;
    std::vector<std::string> fields;
    /// Numbers are ordered by value (`pagination.sort_numbers: numeric`), not as text.
    bool is_numeric = false;
    /// Asked for by the advisor, not by a descriptor.
    bool is_automatic = false;
    bool is_ready = true;
    /// While it is built: records up to `built` and those beyond `ceiling` are in it.
    Sequence built;
    Sequence ceiling;

    std::size_t equality_count() const { return fields.size() - 1; }
    bool maintains(std::string_view sequence) const {
        return is_ready || sequence <= built || sequence > ceiling;
    }
    bool is_same(const std::vector<std::string>& other_fields, bool numeric) const {
        return is_numeric == numeric && fields == other_fields;
    }
};

/// What `P i collection` holds: the composite indexes, and the fields that were ever declared
/// unindexed and hence cannot be relied on.
struct IndexState {
    std::vector<CompositeIndexState> composites;
    std::vector<std::string> unindexed;
    /// Of a collection in a space; they are kept there.
    SpaceIndexes made = {};

    const CompositeIndexState* find(const std::vector<std::string>& fields, bool numeric) const;
    std::uint64_t next_number() const;
    /// Fields get no entries any more; those that have none already stay as they are.
    void leave_out(const std::vector<std::string>& fields);
    std::string encode() const;
    static sdk::Result<IndexState> decode(std::string_view text);
};

std::string index_state_key(CollectionId collection);

/// Gathers the values at some paths while a record's text is walked.
class FieldValues final : public ValueSink {
public:
    struct Value {
        WalkedValue::Type type;
        std::string text;
        double number;
    };
    struct Field {
        std::string path;
        std::vector<Value> values;
        /// Something other than one direct value lies there.
        bool is_many = false;
        bool is_structure = false;
    };

    void watch(std::string_view path);
    bool is_empty() const { return fields_.empty(); }
    /// Null for a path that is not watched.
    const Field* find(std::string_view path) const;

    sdk::Result<void> scalar(std::string_view path, const WalkedValue& value) override;
    void structure(std::string_view path, bool is_array, bool is_direct) override;

private:
    std::vector<Field> fields_;
};

/// What of an ordered record the last element of a composite key says; its first byte.
enum class OrderClass : char {
    absent = 1,  ///< missing or null: lowest
    value = 2,
    irregular = 3,  ///< an array, an object, a long text: has no place in the order
};

/// Bytes that stand for a value that equality is asked for; empty when it has none.
std::string equality_element(const FieldValues::Value& value);
std::string equality_element(std::string_view text);
std::string equality_element(double number);
std::string equality_element(bool flag);
/// Those of all values of a field, sorted, each once.
std::vector<std::string> equality_elements(const FieldValues::Field& field);

/// Prefix of the entries of an index, and of those with given equality elements (concatenated).
std::string composite_prefix(CollectionId collection, std::uint64_t number);
std::string composite_prefix(CollectionId collection, std::uint64_t number,
                             std::string_view equality);
/// The entry that says that a record has too many values for the index.
std::string composite_overflow_prefix(CollectionId collection, std::uint64_t number);
std::string composite_counter(CollectionId collection, std::uint64_t number,
                              std::string_view equality);

/// The entries of a record in one index.
struct CompositeImage {
    /// Concatenated equality elements, sorted, each once.
    std::vector<std::string> equalities;
    std::string order;
    bool overflows = false;
};
CompositeImage composite_image(const CompositeIndexState& index, const FieldValues& values);

/// Makes the entries of a record those of `after`. Null stands for no record.
void write_composite_change(sdk::Transaction& transaction, CollectionId collection,
                            const CompositeIndexState& index, std::string_view sequence,
                            const FieldValues* before, const FieldValues* after);

}  // namespace stele::kernel::storage
