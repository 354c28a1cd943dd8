#include "kernel/storage/backends/leveldb/leveldb_transaction.hpp"

#include <cassert>

#include <stele/sdk/optimistic/key_hash.hpp>
#include <stele/sdk/optimistic/merged_cursor.hpp>

#include "kernel/storage/backends/leveldb/snapshot_reader.hpp"

namespace stele::kernel::storage {

using sdk::optimistic::hash_key;
using sdk::optimistic::WriteSet;

sdk::Result<std::optional<std::string>> LevelDbTransaction::get(std::string_view key) const {
    return look_up(key, Tracking::noted);
}

sdk::Result<bool> LevelDbTransaction::get_into(std::string_view key, std::string& value) const {
    return look_up(key, value, Tracking::noted);
}

sdk::Result<std::optional<std::string>> LevelDbTransaction::peek(std::string_view key) const {
    return look_up(key, Tracking::unnoted);
}

std::unique_ptr<sdk::Cursor> LevelDbTransaction::scan(sdk::KeyRange range,
                                                      sdk::ScanDirection direction) const {
    auto stored = scan_snapshot(snapshot(), range, direction);
    return sdk::optimistic::merge_writes(std::move(stored), writes_, reads_, std::move(range),
                                         direction);
}

void LevelDbTransaction::put(std::string_view key, std::string_view value) {
    writes_.put(key, value);
}

void LevelDbTransaction::remove(std::string_view key) {
    writes_.remove(key);
}

void LevelDbTransaction::remove_range(sdk::KeyRange range) {
    writes_.remove_range(std::move(range));
}

void LevelDbTransaction::add(std::string_view key, std::int64_t delta) {
    writes_.add(key, delta);
}

sdk::Result<void> LevelDbTransaction::add_within(std::string_view key, std::int64_t delta,
                                                 std::int64_t most) {
    writes_.add_within(key, delta, most);
    return {};
}

void LevelDbTransaction::commit(Done done) {
    assert(pending_.writes == nullptr);
    if (!has_writes()) {
        // All reads were of one state, and that is its place in the order.
        done({});
        return;
    }
    pending_.writes = &writes_;
    pending_.reads = &reads_;
    pending_.read_version = view_.pin->version;
    pending_.done = std::move(done);
    committer_.submit(pending_);
}

sdk::Result<bool> LevelDbTransaction::look_up(std::string_view key, std::string& value,
                                              Tracking tracking) const {
    const WriteSet::Write* own = writes_.find(key);
    if (own != nullptr && own->kind != WriteSet::Kind::add) {
        value.assign(own->value);
        return own->kind == WriteSet::Kind::put;
    }
    if (own == nullptr && writes_.removed_range_of(key) != nullptr) return false;
    if (tracking == Tracking::noted) reads_.add_key(own != nullptr ? own->hash : hash_key(key));
    auto is_stored = read_key(snapshot(), key, value);
    if (!is_stored || own == nullptr) return is_stored;
    std::optional<std::string> before;
    if (*is_stored) before.emplace(value);
    value = sdk::counter_bytes(sdk::read_counter(before) + own->delta);
    return true;
}

sdk::Result<std::optional<std::string>> LevelDbTransaction::look_up(std::string_view key,
                                                                    Tracking tracking) const {
    std::string value;
    const auto found = look_up(key, value, tracking);
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    return std::optional<std::string>(std::move(value));
}

}  // namespace stele::kernel::storage
