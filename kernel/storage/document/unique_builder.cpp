#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_index.hpp"

namespace stele::kernel::storage {

namespace {

/// Records or rows that one transaction looks at.
constexpr std::size_t kUniqueChunk = 500;

/// The texts of a record at a path.
sdk::Result<std::vector<std::string>> texts_at(const Record& record, const std::string& path) {
    FieldValues values;
    values.watch(path);
    if (auto walked = walk_values(record.text(), {&values}); !walked) return walked.error();
    std::vector<std::string> texts;
    for (const FieldValues::Value& value : values.find(path)->values)
        texts.push_back(value.text);
    return texts;
}

sdk::Error duplicate(const std::string& path, const std::string& value, std::string_view one,
                     std::string_view other) {
    return sdk::make_error(sdk::ErrorKind::conflict, "document.value_duplicate",
                           "the field " + path + " must be unique, but the records " +
                               sequence_text(one) + " and " + sequence_text(other) +
                               " both have the value '" + value +
                               "'; change one of them with the "
                               "plugin's former version");
}

}  // namespace

/// Gives one field of a collection its rows.
class DocumentStore::UniqueBuilder {
public:
    UniqueBuilder(DocumentStore& store, CollectionId collection, const std::string& path)
        : store_(store), collection_(collection), path_(path) {}

    sdk::Result<void> run() {
        std::string place = collection_prefix(collection_, 'd');
        while (!place.empty()) {
            auto done = sdk::write_with_retry(store_.engine_, [&](sdk::Transaction& transaction) {
                return add_chunk(transaction, place);
            });
            if (!done) return done;
            place = next_;
        }
        place = collection_prefix(collection_, 'u');
        while (!place.empty()) {
            auto done = sdk::write_with_retry(store_.engine_, [&](sdk::Transaction& transaction) {
                return clear_chunk(transaction, place);
            });
            if (!done) return done;
            place = next_;
        }
        return {};
    }

private:
    /// Walks up to a chunk of entries from `begin` on; `next_` is where the following one begins.
    sdk::Result<void> walk(sdk::Transaction& transaction, char tag, const std::string& begin,
                           const std::function<sdk::Result<void>(std::string_view key,
                                                                 std::string_view value)>& visit) {
        next_.clear();
        const std::string end = sdk::prefix_end(collection_prefix(collection_, tag));
        const auto cursor = transaction.scan({begin, end}, sdk::ScanDirection::forward);
        for (std::size_t i = 0; cursor->is_valid(); cursor->next(), ++i) {
            if (i == kUniqueChunk) {
                next_ = cursor->key();
                return {};
            }
            if (auto visited = visit(cursor->key(), cursor->value()); !visited) return visited;
        }
        return cursor->status();
    }

    sdk::Result<void> add_chunk(sdk::Transaction& transaction, const std::string& begin) {
        const auto number = store_.names_.intern(transaction, path_);
        if (!number) return number.error();
        return walk(transaction, 'd', begin,
                    [&](std::string_view key, std::string_view value) -> sdk::Result<void> {
                        Record record;
                        record.collection = collection_;
                        record.sequence.assign(key.substr(key.size() - kSequenceSize));
                        record.buffer().assign(value);
                        if (!record.decode()) return broken_record(collection_, record.sequence);
                        const auto texts = texts_at(record, path_);
                        if (!texts) return texts.error();
                        for (const std::string& text : *texts) {
                            auto added = add(transaction, *number, text, record.sequence);
                            if (!added) return added;
                        }
                        return {};
                    });
    }

    sdk::Result<void> add(sdk::Transaction& transaction, std::uint64_t number,
                          const std::string& text, const Sequence& sequence) {
        const std::string key = unique_key(collection_, number, text);
        const auto holder = transaction.get(key);
        if (!holder) return holder.error();
        if (*holder == sequence) return {};
        if (*holder) {
            const auto is_right = holds(transaction, key, number, **holder);
            if (!is_right) return is_right.error();
            if (*is_right) return duplicate(path_, text, **holder, sequence);
        }
        transaction.put(key, sequence);
        return {};
    }

    /// Whether the record that a row names has the row's value.
    sdk::Result<bool> holds(sdk::Transaction& transaction, std::string_view key,
                            std::uint64_t number, std::string_view sequence) {
        Record record;
        const auto found = store_.read(transaction, record_key(collection_, sequence), record);
        if (!found || !*found) return found;
        const auto texts = texts_at(record, path_);
        if (!texts) return texts.error();
        for (const std::string& text : *texts) {
            if (unique_key(collection_, number, text) == key) return true;
        }
        return false;
    }

    /// Rows from when the field was unique before may be wrong by now.
    sdk::Result<void> clear_chunk(sdk::Transaction& transaction, const std::string& begin) {
        const auto number = store_.names_.intern(transaction, path_);
        if (!number) return number.error();
        const std::string of_field = unique_prefix(collection_, *number);
        return walk(transaction, 'u', begin,
                    [&](std::string_view key, std::string_view sequence) -> sdk::Result<void> {
                        if (!key.starts_with(of_field)) return {};
                        const std::string row(key);
                        const auto is_right =
                            holds(transaction, row, *number, std::string(sequence));
                        if (!is_right) return is_right.error();
                        if (!*is_right) transaction.remove(row);
                        return {};
                    });
    }

    DocumentStore& store_;
    CollectionId collection_;
    const std::string& path_;
    std::string next_;
};

sdk::Result<void> DocumentStore::build_unique(CollectionId collection, const std::string& field) {
    return UniqueBuilder(*this, collection, field).run();
}

}  // namespace stele::kernel::storage
