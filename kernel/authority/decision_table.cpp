#include "kernel/authority/decision_table.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <stele/sdk/key_tuple.hpp>

namespace stele::kernel::authority {

DecisionTable::DecisionTable(std::size_t capacity)
    : shard_capacity_(std::max<std::size_t>(1, capacity / kShards)) {}

std::optional<sdk::PermissionSet> DecisionTable::find(std::string_view record,
                                                      std::string_view principal) const {
    const std::uint64_t epoch = epoch_of(record);
    const Shard& shard = shard_of(record);
    const std::shared_lock lock(shard.mutex);
    const auto decisions = shard.records.find(record);
    if (decisions == shard.records.end()) return std::nullopt;
    const auto decision = decisions->second.find(principal);
    if (decision == decisions->second.end() || decision->second.epoch != epoch) return std::nullopt;
    return decision->second.permissions;
}

DecisionTable::Versions DecisionTable::versions(std::string_view record) const {
    const Shard& shard = shard_of(record);
    const std::shared_lock lock(shard.mutex);
    return {shard.drops, epoch_of(record)};
}

void DecisionTable::store(std::string_view record, std::string_view principal,
                          sdk::PermissionSet permissions, Versions versions) {
    Shard& shard = shard_of(record);
    ByKey<ByPrincipal> displaced;  // destroyed after the lock is gone
    const std::lock_guard lock(shard.mutex);
    if (shard.drops != versions.drops || epoch_of(record) != versions.epoch) return;
    if (shard.size >= shard_capacity_) {
        displaced = std::exchange(shard.records, {});
        shard.size = 0;
    }
    const auto [decision, is_new] =
        shard.records[sdk::RecordKey(record)].try_emplace(sdk::RecordKey(principal));
    decision->second = {permissions, versions.epoch};
    if (is_new) ++shard.size;
}

void DecisionTable::drop_record(std::string_view record) {
    Shard& shard = shard_of(record);
    const std::lock_guard lock(shard.mutex);
    ++shard.drops;
    const auto decisions = shard.records.find(record);
    if (decisions == shard.records.end()) return;
    shard.size -= decisions->second.size();
    shard.records.erase(decisions);
}

void DecisionTable::drop_platform(std::uint64_t platform) {
    ++epochs_[platform % kEpochs];
}

void DecisionTable::drop_everything() {
    for (std::atomic<std::uint64_t>& epoch : epochs_)
        ++epoch;
}

const DecisionTable::Shard& DecisionTable::shard_of(std::string_view record) const {
    return shards_[BytesHash()(record) % kShards];
}

DecisionTable::Shard& DecisionTable::shard_of(std::string_view record) {
    return shards_[BytesHash()(record) % kShards];
}

std::uint64_t DecisionTable::epoch_of(std::string_view record) const {
    return epochs_[sdk::KeyReader(record).integer().value_or(0) % kEpochs];
}

}  // namespace stele::kernel::authority
