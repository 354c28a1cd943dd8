#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/services/usage.hpp>

#include "kernel/job/background_thread.hpp"
#include "kernel/resource/upkeep/sent_lane.hpp"

namespace stele::kernel::resource {

struct Services;

/// Counts what platforms store and send. A reply costs one addition in memory; what was added is
/// written down in batches, at an interval and at the end, by additions that never conflict. A
/// batch leaves its number, so that one whose commit failed, perhaps only in appearance, counts
/// once. What is stored is looked at now and then: stores know their sizes, so only the records at
/// a platform's own level are walked through.
class UsageCounter final : public sdk::Usage {
public:
    explicit UsageCounter(Services& services) : services_(services) {}
    ~UsageCounter() override;

    sdk::Result<sdk::MonthlyUsage> read(sdk::Context& context, const sdk::PlatformScope& platform,
                                        std::chrono::year_month month) override;
    sdk::Result<void> close(sdk::Context& context, const sdk::PlatformScope& platform,
                            std::int64_t now_ms) override;
    void on_written(Written written) override { written_.push_back(std::move(written)); }

    /// For a thread that sends replies; lives as long as this counter.
    SentLane& add_lane();

    struct Intervals {
        std::chrono::milliseconds write;
        std::chrono::milliseconds look;
    };
    void start(Intervals intervals);
    /// Writes what is left.
    void stop();

    /// Writes down what was sent; what cannot be written is kept for the next time.
    sdk::Result<void> write();
    using GoesOn = std::function<bool()>;
    /// Looks at what every open platform has stored; asks before each whether to go on.
    sdk::Result<void> look(const GoesOn& goes_on);

private:
    /// What is written down at once, and counts for one month.
    struct Batch {
        std::uint64_t number = 0;
        std::chrono::year_month month;
        sdk::DataStoreSize sent;
    };

    void run(Intervals intervals);
    /// Keeps what cannot be written, and is written perhaps, as unsettled.
    sdk::Result<void> write_batch(std::uint64_t platform, const Batch& batch);
    sdk::Result<void> store_batch(sdk::Transaction& transaction, std::uint64_t platform,
                                  const Batch& batch) const;
    /// Into `unwritten_`, whose lock the caller holds.
    void gather();
    SentLane::Sizes take();
    void put_back(std::uint64_t platform, const sdk::DataStoreSize& sent);
    sdk::Result<sdk::DataStoreSize> stored_by(const sdk::PlatformScope& platform) const;
    sdk::Result<void> write_stored(const sdk::PlatformScope& platform,
                                   const sdk::DataStoreSize& stored, std::chrono::year_month month);
    void tell(const sdk::PlatformScope& platform, std::chrono::year_month month) const;

    Services& services_;
    std::vector<Written> written_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<SentLane>> lanes_;
    /// Taken from the lanes and not written down yet.
    SentLane::Sizes unwritten_;
    /// Tells its batches from those of other servers.
    const std::string name_ = sdk::random_hex(8);
    /// Both only for whoever writes.
    std::uint64_t last_batch_ = 0;
    std::map<std::uint64_t, Batch> unsettled_;
    job::BackgroundThread thread_;
};

}  // namespace stele::kernel::resource
