#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "versions/link.hpp"

namespace stele::nodes {

/// What was added up about nodes, as JSON text, since adding up costs more than reading a node.
/// What is remembered holds for one newest revision of the node's repository: any commit to the
/// repository gives it another. Bounded: what was not asked for lately goes. Any thread.
class StatisticsMemory {
public:
    StatisticsMemory() = default;
    explicit StatisticsMemory(std::size_t most) : most_(most) {}

    /// Nothing when it is not known for that revision.
    std::optional<std::string> find(const std::string& key, Revision newest);
    void keep(std::string key, Revision newest, std::string text);

private:
    static constexpr std::size_t kMost = 100'000;

    struct Known {
        Revision newest = 0;
        std::string text;
    };
    using Generation = std::unordered_map<std::string, Known>;

    const std::size_t most_ = kMost;
    std::mutex mutex_;
    /// Takes what is new and what is asked for; when it is half of all, it becomes the older one.
    Generation younger_;
    Generation older_;
};

}  // namespace stele::nodes
