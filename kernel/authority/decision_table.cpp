#include "kernel/authority/decision_table.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <stele/sdk/key_tuple.hpp>

namespace stele::kernel::authority {

DecisionTable::DecisionTable(std::size_t capacity)
    : shard_capacity_(std::max<std::size_t>(1, capacity / kShards)) {}

std::optional<sdk::PermissionSet> DecisionTable::find(std::string_view record,
                                                      std::string_view principal,
                                                      Moment moment) const {
    const Moment voided_at = voided(record);
    const Hashed key{record};
    const Shard& shard = shard_of(key);
    const std::shared_lock lock(shard.mutex);
    const auto decisions = shard.records.find(key);
    if (decisions == shard.records.end()) return std::nullopt;
    const auto found = decisions->second.find(Hashed{principal});
    if (found == decisions->second.end()) return std::nullopt;
    const Decision& decision = found->second;
    if (decision.made < voided_at || decision.stored > moment) return std::nullopt;
    return decision.permissions;
}

void DecisionTable::store(std::string_view record, std::string_view principal,
                          sdk::PermissionSet permissions, Moment moment) {
    Shard& shard = shard_of(Hashed{record});
    ByKey<ByPrincipal> displaced;  // destroyed after the lock is gone
    const std::lock_guard lock(shard.mutex);
    const Moment voided_at = voided(record);
    if (shard.dropped > moment || voided_at > moment) return;
    if (shard.size >= shard_capacity_) {
        displaced = std::exchange(shard.records, {});
        shard.size = 0;
    }
    const auto [place, is_new] =
        shard.records[sdk::RecordKey(record)].try_emplace(sdk::RecordKey(principal));
    if (is_new) ++shard.size;
    // One that was stored before serves older states, too.
    if (!is_new && place->second.made >= voided_at) return;
    place->second = {permissions, moment, ++clock_};
}

void DecisionTable::drop_record(std::string_view record) {
    const Hashed key{record};
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    shard.dropped = ++clock_;
    const auto decisions = shard.records.find(key);
    if (decisions == shard.records.end()) return;
    shard.size -= decisions->second.size();
    shard.records.erase(decisions);
}

void DecisionTable::drop_platform(std::uint64_t platform) {
    make_void(platform % kPlatforms);
}

void DecisionTable::drop_everything() {
    for (std::size_t platform = 0; platform < kPlatforms; ++platform)
        make_void(platform);
}

Moment DecisionTable::voided(std::string_view record) const {
    return voided_[sdk::KeyReader(record).integer().value_or(0) % kPlatforms];
}

void DecisionTable::make_void(std::size_t platform) {
    const Moment now = ++clock_;
    // Of two at once the later one counts.
    Moment before = voided_[platform];
    while (before < now && !voided_[platform].compare_exchange_weak(before, now)) {
    }
}

}  // namespace stele::kernel::authority
