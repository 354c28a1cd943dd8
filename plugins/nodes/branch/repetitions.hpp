#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace stele::nodes {

/// How often operations were begun anew because others had changed what they read. A hint, of this
/// server and of late: what has failed for another reason counts, too. Any thread.
class Repetitions {
public:
    /// How often it was begun before, without an end.
    std::size_t begin(const std::string& operation) {
        const std::lock_guard lock(mutex_);
        if (begun_.size() >= kMost && !begun_.contains(operation)) begun_.clear();
        return begun_[operation]++;
    }
    void end(const std::string& operation) {
        const std::lock_guard lock(mutex_);
        begun_.erase(operation);
    }

private:
    static constexpr std::size_t kMost = 1000;

    std::mutex mutex_;
    std::unordered_map<std::string, std::size_t> begun_;
};

}  // namespace stele::nodes
