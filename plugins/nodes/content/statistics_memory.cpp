#include "content/statistics_memory.hpp"

#include <utility>

namespace stele::nodes {

std::optional<std::string> StatisticsMemory::find(const std::string& key, Revision newest) {
    const std::lock_guard lock(mutex_);
    auto known = younger_.find(key);
    if (known == younger_.end()) {
        auto moved = older_.extract(key);
        if (moved.empty()) return std::nullopt;
        known = younger_.insert(std::move(moved)).position;
    }
    if (known->second.newest != newest) return std::nullopt;
    return known->second.text;
}

void StatisticsMemory::keep(std::string key, Revision newest, std::string text) {
    const std::lock_guard lock(mutex_);
    Known& known = younger_[std::move(key)];
    // Who read an older state of the store may come later than who read a newer one.
    if (known.newest > newest) return;
    known = {newest, std::move(text)};
    if (younger_.size() < most_ / 2) return;
    older_ = std::exchange(younger_, {});
}

}  // namespace stele::nodes
