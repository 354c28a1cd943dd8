#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// Why LevelDB cannot be written since a write has failed. Its log may end with half a record then,
/// and what is appended behind that could be lost when the log is read; it also refuses every
/// further write. So the store is opened anew, as soon as that may help. `status` on any thread,
/// the rest on that of the commits.
class WriteFailure {
public:
    static constexpr std::chrono::seconds kBetweenTries{1};

    sdk::Result<void> status() const;
    /// Whether opening the store anew may help.
    bool may_pass() const { return may_pass_; }
    /// Whether to try it now: rarely while there is less room than the reserve, because opening
    /// takes some, too. The first time soon in any case: logins wait for it.
    bool is_try_due(bool has_room);

    void set(sdk::Error error);
    /// Until the server starts anew.
    void set_for_good(sdk::Error error);
    /// Opening the store anew has failed.
    void note_try(const sdk::Error& error);
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kBetweenTriesWithoutRoom{5};
    /// After so long without a failure the next one is a new one.
    static constexpr std::chrono::minutes kUntroubled{1};

    void keep(sdk::Error error);

    bool may_pass_ = false;
    bool is_first_try_ = false;
    Clock::time_point last_try_;
    std::string last_reason_;
    mutable std::mutex mutex_;
    std::optional<sdk::Error> error_;
};

}  // namespace stele::kernel::storage
