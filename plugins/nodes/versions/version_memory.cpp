#include "version_memory.hpp"

#include <utility>

namespace stele::nodes {

std::optional<Link> VersionMemory::find_parent(std::string_view line_key) {
    const std::lock_guard lock(mutex_);
    const auto known = parents_.find(line_key);
    if (known == parents_.end()) return std::nullopt;
    return known->second;
}

void VersionMemory::keep_parent(std::string line_key, Link parent) {
    const std::lock_guard lock(mutex_);
    if (parents_.size() >= kMostParents) parents_.clear();
    parents_.insert_or_assign(std::move(line_key), parent);
}

std::shared_ptr<const Counts> VersionMemory::find_counts(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto known = past_of_.find(key);
    if (known == past_of_.end()) return nullptr;
    pasts_.splice(pasts_.begin(), pasts_, known->second);
    return known->second->counts;
}

void VersionMemory::keep_counts(std::string key, std::shared_ptr<const Counts> counts) {
    const std::lock_guard lock(mutex_);
    if (past_of_.find(key) != past_of_.end()) return;
    // One more for each, so that revisions without counts are bounded, too.
    counts_ += counts->size() + 1;
    pasts_.push_front({std::move(key), std::move(counts)});
    past_of_.emplace(pasts_.front().key, pasts_.begin());
    while (counts_ > kMostCounts && pasts_.size() > 1) {
        counts_ -= pasts_.back().counts->size() + 1;
        past_of_.erase(pasts_.back().key);
        pasts_.pop_back();
    }
}

std::shared_ptr<const KnownRecord> VersionMemory::find_record(const std::string& key,
                                                              Revision newest) {
    const std::lock_guard lock(records_mutex_);
    auto known = younger_.find(key);
    if (known == younger_.end()) {
        auto moved = older_.extract(key);
        if (moved.empty() || moved.mapped()->newest != newest) return nullptr;
        younger_bytes_ += moved.mapped()->bytes.size();
        known = younger_.insert(std::move(moved)).position;
    }
    return known->second->newest == newest ? known->second : nullptr;
}

void VersionMemory::keep_record(std::string key, std::shared_ptr<const KnownRecord> record) {
    const std::lock_guard lock(records_mutex_);
    auto& known = younger_[std::move(key)];
    // Who read an older state of the store may come later than who read a newer one.
    if (known && known->newest > record->newest) return;
    younger_bytes_ += record->bytes.size();
    if (known) younger_bytes_ -= known->bytes.size();
    known = std::move(record);
    if (younger_bytes_ < kMostRecordBytes / 2) return;
    older_ = std::exchange(younger_, {});
    younger_bytes_ = 0;
}

}  // namespace stele::nodes
