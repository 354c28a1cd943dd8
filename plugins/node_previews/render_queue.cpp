#include "render_queue.hpp"

namespace stele::node_previews {

namespace {

sdk::Error busy() {
    auto error = sdk::make_error(sdk::ErrorKind::limited, "node_previews.busy",
                                 "too many previews are being made; try again in a moment");
    error.retry_after_seconds = 1;
    error.may_pass_soon = true;
    return error;
}

}  // namespace

sdk::Result<PreviewPtr> RenderQueue::run(const std::string& key, const Render& render) {
    std::unique_lock lock(mutex_);
    const auto wait_until = [&](const std::function<bool()>& is_fulfilled) {
        ++waiting_;
        changed_.wait(lock, is_fulfilled);
        --waiting_;
    };
    if (const auto found = pending_.find(key); found != pending_.end()) {
        if (waiting_ >= waiting_limit_) return busy();
        const std::shared_ptr<Outcome> shared = found->second;
        wait_until([&shared] { return shared->has_value(); });
        return **shared;
    }
    const bool must_wait = running_ >= concurrent_;
    if (must_wait && waiting_ >= waiting_limit_) return busy();
    const auto own = std::make_shared<Outcome>();
    pending_.emplace(key, own);
    if (must_wait) wait_until([this] { return running_ < concurrent_; });
    ++running_;
    lock.unlock();
    Outcome outcome;
    try {
        outcome = render();
    } catch (const std::exception& failure) {
        // Nobody may wait for what will not come.
        outcome = sdk::make_error(sdk::ErrorKind::internal, "node_previews.failed",
                                  "the preview could not be made", failure.what());
    }
    lock.lock();
    *own = std::move(outcome);
    pending_.erase(key);
    --running_;
    changed_.notify_all();
    return **own;
}

}  // namespace stele::node_previews
