#include "kernel/job/background_thread.hpp"

#include <atomic>
#include <future>

#include <catch2/catch.hpp>

using stele::kernel::job::BackgroundThread;

namespace {

constexpr std::chrono::hours kForEver{24};

}  // namespace

TEST_CASE("work that rests ends when it is stopped, once") {
    std::atomic<int> rests = 0;
    BackgroundThread thread;
    CHECK_FALSE(thread.stop());
    for (int round = 1; round <= 2; ++round) {
        thread.start([&] {
            while (!thread.is_stopping()) {
                ++rests;
                thread.rest(kForEver);
            }
        });
        while (rests < round)
            std::this_thread::yield();
        CHECK(thread.stop());
        CHECK_FALSE(thread.stop());
        CHECK(rests == round);
    }
}

TEST_CASE("work that was called while it did not rest does not rest then") {
    std::promise<void> rested;
    BackgroundThread thread;
    thread.wake();
    thread.start([&] {
        thread.rest(kForEver);
        rested.set_value();
    });
    CHECK(rested.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
}
