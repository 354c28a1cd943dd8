#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <stele/sdk/services/usage.hpp>

#include "kernel/job/background_thread.hpp"

namespace stele::kernel::resource {

struct Rooms;

/// Counts what platforms store and send. A reply costs one addition in memory; what was added is
/// written down in batches, at an interval and at the end, by additions that never conflict. What
/// is stored is looked at now and then: stores know their sizes, so only the records at a
/// platform's own level are walked through.
class UsageCounter final : public sdk::Usage {
public:
    explicit UsageCounter(Rooms& rooms) : rooms_(rooms) {}
    ~UsageCounter() override;

    sdk::Result<sdk::MonthlyUsage> read(sdk::Context& context, const sdk::PlatformScope& platform,
                                        std::chrono::year_month month) override;
    sdk::Result<void> close(sdk::Context& context, const sdk::PlatformScope& platform,
                            std::int64_t now_ms) override;
    void on_written(Written written) override { written_.push_back(std::move(written)); }

    /// The body of a reply to a caller of a platform went out. Any thread, short.
    void note_sent(std::uint64_t platform, std::uint64_t bytes);

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
    using Sent = std::unordered_map<std::uint64_t, sdk::DataStoreSize>;
    /// A thread's own, as long as there are no more threads than shards; on cache lines of its own.
    struct alignas(64) Shard {
        std::mutex mutex;
        Sent sent;
    };

    void run(Intervals intervals);
    Shard& own_shard();
    std::map<std::uint64_t, sdk::DataStoreSize> take();
    void add(std::uint64_t platform, const sdk::DataStoreSize& sent);
    sdk::Result<sdk::DataStoreSize> stored_by(const sdk::PlatformScope& platform) const;
    sdk::Result<void> write_stored(const sdk::PlatformScope& platform,
                                   const sdk::DataStoreSize& stored, std::chrono::year_month month);
    void tell(const sdk::PlatformScope& platform, std::chrono::year_month month) const;

    Rooms& rooms_;
    std::vector<Written> written_;
    /// Threads add to different ones.
    std::array<Shard, 16> shards_;
    job::BackgroundThread thread_;
};

}  // namespace stele::kernel::resource
