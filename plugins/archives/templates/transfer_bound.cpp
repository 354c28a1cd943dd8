#include "templates/transfer_bound.hpp"

#include <algorithm>
#include <utility>

#include <stele/sdk/error.hpp>

namespace stele::archives {

namespace {

/// How long nobody looks whether the caller still waits.
constexpr std::chrono::milliseconds kLook{100};
constexpr int kRetryAfterSeconds = 10;

/// Imports that the thread runs, one inside another.
thread_local std::size_t depth = 0;

sdk::Error busy() {
    sdk::Error error =
        sdk::make_error(sdk::ErrorKind::unavailable, "archives.transfers_busy",
                        "the server brings in as many archives as it may at the same time");
    error.retry_after_seconds = kRetryAfterSeconds;
    return error;
}

}  // namespace

TransferBound::Place::~Place() {
    if (!bound_) return;
    --depth;
    if (depth == 0) bound_->leave();
}

TransferBound::Place::Place(Place&& other) noexcept
    : bound_(std::exchange(other.bound_, nullptr)) {}

sdk::Result<TransferBound::Place> TransferBound::enter(
    const std::function<sdk::Result<void>()>& go_on) {
    if (depth == 0) {
        const auto end = std::chrono::steady_clock::now() + patience_;
        std::unique_lock lock(mutex_);
        while (running_ == most_) {
            if (std::chrono::steady_clock::now() >= end) return busy();
            left_.wait_for(lock, std::min<Patience>(kLook, patience_));
            if (auto wanted = go_on(); !wanted) return wanted.error();
        }
        ++running_;
    }
    ++depth;
    return Place(this);
}

void TransferBound::leave() {
    {
        const std::lock_guard lock(mutex_);
        --running_;
    }
    left_.notify_one();
}

}  // namespace stele::archives
