#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace stele::kernel::http {

/// How often one caller may do something.
struct Rate {
    double per_second = 0;
    /// How many may come at once after a quiet time.
    std::int64_t burst = 1;
};

/// Limits callers by the "virtual scheduling" form of the leaky bucket (ITU-T I.371, GCRA): one
/// number for each caller, in a table of fixed size. When there are more callers than places, the
/// one with the most left of its allowance is forgotten, which does it no harm. Any thread.
class RateLimiter {
public:
    /// For about `callers` callers at the same time; 16 bytes for each.
    RateLimiter(Rate rate, std::size_t callers);

    struct Decision {
        bool is_allowed = true;
        /// How many more may come at once now.
        std::int64_t remaining = 0;
        /// Until the next one may come, when this one may not.
        std::int64_t retry_ns = 0;
    };
    /// Counts one more, unless it is too many. `now_ns` never goes back.
    Decision take(std::string_view caller, std::int64_t now_ns);
    /// Takes one back that counted.
    void give_back(std::string_view caller, std::int64_t now_ns);

    const Rate& rate() const { return rate_; }

private:
    static constexpr std::size_t kWays = 8;
    static constexpr std::size_t kLocks = 64;

    struct Place {
        std::uint64_t caller = 0;
        /// When the caller has its whole allowance again.
        std::int64_t full_at = 0;
    };
    struct alignas(64) Lock {
        std::mutex mutex;
    };

    std::uint64_t hash(std::string_view caller) const;
    Place& place_of(std::uint64_t caller);
    Place* find(std::uint64_t caller);

    const Rate rate_;
    const std::int64_t interval_ns_;
    std::array<unsigned char, 16> key_{};  ///< so that nobody can choose whom it is mixed up with
    std::vector<Place> places_;
    std::array<Lock, kLocks> locks_;
};

}  // namespace stele::kernel::http
