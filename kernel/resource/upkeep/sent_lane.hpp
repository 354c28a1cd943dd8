#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include <stele/sdk/services/usage.hpp>

#include "kernel/job/counter.hpp"

namespace stele::kernel::resource {

/// What one I/O thread sent for each platform since the server started. That thread alone counts,
/// with plain additions; another one takes what came since it last did.
class alignas(64) SentLane {
public:
    using Sizes = std::unordered_map<std::uint64_t, sdk::DataStoreSize>;

    /// The body of a reply to a caller of a platform went out.
    void note(std::uint64_t platform, std::uint64_t bytes) {
        if (!last_ || last_->platform != platform) last_ = &cell_of(platform);
        last_->replies.add(1);
        last_->bytes.add(bytes);
    }

    /// Adds to `sizes` what was not taken yet.
    void take(Sizes& sizes);

private:
    struct Cell {
        explicit Cell(std::uint64_t number) : platform(number) {}

        const std::uint64_t platform;
        job::Counter replies;
        job::Counter bytes;
        /// Of those that take.
        sdk::DataStoreSize taken;
    };

    Cell& cell_of(std::uint64_t platform);

    /// The platform of the last reply: most replies of a thread are for the same one.
    Cell* last_ = nullptr;
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, Cell> cells_;
};

}  // namespace stele::kernel::resource
