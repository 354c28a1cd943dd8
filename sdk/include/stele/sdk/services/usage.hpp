#pragma once

#include <chrono>
#include <functional>

#include <stele/sdk/context.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What a platform stored and sent in a calendar month, UTC.
struct MonthlyUsage {
    /// The most that was found stored at once: records and their bytes.
    DataStoreSize stored;
    /// Replies to callers with a token, and the bytes of their bodies.
    DataStoreSize sent;
    /// What this server has sent beyond that and not written down yet.
    DataStoreSize unprocessed;

    friend bool operator==(const MonthlyUsage&, const MonthlyUsage&) = default;
};

/// Counts what platforms store and send (docs/reference/meters.md). Published by the kernel. Any
/// thread.
class Usage {
public:
    virtual ~Usage();

    virtual Result<MonthlyUsage> read(Context& context, const PlatformScope& platform,
                                      std::chrono::year_month month) = 0;

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
