#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/index/index_walk.hpp"

namespace stele::kernel::storage {

/// What an entry of the automatic indexes says; the byte behind the field's number in its key. The
/// layout is told in docs/reference/indexes.md.
///
/// A direct value has exactly one entry among `text`, `number` and `flag`, so their counts tell
/// whether a field is in every record.
enum class IndexKind : char {
    text = 't',         ///< a direct string
    long_text = 'T',    ///< the beginning of a direct string beyond `kIndexedTextSize`
    item = 'i',         ///< a string in an array
    long_item = 'I',    ///< the beginning of a long string in an array
    number = 'n',       ///< a direct number, by value
    number_item = 'e',  ///< a number in an array
    number_text = 'o',  ///< the JSON text of a direct number, for its place among strings
    flag = 'f',         ///< a direct boolean, as text
    flag_item = 'g',    ///< a boolean in an array
};

inline constexpr std::size_t kIndexedTextSize = 256;
inline constexpr std::size_t kMaxEntries = 500;
/// From here on several integers share one double, and an entry says less than the number.
inline constexpr double kExactIntegers = 9007199254740992.0;

/// The entries of one record: field number, kind and value, sorted, each once. The sequence that
/// ends a key and the collection that begins it are the same for all and left out.
class RecordImage {
public:
    std::size_t size() const { return spans_.size(); }
    std::string_view operator[](std::size_t i) const {
        return std::string_view(bytes_).substr(spans_[i].begin, spans_[i].size);
    }
    /// Too many entries, or a value that has no place: the record is listed under `P b` instead.
    bool is_over_indexed() const { return is_over_indexed_; }

private:
    friend class ImageBuilder;
    struct Span {
        std::uint32_t begin;
        std::uint32_t size;
    };
    std::string bytes_;
    std::vector<Span> spans_;
    bool is_over_indexed_ = false;
};

/// Collects the entries of a record while its text is walked.
class ImageBuilder final : public ValueSink {
public:
    using FieldNumber = std::function<sdk::Result<std::uint64_t>(std::string_view path)>;

    /// Fields in `unindexed` get no entries. Both must outlive the builder.
    ImageBuilder(const FieldNumber& number, const std::vector<std::string>& unindexed)
        : number_(number), unindexed_(unindexed) {}

    sdk::Result<void> scalar(std::string_view path, const WalkedValue& value) override;
    void structure(std::string_view, bool, bool) override {}

    RecordImage take();

private:
    void add_text(std::uint64_t field, const WalkedValue& value);
    void add_number(std::uint64_t field, const WalkedValue& value);
    void add(std::string_view entry);

    const FieldNumber& number_;
    const std::vector<std::string>& unindexed_;
    RecordImage image_;
};

/// Key of all entries of a field, without the kind.
std::string field_prefix(CollectionId collection, std::uint64_t field);
/// Key of all entries of a field and kind, without the value.
std::string index_prefix(CollectionId collection, std::uint64_t field, IndexKind kind);
/// The element of an entry that holds a text; the beginning when it is too long.
std::string_view indexed_text(std::string_view text);

std::string record_counter(CollectionId collection);
std::string over_indexed_counter(CollectionId collection);
/// Number of records with an entry of the kind: `text`, `number` and `flag` only.
std::string field_counter(CollectionId collection, std::uint64_t field, IndexKind kind);
/// The counter of an entry as it is in an image; empty when its kind is not counted.
std::string_view counted_part(std::string_view entry);
std::string field_counter(CollectionId collection, std::string_view counted_part);

/// Makes the entries of a record those of `after`; an empty image stands for no record. Writes only
/// what differs.
void write_index_changes(sdk::Transaction& transaction, CollectionId collection,
                         std::string_view sequence, const RecordImage& before,
                         const RecordImage& after);

}  // namespace stele::kernel::storage
