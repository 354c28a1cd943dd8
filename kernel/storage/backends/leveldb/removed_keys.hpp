#pragma once

#include <cstddef>
#include <cstdint>
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
    struct Ranges {
        std::map<std::string, Range, std::less<>> by_name;
        /// Who reads a state before this may see what was removed.
        std::uint64_t version = 0;
    };

    /// It counts when it is published.
    void add(std::string_view key) {
        const std::lock_guard lock(mutex_);
        if (added_.size() > kMaxRanges) join(added_);
        const bool is_joined = added_.size() == 1 && added_.begin()->first.empty();
        const std::string_view name = is_joined ? std::string_view() : key.substr(0, kPart);
        auto place = added_.find(name);
        if (place == added_.end()) place = added_.emplace(name, Range(key, key)).first;
        widen(place->second, key, key);
    }
    /// What was added is removed for all who read this version.
    void publish(std::uint64_t version) {
        const std::lock_guard lock(mutex_);
        if (added_.empty()) return;
        for (auto& [name, range] : std::exchange(added_, {}))
            put(name, range);
        ranges_.version = version;
    }
    void put_back(const std::string& name, const Range& range) {
        const std::lock_guard lock(mutex_);
        put(name, range);
    }
    bool is_empty() const {
        const std::lock_guard lock(mutex_);
        return ranges_.by_name.empty();
    }
    Ranges take() {
        const std::lock_guard lock(mutex_);
        return {std::exchange(ranges_.by_name, {}), ranges_.version};
    }

private:
    using ByName = std::map<std::string, Range, std::less<>>;

    /// As much of a key as tells its collection.
    static constexpr std::size_t kPart = 12;
    static constexpr std::size_t kMaxRanges = 256;

    static void widen(Range& range, std::string_view first, std::string_view last) {
        if (first < range.first) range.first = first;
        if (last > range.second) range.second = last;
    }
    void put(const std::string& name, const Range& range) {
        const auto [place, is_new] = ranges_.by_name.emplace(name, range);
        if (!is_new) widen(place->second, range.first, range.second);
        if (ranges_.by_name.size() > kMaxRanges) join(ranges_.by_name);
    }
    /// Too many places: all becomes one.
    static void join(ByName& ranges) {
        Range all = ranges.begin()->second;
        for (const auto& [name, range] : ranges)
            widen(all, range.first, range.second);
        ranges.clear();
        ranges.emplace(std::string(), std::move(all));
    }

    mutable std::mutex mutex_;
    ByName added_;
    Ranges ranges_;
};

}  // namespace stele::kernel::storage
