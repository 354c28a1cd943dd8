#include "failure_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include <stele/sdk/seal.hpp>

namespace stele::identity {

namespace {
constexpr std::size_t kHashKeyBytes = 16;
constexpr std::int64_t kFirstDelayMs = 1000;
constexpr std::uint32_t kMaxDoublings = 40;
}  // namespace

std::int64_t Patience::delay_ms(std::uint32_t failures) const {
    if (failures < free) return 0;
    const std::uint32_t doublings = std::min(failures - free, kMaxDoublings);
    return std::min(longest_ms, kFirstDelayMs << doublings);
}

FailureTable::FailureTable(std::size_t subjects)
    : secret_(sdk::random_token(kHashKeyBytes)),
      places_(std::bit_ceil(std::max(subjects, kWays * kLocks))) {}

std::uint64_t FailureTable::hash(std::string_view subject) const {
    const std::string digest = sdk::token_digest(secret_ + std::string(subject));
    std::uint64_t number = 0;
    std::memcpy(&number, digest.data(), sizeof(number));
    return number;
}

std::size_t FailureTable::first_of(std::uint64_t number) const {
    return number % (places_.size() / kWays) * kWays;
}

FailureTable::Place* FailureTable::find(std::uint64_t number) {
    Place* const first = &places_[first_of(number)];
    Place* const found = std::find_if(
        first, first + kWays, [number](const Place& place) { return place.subject == number; });
    return found == first + kWays ? nullptr : found;
}

FailureTable::Place& FailureTable::place_of(std::uint64_t number, std::int64_t now_ms) {
    Place* place = find(number);
    if (!place) {
        Place* const first = &places_[first_of(number)];
        const auto weight = [now_ms](const Place& one) {
            const bool is_old = now_ms - one.last_ms > kForgottenAfterMs;
            return std::tuple(is_old ? 0 : one.failures, one.last_ms);
        };
        place = std::min_element(first, first + kWays, [&](const Place& a, const Place& b) {
            return weight(a) < weight(b);
        });
        *place = {number, now_ms, 0, 0};
    }
    if (now_ms - place->last_ms > kForgottenAfterMs) *place = {number, now_ms, 0, 0};
    return *place;
}

std::int64_t FailureTable::take(std::string_view subject, const Patience& patience,
                                std::int64_t now_ms) {
    const std::uint64_t number = hash(subject);
    const std::lock_guard lock(locks_[first_of(number) / kWays % kLocks].mutex);
    Place& place = place_of(number, now_ms);
    const bool is_free = place.failures < patience.free;
    const std::int64_t until = place.last_ms + patience.delay_ms(place.failures);
    if (!is_free && until > now_ms) return until - now_ms;
    // Good logins may come many at a time, guesses may not.
    if (place.pending >= (is_free ? kMaxPending : 1)) return kFirstDelayMs;
    ++place.pending;
    return 0;
}

void FailureTable::note_failed(std::string_view subject, std::int64_t now_ms) {
    const std::uint64_t number = hash(subject);
    const std::lock_guard lock(locks_[first_of(number) / kWays % kLocks].mutex);
    Place& place = place_of(number, now_ms);
    if (place.pending > 0) --place.pending;
    ++place.failures;
    place.last_ms = std::max(place.last_ms, now_ms);
}

void FailureTable::give_back(std::string_view subject) {
    const std::uint64_t number = hash(subject);
    const std::lock_guard lock(locks_[first_of(number) / kWays % kLocks].mutex);
    if (Place* place = find(number); place && place->pending > 0) --place->pending;
}

void FailureTable::forget(std::string_view subject) {
    const std::uint64_t number = hash(subject);
    const std::lock_guard lock(locks_[first_of(number) / kWays % kLocks].mutex);
    if (Place* place = find(number)) place->failures = 0;
}

}  // namespace stele::identity
