#include "kernel/http/limit/rate_limiter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <sodium.h>

namespace stele::kernel::http {

namespace {

constexpr double kSecond = 1e9;

std::int64_t interval_of(const Rate& rate) {
    return std::max<std::int64_t>(1, std::llround(kSecond / rate.per_second));
}

}  // namespace

RateLimiter::RateLimiter(Rate rate, std::size_t callers)
    : rate_(rate),
      interval_ns_(interval_of(rate)),
      places_(std::bit_ceil(std::max(callers, kWays * kLocks))) {
    static_assert(crypto_shorthash_KEYBYTES == sizeof(key_));
    randombytes_buf(key_.data(), key_.size());
}

std::uint64_t RateLimiter::hash(std::string_view caller) const {
    std::uint64_t value = 0;
    static_assert(crypto_shorthash_BYTES == sizeof(value));
    crypto_shorthash(reinterpret_cast<unsigned char*>(&value),
                     reinterpret_cast<const unsigned char*>(caller.data()), caller.size(),
                     key_.data());
    return value;
}

RateLimiter::Place* RateLimiter::find(std::uint64_t caller) {
    Place* const first = &places_[caller % (places_.size() / kWays) * kWays];
    Place* const found = std::find_if(
        first, first + kWays, [caller](const Place& place) { return place.caller == caller; });
    return found == first + kWays ? nullptr : found;
}

RateLimiter::Place& RateLimiter::place_of(std::uint64_t caller) {
    if (Place* present = find(caller)) return *present;
    Place* const first = &places_[caller % (places_.size() / kWays) * kWays];
    Place& freest = *std::min_element(
        first, first + kWays, [](const Place& a, const Place& b) { return a.full_at < b.full_at; });
    freest = {caller, std::numeric_limits<std::int64_t>::min()};
    return freest;
}

RateLimiter::Decision RateLimiter::take(std::string_view caller, std::int64_t now_ns) {
    const std::uint64_t number = hash(caller);
    const std::lock_guard lock(locks_[number % kLocks].mutex);
    Place& place = place_of(number);
    const std::int64_t used_ns = std::max<std::int64_t>(place.full_at, now_ns) - now_ns;
    const std::int64_t allowance_ns = interval_ns_ * rate_.burst;
    if (used_ns + interval_ns_ > allowance_ns) {
        return {false, 0, used_ns + interval_ns_ - allowance_ns};
    }
    place.full_at = now_ns + used_ns + interval_ns_;
    return {true, (allowance_ns - used_ns - interval_ns_) / interval_ns_, 0};
}

void RateLimiter::give_back(std::string_view caller, std::int64_t now_ns) {
    const std::uint64_t number = hash(caller);
    const std::lock_guard lock(locks_[number % kLocks].mutex);
    if (Place* place = find(number)) {
        place->full_at = std::max(place->full_at - interval_ns_, now_ns);
    }
}

}  // namespace stele::kernel::http
