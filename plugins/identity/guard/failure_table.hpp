#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace stele::identity {

/// How long whoever fails has to wait.
struct Patience {
    /// Failures without any consequence.
    std::uint32_t free = 5;
    /// From then on a second, doubled with each failure up to this.
    std::int64_t longest_ms = 900'000;

    std::int64_t delay_ms(std::uint32_t failures) const;
};

/// Counts failures by what they were at, in a table of fixed size. Where it is full, whoever has
/// failed least is forgotten; after an hour of quiet everybody is. Any thread.
class FailureTable {
public:
    static constexpr std::int64_t kForgottenAfterMs = 3'600'000;

    /// For about `subjects` at the same time; 24 bytes for each.
    explicit FailureTable(std::size_t subjects);

    /// How long one more attempt has to wait; 0 when it may begin, and is then on its way. Of those
    /// on their way at the same time there is a bound: where nothing is free any more, one at a
    /// time.
    std::int64_t take(std::string_view subject, const Patience& patience, std::int64_t now_ms);
    /// It failed, and the wait begins now.
    void note_failed(std::string_view subject, std::int64_t now_ms);
    /// It was no failure. Those of others stay, and the time of the last one.
    void give_back(std::string_view subject);
    void forget(std::string_view subject);

private:
    static constexpr std::uint32_t kMaxPending = 64;
    static constexpr std::size_t kWays = 8;
    static constexpr std::size_t kLocks = 64;

    struct Place {
        std::uint64_t subject = 0;
        std::int64_t last_ms = 0;
        std::uint32_t failures = 0;
        std::uint32_t pending = 0;
    };
    struct alignas(64) Lock {
        std::mutex mutex;
    };

    std::uint64_t hash(std::string_view subject) const;
    std::size_t first_of(std::uint64_t number) const;
    Place* find(std::uint64_t number);
    Place& place_of(std::uint64_t number, std::int64_t now_ms);

    const std::string secret_;  ///< so that nobody can choose whom it is mixed up with
    std::vector<Place> places_;
    std::array<Lock, kLocks> locks_;
};

}  // namespace stele::identity
