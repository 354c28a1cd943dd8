#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <stele/sdk/result.hpp>

#include "preview.hpp"

namespace stele::node_previews {

/// Lets some previews be made at a time, and each of them once, however many wait for it. Any
/// thread.
class RenderQueue {
public:
    using Render = std::function<sdk::Result<PreviewPtr>()>;

    /// `concurrent`: previews being made at a time. `waiting`: callers who wait besides, for their
    /// turn or for what another one makes.
    RenderQueue(std::size_t concurrent, std::size_t waiting)
        : concurrent_(concurrent), waiting_limit_(waiting) {}

    /// Runs `render`, or waits for the one of the same key. `limited` (`node_previews.busy`) when
    /// too many wait already.
    sdk::Result<PreviewPtr> run(const std::string& key, const Render& render);

private:
    using Outcome = std::optional<sdk::Result<PreviewPtr>>;

    std::mutex mutex_;
    std::condition_variable changed_;
    /// What is being made or waits for its turn; shared with those who wait for it.
    std::map<std::string, std::shared_ptr<Outcome>> pending_;
    std::size_t running_ = 0;
    std::size_t waiting_ = 0;
    const std::size_t concurrent_;
    const std::size_t waiting_limit_;
};

}  // namespace stele::node_previews
