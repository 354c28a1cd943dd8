#include "kernel/storage/blob/blob_writers.hpp"

#include <algorithm>

#include <stele/sdk/time.hpp>

namespace stele::kernel::storage {

namespace {

/// Of a file system that takes its times from another clock than ours.
constexpr std::int64_t kClockSlackMs = 2000;

}  // namespace

BlobWriters::Entry::Entry(BlobWriters& writers, Begin begin)
    : writers_(writers), place_([&] {
          const std::lock_guard lock(writers.mutex_);
          return writers.begun_.insert(writers.begun_.end(), begin);
      }()) {}

BlobWriters::Entry::~Entry() {
    const std::lock_guard lock(writers_.mutex_);
    writers_.begun_.erase(place_);
}

void BlobWriters::Entry::leave_open() {
    const std::lock_guard lock(writers_.mutex_);
    writers_.left_open_ms_ = std::min(writers_.left_open_ms_, first_date(*place_));
}

std::unique_ptr<BlobWriters::Entry> BlobWriters::enter() {
    return std::make_unique<Entry>(*this, Begin{sdk::now_ms()});
}

std::int64_t BlobWriters::oldest_ms() const {
    const std::lock_guard lock(mutex_);
    std::int64_t oldest = left_open_ms_;
    for (const Begin& begin : begun_)
        oldest = std::min(oldest, first_date(begin));
    return oldest;
}

void BlobWriters::settle(const sdk::Engine& store) {
    // Under the lock: who fails after the store was asked is left open after this.
    const std::lock_guard lock(mutex_);
    if (store.status()) left_open_ms_ = kNobody;
}

std::int64_t BlobWriters::first_date(const Begin& begin) {
    using std::chrono::milliseconds;
    const auto since = std::chrono::duration_cast<milliseconds>(Clock::now() - begin.at);
    // A clock that was set back meanwhile dates files before the time that it showed then.
    return std::min(begin.epoch_ms, sdk::now_ms() - since.count()) - kClockSlackMs;
}

}  // namespace stele::kernel::storage
