#include "kernel/storage/blob/blob_writers.hpp"

#include <limits>

#include <stele/sdk/time.hpp>

namespace stele::kernel::storage {

namespace {

/// Of a file system that takes its times from another clock than ours.
constexpr std::int64_t kClockSlackMs = 2000;

}  // namespace

BlobWriters::Entry::Entry(BlobWriters& writers, std::int64_t begun_ms)
    : writers_(writers), place_([&] {
          const std::lock_guard lock(writers.mutex_);
          return writers.begun_ms_.insert(begun_ms);
      }()) {}

BlobWriters::Entry::~Entry() {
    const std::lock_guard lock(writers_.mutex_);
    writers_.begun_ms_.erase(place_);
}

std::unique_ptr<BlobWriters::Entry> BlobWriters::enter() {
    return std::make_unique<Entry>(*this, sdk::now_ms() - kClockSlackMs);
}

std::int64_t BlobWriters::oldest_ms() const {
    const std::lock_guard lock(mutex_);
    return begun_ms_.empty() ? std::numeric_limits<std::int64_t>::max() : *begun_ms_.begin();
}

}  // namespace stele::kernel::storage
