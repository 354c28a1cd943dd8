#include "documents/package_room.hpp"

#include <utility>

#include <fmt/format.h>

#include <stele/sdk/error.hpp>

namespace stele::archives {

namespace {

/// People who may have a package of the greatest size at the same time.
constexpr std::uint64_t kShares = 4;
constexpr int kRoomRetrySeconds = 10;

sdk::Error packages_busy() {
    sdk::Error error = sdk::make_error(
        sdk::ErrorKind::limited, "archives.packages_busy",
        "packages of documents that are being downloaded leave no room for this one");
    error.retry_after_seconds = kRoomRetrySeconds;
    return error;
}

}  // namespace

PackageRoom::Share::~Share() {
    if (room_) room_->give_back(holder_, taken_);
}

PackageRoom::Share::Share(Share&& other) noexcept
    : room_(std::exchange(other.room_, nullptr)),
      holder_(std::move(other.holder_)),
      taken_(other.taken_) {}

sdk::Result<void> PackageRoom::Share::take(std::uint64_t bytes) {
    auto taken = room_->take(holder_, bytes, taken_);
    if (taken) taken_ += bytes;
    return taken;
}

sdk::Result<void> PackageRoom::take(const std::string& holder, std::uint64_t bytes,
                                    std::uint64_t of_share) {
    if (bytes > most_of_one_ || of_share > most_of_one_ - bytes) {
        return sdk::make_error(
            sdk::ErrorKind::too_large, "archives.package_too_large",
            fmt::format("a package of documents has at most {} bytes", most_of_one_));
    }
    const std::lock_guard lock(mutex_);
    const auto held = taken_by_.find(holder);
    const std::uint64_t own = held == taken_by_.end() ? 0 : held->second;
    if (own > most_of_one_ - bytes || (taken_ + bytes + kShares - 1) / kShares > most_of_one_)
        return packages_busy();
    taken_by_[holder] = own + bytes;
    taken_ += bytes;
    return {};
}

void PackageRoom::give_back(const std::string& holder, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto held = taken_by_.find(holder);
    if (held == taken_by_.end()) return;
    taken_ -= bytes;
    held->second -= bytes;
    if (held->second == 0) taken_by_.erase(held);
}

}  // namespace stele::archives
