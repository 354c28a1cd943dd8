#include "kernel/storage/backends/leveldb/write_failure.hpp"

#include <utility>

#include <stele/sdk/log.hpp>

namespace stele::kernel::storage {

sdk::Result<void> WriteFailure::status() const {
    const std::lock_guard lock(mutex_);
    if (error_) return *error_;
    return {};
}

bool WriteFailure::is_try_due(bool has_room) {
    const Clock::time_point now = Clock::now();
    const bool is_soon = has_room || is_first_try_;
    if (now < last_try_ + (is_soon ? kBetweenTries : kBetweenTriesWithoutRoom)) return false;
    is_first_try_ = false;
    last_try_ = now;
    return true;
}

void WriteFailure::set(sdk::Error error) {
    sdk::log(sdk::LogLevel::error, "storage",
             "a write failed, and the store cannot be written until it was opened anew, which is "
             "tried: " +
                 error.detail);
    may_pass_ = true;
    const Clock::time_point now = Clock::now();
    is_first_try_ = now > last_try_ + kUntroubled;
    last_try_ = now;
    keep(std::move(error));
}

void WriteFailure::set_for_good(sdk::Error error) {
    may_pass_ = false;
    keep(std::move(error));
}

void WriteFailure::note_try(const sdk::Error& error) {
    if (error.message == last_reason_) return;
    last_reason_ = error.message;
    sdk::log(sdk::LogLevel::error, "storage",
             "the store cannot be opened anew at the moment: " + error.message);
}

void WriteFailure::clear() {
    sdk::log(sdk::LogLevel::info, "storage", "the store was opened anew and can be written again");
    may_pass_ = false;
    last_reason_.clear();
    const std::lock_guard lock(mutex_);
    error_.reset();
}

void WriteFailure::keep(sdk::Error error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
}

}  // namespace stele::kernel::storage
