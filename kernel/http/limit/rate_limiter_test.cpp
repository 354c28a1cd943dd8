#include "kernel/http/limit/rate_limiter.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

namespace stele::kernel::http {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1000 * kSecond;

int allowed(RateLimiter& limiter, std::string_view caller, std::int64_t now, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i)
        count += limiter.take(caller, now).is_allowed ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("a caller may come in a burst, then at its rate") {
    RateLimiter limiter({10, 5}, 100);
    CHECK(allowed(limiter, "a", kStart, 20) == 5);
    CHECK(allowed(limiter, "a", kStart + kSecond / 10, 20) == 1);
    CHECK(allowed(limiter, "a", kStart + kSecond / 2, 20) == 4);
    CHECK(allowed(limiter, "a", kStart + 60 * kSecond, 20) == 5);
}

TEST_CASE("one caller's requests are no other's matter") {
    RateLimiter limiter({10, 5}, 100);
    CHECK(allowed(limiter, "a", kStart, 20) == 5);
    CHECK(allowed(limiter, "b", kStart, 20) == 5);
}

TEST_CASE("who is refused learns when to come back, and then may") {
    RateLimiter limiter({2, 3}, 100);
    CHECK(allowed(limiter, "a", kStart, 3) == 3);
    const auto refused = limiter.take("a", kStart);
    CHECK_FALSE(refused.is_allowed);
    CHECK(refused.retry_ns == kSecond / 2);
    // Of the wait, what is over counts.
    CHECK(limiter.take("a", kStart + kSecond / 8).retry_ns == kSecond / 2 - kSecond / 8);
    CHECK(limiter.take("a", kStart + refused.retry_ns - 1).retry_ns == 1);
    CHECK_FALSE(limiter.take("a", kStart + refused.retry_ns - 1).is_allowed);
    CHECK(limiter.take("a", kStart + refused.retry_ns).is_allowed);
}

TEST_CASE("what remains counts down") {
    RateLimiter limiter({1, 3}, 100);
    CHECK(limiter.take("a", kStart).remaining == 2);
    CHECK(limiter.take("a", kStart).remaining == 1);
    CHECK(limiter.take("a", kStart).remaining == 0);
}

TEST_CASE("a refusal costs nothing") {
    RateLimiter limiter({1, 1}, 100);
    CHECK(allowed(limiter, "a", kStart, 1000) == 1);
    CHECK(limiter.take("a", kStart + kSecond).is_allowed);
}

TEST_CASE("what is given back can be taken again, and never becomes more than the burst") {
    RateLimiter limiter({1, 2}, 100);
    CHECK(allowed(limiter, "a", kStart, 5) == 2);
    limiter.give_back("a", kStart);
    CHECK(allowed(limiter, "a", kStart, 5) == 1);
    for (int i = 0; i < 10; ++i)
        limiter.give_back("a", kStart);
    CHECK(allowed(limiter, "a", kStart, 5) == 2);
    limiter.give_back("nobody", kStart);
    CHECK(allowed(limiter, "nobody", kStart, 5) == 2);
}

TEST_CASE(
    "more callers than places cost memory for none, and a busy one is not forgotten for them") {
    RateLimiter limiter({1, 10}, 512);
    CHECK(allowed(limiter, "busy", kStart, 20) == 10);
    int forgotten = 0;
    for (int i = 0; i < 100'000; ++i) {
        limiter.take("stranger" + std::to_string(i), kStart + kSecond + i);
        if (i % 1000 == 0) forgotten += allowed(limiter, "busy", kStart + kSecond + i, 1);
    }
    // One came back with the second that passed.
    CHECK(forgotten == 1);
}

TEST_CASE("threads at once get no more than one would") {
    RateLimiter limiter({1, 1000}, 512);
    std::atomic<int> count = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { count += allowed(limiter, "a", kStart, 1000); });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(count == 1000);
}

}  // namespace stele::kernel::http
