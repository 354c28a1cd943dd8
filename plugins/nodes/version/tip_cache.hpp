#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "link.hpp"

namespace stele::nodes {

/// What was read or added up about a repository at its newest revision, since doing so again costs
/// more than looking here. It holds for that revision only: any commit to the repository gives it
/// another. So does any commit with states of the store, which stand in for revisions where what is
/// remembered depends on more than one repository. Bounded by the bytes of the values: what was not
/// asked for lately goes. Any thread.
template <class Value>
class TipCache {
public:
    explicit TipCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// Null when it is not known for that revision.
    std::shared_ptr<const Value> find(const std::string& key, Revision newest) {
        const std::lock_guard lock(mutex_);
        auto known = younger_.find(key);
        if (known == younger_.end()) {
            auto moved = older_.extract(key);
            if (moved.empty()) return nullptr;
            younger_bytes_ += moved.mapped().bytes;
            known = younger_.insert(std::move(moved)).position;
        }
        return known->second.newest == newest ? known->second.value : nullptr;
    }

    /// `bytes` is what the value holds, roughly.
    void keep(std::string key, Revision newest, std::shared_ptr<const Value> value,
              std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        bytes += key.size() + sizeof(Known);
        Known& known = younger_[std::move(key)];
        // Who read an older state of the store may come later than who read a newer one.
        if (known.newest > newest) return;
        younger_bytes_ += bytes - known.bytes;
        known = {newest, std::move(value), bytes};
        if (younger_bytes_ < most_bytes_ / 2) return;
        older_ = std::exchange(younger_, {});
        younger_bytes_ = 0;
    }

private:
    struct Known {
        Revision newest = 0;
        std::shared_ptr<const Value> value;
        std::size_t bytes = 0;
    };
    using Generation = std::unordered_map<std::string, Known>;

    const std::size_t most_bytes_;
    std::mutex mutex_;
    /// Takes what is new and what is asked for; when it is half of all, it becomes the older one.
    Generation younger_;
    Generation older_;
    std::size_t younger_bytes_ = 0;
};

}  // namespace stele::nodes
