#include "kernel/storage/record/name_table.hpp"

#include <mutex>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::storage {

namespace {

using NameNumber = std::optional<std::uint64_t>;

sdk::Result<NameNumber> read_number(const sdk::Reader& reader, const std::string& path) {
    auto bytes = reader.get(path);
    if (!bytes) return bytes.error();
    if (!*bytes) return NameNumber();
    sdk::KeyReader stored(**bytes);
    const NameNumber number = stored.integer();
    if (number && stored.at_end()) return number;
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged", "The store is damaged.",
                           "the number of a field name is unreadable");
}

}  // namespace

sdk::Result<NameNumber> NameTable::find(const sdk::Reader& reader, std::string_view name) {
    if (const NameNumber number = known(name)) return number;
    const std::string path = name_path(name);
    auto found = read_number(reader, path);
    if (!found || !*found || is_full()) return found;
    // A reader may stand on a transaction, whose own write may yet be dropped.
    if (auto committed = find_committed(name, path); !committed) return committed;
    return found;
}

sdk::Result<std::uint64_t> NameTable::intern(sdk::Transaction& transaction, std::string_view name) {
    if (const NameNumber number = known(name)) return *number;
    const std::string path = name_path(name);
    // A committed number is final: it can be used although the transaction does not see it yet.
    auto committed = find_committed(name, path);
    if (!committed) return committed.error();
    if (*committed) return **committed;

    auto own = read_number(transaction, path);
    if (!own) return own.error();
    if (*own) return **own;

    const std::string last_path = last_name_path();
    auto last = read_number(transaction, last_path);
    if (!last) return last.error();
    const std::uint64_t number = last->value_or(0) + 1;
    const std::string bytes = sdk::KeyWriter().integer(number).key();
    transaction.put(last_path, bytes);
    transaction.put(path, bytes);
    return number;
}

NameNumber NameTable::known(std::string_view name) {
    const std::shared_lock lock(mutex_);
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? NameNumber() : NameNumber(found->second);
}

sdk::Result<NameNumber> NameTable::find_committed(std::string_view name, const std::string& path) {
    const auto snapshot = engine_.snapshot();
    auto found = read_number(*snapshot, path);
    if (found && *found) remember(name, **found);
    return found;
}

bool NameTable::is_full() {
    const std::shared_lock lock(mutex_);
    return numbers_.size() >= kCached;
}

void NameTable::remember(std::string_view name, std::uint64_t number) {
    const std::unique_lock lock(mutex_);
    // The first names are the common ones; beyond the bound the store's own cache has to do.
    if (numbers_.size() < kCached) numbers_.emplace(name, number);
}

}  // namespace stele::kernel::storage
