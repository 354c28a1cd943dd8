#include "kernel/job/worker_pool.hpp"

#include <atomic>
#include <future>
#include <stdexcept>

#include <catch2/catch.hpp>

using stele::kernel::job::WorkerPool;

namespace {

/// Keeps one worker busy until it is opened.
class Gate {
public:
    std::function<void()> task() {
        return [this] {
            entered_.set_value();
            opened_.get_future().wait();
        };
    }
    void wait_until_entered() { entered_.get_future().wait(); }
    void open() { opened_.set_value(); }

private:
    std::promise<void> entered_;
    std::promise<void> opened_;
};

}  // namespace

TEST_CASE("Every posted task runs once") {
    std::atomic<int> runs = 0;
    WorkerPool pool(3, 1000);
    for (int i = 0; i < 500; ++i)
        REQUIRE(pool.post([&] { ++runs; }));
    pool.stop();
    CHECK(runs == 500);
}

TEST_CASE("A full queue refuses, and takes again when there is room") {
    Gate gate;
    WorkerPool pool(1, 2);
    REQUIRE(pool.post(gate.task()));
    gate.wait_until_entered();
    std::promise<void> done;
    CHECK(pool.post([] {}));
    CHECK(pool.post([&] { done.set_value(); }));
    CHECK(pool.queued() == 2);
    CHECK_FALSE(pool.post([] {}));
    gate.open();
    done.get_future().wait();
    CHECK(pool.queued() == 0);
    CHECK(pool.post([] {}));
}

TEST_CASE("A task that throws does not take its thread with it") {
    std::promise<void> done;
    WorkerPool pool(1, 10);
    REQUIRE(pool.post([] { throw std::runtime_error("on purpose"); }));
    REQUIRE(pool.post([] { throw 7; }));
    REQUIRE(pool.post([&] { done.set_value(); }));
    done.get_future().wait();
    pool.stop();
}

TEST_CASE("Stopping waits for what is queued, then nothing is taken any more") {
    Gate gate;
    std::atomic<int> runs = 0;
    WorkerPool pool(1, 10);
    REQUIRE(pool.post(gate.task()));
    gate.wait_until_entered();
    for (int i = 0; i < 5; ++i)
        REQUIRE(pool.post([&] { ++runs; }));
    auto stopping = std::async(std::launch::async, [&] { pool.stop(); });
    gate.open();
    stopping.wait();
    CHECK(runs == 5);
    CHECK_FALSE(pool.post([] {}));
    pool.stop();
}
