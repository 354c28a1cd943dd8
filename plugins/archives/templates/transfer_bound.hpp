#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

#include <stele/sdk/result.hpp>

namespace stele::archives {

/// Bounds the imports that operations run themselves, without a job: so many at the same time on
/// this server. Any thread.
class TransferBound {
public:
    using Patience = std::chrono::milliseconds;
    static constexpr Patience kPatience{30'000};

    explicit TransferBound(std::size_t most, Patience patience = kPatience)
        : most_(most), patience_(patience) {}

    /// One of these, as long as it lives.
    class Place {
    public:
        ~Place();
        Place(Place&& other) noexcept;
        Place& operator=(Place&&) = delete;

    private:
        friend TransferBound;
        explicit Place(TransferBound* bound) : bound_(bound) {}
        TransferBound* bound_;
    };
    /// Waits for a place; an import inside of another one, on the same thread, has that one's.
    /// `unavailable` (`archives.transfers_busy`), to be tried again, where the patience is over,
    /// and what `go_on` fails with, which is asked while it waits.
    sdk::Result<Place> enter(const std::function<sdk::Result<void>()>& go_on);

private:
    void leave();

    const std::size_t most_;
    const Patience patience_;
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t running_ = 0;
};

}  // namespace stele::archives
