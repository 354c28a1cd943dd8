#include "kernel/instance/disk_watch.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/http/message/upload_spool.hpp"

namespace stele::kernel::instance {

namespace {

constexpr std::chrono::seconds kBetweenLooks{1};
/// What is removed while the disk is short is given back so soon; while it is full, with the next
/// look. Giving back what is spread over much takes long, and as long twice is rested after it.
constexpr std::chrono::seconds kBetweenReturns{10};
constexpr int kRests = 2;
/// With less than so many times the reserve the disk is short.
constexpr std::uint64_t kShort = 2;
/// Uploads ask for their room in such steps, so with less they are refused already.
constexpr std::uint64_t kUploadStep = 1024 * 1024;

}  // namespace

sdk::Result<void> DiskWatch::status() const {
    if (auto free = room(); !free) return free;
    const std::lock_guard lock(mutex_);
    return uploads_state_;
}

sdk::Result<void> DiskWatch::room() const {
    std::uint64_t available = 0;
    if (!file::available_bytes(folder_, available)) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "http.disk_full",
                               "the data folder's disk does not answer",
                               file::system_reason(errno));
    }
    if (available >= reserve_ + kUploadStep) return {};
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "http.disk_full",
        fmt::format("the data folder's disk is full: {} bytes are left, {} of which are reserved; "
                    "reading, logins and deletes go on",
                    available, reserve_));
}

std::string DiskWatch::metrics() const {
    std::uint64_t available = 0;
    if (!file::available_bytes(folder_, available)) return {};
    return fmt::format(
        "# HELP stele_disk_free_bytes Room on the data folder's disk.\n"
        "# TYPE stele_disk_free_bytes gauge\nstele_disk_free_bytes {}\n"
        "# HELP stele_disk_reserve_bytes Room below which creates and uploads are refused.\n"
        "# TYPE stele_disk_reserve_bytes gauge\nstele_disk_reserve_bytes {}\n",
        available, reserve_);
}

void DiskWatch::start() {
    thread_.start([this] { run(); });
}

void DiskWatch::look_at_uploads() {
    auto state = http::check_upload_folder(uploads_);
    const std::lock_guard lock(mutex_);
    if (!state && uploads_state_) sdk::log(sdk::LogLevel::error, "http", state.error().message);
    if (state && !uploads_state_)
        sdk::log(sdk::LogLevel::info, "http", "the folder for uploads can be used again");
    uploads_state_ = std::move(state);
}

bool DiskWatch::look() {
    const auto state = room();
    if (!state && !was_full_) sdk::log(sdk::LogLevel::error, "http", state.error().message);
    if (state && was_full_)
        sdk::log(sdk::LogLevel::info, "http", "the data folder's disk has room again");
    was_full_ = !state;
    std::uint64_t available = 0;
    return !file::available_bytes(folder_, available) || available < kShort * reserve_;
}

void DiskWatch::run() {
    auto next_return = std::chrono::steady_clock::now();
    while (!thread_.is_stopping()) {
        const bool is_short = look();
        look_at_uploads();
        if (collector_ != nullptr) collector_->set_pressed(is_short);
        const auto now = std::chrono::steady_clock::now();
        if (is_short && engine_ != nullptr && (now >= next_return || engine_->is_room_wanted())) {
            engine_->give_back_room([this] { return thread_.is_stopping(); });
            const auto end = std::chrono::steady_clock::now();
            next_return =
                end + std::max<std::chrono::steady_clock::duration>(
                          kRests * (end - now), was_full_ ? kBetweenLooks : kBetweenReturns);
        }
        thread_.rest(kBetweenLooks);
    }
}

}  // namespace stele::kernel::instance
