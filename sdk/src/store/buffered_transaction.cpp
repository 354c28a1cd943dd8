#include <stele/sdk/optimistic/buffered_transaction.hpp>

#include <stele/sdk/optimistic/key_hash.hpp>

#include "merged_cursor.hpp"

namespace stele::sdk::optimistic {

Result<std::optional<std::string>> BufferedTransaction::get(std::string_view key) const {
    return look_up(key, Tracking::noted);
}

Result<bool> BufferedTransaction::get_into(std::string_view key, std::string& value) const {
    return look_up(key, value, Tracking::noted);
}

Result<std::optional<std::string>> BufferedTransaction::peek(std::string_view key) const {
    return look_up(key, Tracking::unnoted);
}

Result<void> BufferedTransaction::note_get(std::string_view key) const {
    reads_.add_key(hash_key(key));
    return {};
}

Result<void> BufferedTransaction::note_scan(KeyRange range) const {
    reads_.range(reads_.add_range()) = {std::move(range.begin), std::move(range.end), false};
    return {};
}

std::unique_ptr<Cursor> BufferedTransaction::scan(KeyRange range, ScanDirection direction) const {
    auto below = stored().scan(range, direction);
    return merge_writes(std::move(below), writes_, reads_, std::move(range), direction);
}

Result<void> BufferedTransaction::add_within(std::string_view key, std::int64_t delta,
                                             std::int64_t most) {
    writes_.add_within(key, delta, most);
    return {};
}

Result<bool> BufferedTransaction::look_up(std::string_view key, std::string& value,
                                          Tracking tracking) const {
    const WriteSet::Write* own = writes_.find(key);
    if (own != nullptr && own->kind != WriteSet::Kind::add) {
        value.assign(own->value);
        return own->kind == WriteSet::Kind::put;
    }
    if (own == nullptr && writes_.removed_range_of(key) != nullptr) return false;
    if (tracking == Tracking::noted) reads_.add_key(own != nullptr ? own->hash : hash_key(key));
    auto is_stored = stored().get_into(key, value);
    if (!is_stored || own == nullptr) return is_stored;
    std::optional<std::string> before;
    if (*is_stored) before.emplace(value);
    value = counter_bytes(read_counter(before) + own->delta);
    return true;
}

Result<std::optional<std::string>> BufferedTransaction::look_up(std::string_view key,
                                                                Tracking tracking) const {
    std::string value;
    const auto found = look_up(key, value, tracking);
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    return std::optional<std::string>(std::move(value));
}

}  // namespace stele::sdk::optimistic
