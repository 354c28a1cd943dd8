#include "templates/transfer_bound.hpp"

#include <atomic>
#include <optional>
#include <thread>

#include <catch2/catch.hpp>

#include <stele/sdk/error.hpp>

using namespace stele;
using archives::TransferBound;

namespace {

const std::function<sdk::Result<void>()> kGoOn = [] { return sdk::Result<void>(); };
constexpr TransferBound::Patience kNone{0};
constexpr TransferBound::Patience kLong{60'000};

/// What somebody on another thread gets.
template <class Work>
void elsewhere(const Work& work) {
    std::thread(work).join();
}

}  // namespace

TEST_CASE("imports without a job run up to their bound, and one more when one has ended") {
    TransferBound bound(2, kNone);
    std::optional<TransferBound::Place> first = bound.enter(kGoOn).value();
    elsewhere([&] {
        const auto second = bound.enter(kGoOn);
        REQUIRE(second.has_value());
        elsewhere([&] {
            const auto third = bound.enter(kGoOn);
            REQUIRE(third.has_error());
            CHECK(third.error().code == "archives.transfers_busy");
            CHECK(third.error().kind == sdk::ErrorKind::unavailable);
            CHECK(third.error().retry_after_seconds > 0);
        });
    });
    elsewhere([&] { CHECK(bound.enter(kGoOn).has_value()); });
    elsewhere([&] { CHECK(bound.enter(kGoOn).has_value()); });
    first.reset();
}

TEST_CASE("an import inside of another one needs no place of its own") {
    TransferBound bound(1, kNone);
    const auto outer = bound.enter(kGoOn);
    REQUIRE(outer.has_value());
    {
        const auto inner = bound.enter(kGoOn);
        CHECK(inner.has_value());
    }
    // The outer one has not ended with it.
    elsewhere([&] { CHECK(bound.enter(kGoOn).has_error()); });
}

TEST_CASE("who waits for a place gets it, or leaves when nobody wants the import any more") {
    TransferBound bound(1, kLong);
    std::optional<TransferBound::Place> held = bound.enter(kGoOn).value();
    std::atomic<int> asked = 0;
    elsewhere([&] {
        const auto left = bound.enter([&]() -> sdk::Result<void> {
            ++asked;
            return sdk::make_error(sdk::ErrorKind::unavailable, "http.budget_spent", "gone");
        });
        REQUIRE(left.has_error());
        CHECK(left.error().code == "http.budget_spent");
    });
    CHECK(asked == 1);
    std::atomic<bool> is_in = false;
    std::atomic<bool> waits = false;
    std::thread waiting([&] {
        const auto place = bound.enter([&] {
            waits = true;
            return sdk::Result<void>();
        });
        is_in = place.has_value();
    });
    while (!waits)
        std::this_thread::yield();
    CHECK_FALSE(is_in);
    held.reset();
    waiting.join();
    CHECK(is_in);
}
