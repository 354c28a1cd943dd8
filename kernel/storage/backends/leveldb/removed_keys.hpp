#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace stele::kernel::storage {

/// Where keys were removed since somebody asked last: what LevelDB keeps until it merges the tables
/// that hold them. Any thread.
class RemovedKeys {
public:
    using Range = std::pair<std::string, std::string>;  ///< the first and the last key

    void add(std::string_view key) {
        const std::lock_guard lock(mutex_);
        if (ranges_.size() > kMaxRanges) join();
        const std::string_view name = is_joined_ ? std::string_view() : key.substr(0, kPart);
        auto place = ranges_.find(name);
        if (place == ranges_.end()) place = ranges_.emplace(name, Range(key, key)).first;
        Range& range = place->second;
        if (key < range.first) range.first = key;
        if (key > range.second) range.second = key;
    }
    bool is_empty() const {
        const std::lock_guard lock(mutex_);
        return ranges_.empty();
    }
    std::map<std::string, Range, std::less<>> take() {
        const std::lock_guard lock(mutex_);
        is_joined_ = false;
        return std::exchange(ranges_, {});
    }

private:
    /// As much of a key as tells its collection.
    static constexpr std::size_t kPart = 12;
    static constexpr std::size_t kMaxRanges = 256;

    /// Too many places: all becomes one.
    void join() {
        Range all(ranges_.begin()->second.first, ranges_.rbegin()->second.second);
        ranges_.clear();
        ranges_.emplace(std::string(), std::move(all));
        is_joined_ = true;
    }

    mutable std::mutex mutex_;
    std::map<std::string, Range, std::less<>> ranges_;
    bool is_joined_ = false;
};

}  // namespace stele::kernel::storage
