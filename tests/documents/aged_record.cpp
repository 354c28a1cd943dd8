#include "tests/documents/aged_record.hpp"

#include "kernel/storage/index/index_entries.hpp"

namespace stele::testing {

using namespace kernel::storage;

sdk::Result<void> age_record(sdk::Transaction& transaction, NameTable& names,
                             const std::vector<std::string>& unindexed, const Record& record) {
    const ImageBuilder::FieldNumber number = [&](std::string_view path) {
        return names.intern(transaction, path);
    };
    const auto before = image_of(record, record.entry_form(), number, unindexed);
    if (!before) return before.error();
    const auto after = image_of(record, EntryForm::each, number, unindexed);
    if (!after) return after.error();
    write_index_changes(transaction, record.collection, record.sequence, *before, *after);
    std::string stored(record.stored());
    constexpr char kFirstFormat = 1;
    stored.front() = kFirstFormat;
    transaction.put(record_path(record.collection, record.sequence), stored);
    return {};
}

}  // namespace stele::testing
