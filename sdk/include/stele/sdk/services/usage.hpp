#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <stele/sdk/context.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What a platform stored and sent in a calendar month, UTC, or since a period was closed in it.
struct MonthlyUsage {
    /// The most that was found stored at once: records and their bytes.
    DataStoreSize stored;
    /// Replies to callers with a token, and the bytes of their bodies.
    DataStoreSize sent;
    /// What this server has sent beyond that and not written down yet.
    DataStoreSize unprocessed;
    /// How many periods of the month were closed before.
    std::uint64_t period = 0;
    /// When this one began, epoch milliseconds; 0: with the month.
    std::int64_t begin_ms = 0;

    friend bool operator==(const MonthlyUsage&, const MonthlyUsage&) = default;
};

/// Counts what platforms store and send (docs/reference/meters.md). Published by the kernel. Any
/// thread.
class Usage {
public:
    virtual ~Usage();

    virtual Result<MonthlyUsage> read(Context& context, const PlatformScope& platform,
                                      std::chrono::year_month month) = 0;
    /// From the context's commit on the figures of the month, the one of the moment `now_ms`, are
    /// those of another period, which begins at that moment with nothing. What was sent and is not
    /// written down yet counts for that one.
    virtual Result<void> close(Context& context, const PlatformScope& platform,
                               std::int64_t now_ms) = 0;

    using Written = std::function<void(const PlatformScope&, std::chrono::year_month)>;
    /// Called outside of any transaction after figures of a platform were written or looked at
    /// again. Only while plugins are opened.
    virtual void on_written(Written written) = 0;
};

/// The month of a moment in epoch milliseconds, UTC.
std::chrono::year_month month_of(std::int64_t ms);
/// Its first millisecond.
std::int64_t begin_of(std::chrono::year_month month);

}  // namespace stele::sdk
