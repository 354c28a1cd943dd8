#include "version_cache.hpp"

#include <utility>

namespace stele::nodes {

std::optional<Link> VersionCache::find_parent(std::string_view line_key) {
    const std::lock_guard lock(mutex_);
    const auto known = parents_.find(line_key);
    if (known == parents_.end()) return std::nullopt;
    return known->second;
}

void VersionCache::keep_parent(std::string line_key, Link parent) {
    const std::lock_guard lock(mutex_);
    if (parents_.size() >= kMaxParents) parents_.clear();
    parents_.insert_or_assign(std::move(line_key), parent);
}

std::shared_ptr<const Counts> VersionCache::find_counts(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto known = past_of_.find(key);
    if (known == past_of_.end()) return nullptr;
    pasts_.splice(pasts_.begin(), pasts_, known->second);
    return known->second->counts;
}

void VersionCache::keep_counts(std::string key, std::shared_ptr<const Counts> counts) {
    const std::lock_guard lock(mutex_);
    if (past_of_.find(key) != past_of_.end()) return;
    // One more for each, so that revisions without counts are bounded, too.
    counts_ += counts->size() + 1;
    pasts_.push_front({std::move(key), std::move(counts)});
    past_of_.emplace(pasts_.front().key, pasts_.begin());
    while (counts_ > kMaxCounts && pasts_.size() > 1) {
        counts_ -= pasts_.back().counts->size() + 1;
        past_of_.erase(pasts_.back().key);
        pasts_.pop_back();
    }
}

}  // namespace stele::nodes
