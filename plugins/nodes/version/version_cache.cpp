#include "version_cache.hpp"

#include <algorithm>
#include <utility>

namespace stele::nodes {

std::optional<LineOrigin> VersionCache::find_origin(std::string_view line_key) {
    const std::lock_guard lock(mutex_);
    const auto known = origins_.find(line_key);
    if (known == origins_.end()) return std::nullopt;
    return known->second;
}

void VersionCache::keep_origin(std::string line_key, LineOrigin origin) {
    const std::lock_guard lock(mutex_);
    if (origins_.size() >= kMaxOrigins) origins_.clear();
    origins_.insert_or_assign(std::move(line_key), origin);
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

void VersionCache::add_load(const sdk::Reader& transaction, std::string line_key, Load load) {
    const std::lock_guard lock(mutex_);
    loads_.insert_or_assign({&transaction, std::move(line_key)}, load);
    has_loads_ = true;
}

void VersionCache::remove_load(const sdk::Reader& transaction, const std::string& line_key) {
    const std::lock_guard lock(mutex_);
    loads_.erase({&transaction, line_key});
    has_loads_ = !loads_.empty();
}

bool VersionCache::is_loading(std::string_view line_key) {
    const std::lock_guard lock(mutex_);
    return std::any_of(loads_.begin(), loads_.end(),
                       [&](const auto& load) { return load.first.second == line_key; });
}

std::optional<VersionCache::Load> VersionCache::find_load(const sdk::Reader& reader,
                                                          const std::string& line_key) {
    const std::lock_guard lock(mutex_);
    const auto load = loads_.find({&reader, line_key});
    return load == loads_.end() ? std::nullopt : std::optional(load->second);
}

}  // namespace stele::nodes
