#include "kernel/job/worker_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

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

TEST_CASE("every posted task runs once") {
    std::atomic<int> runs = 0;
    WorkerPool pool(3, 1000);
    for (int i = 0; i < 500; ++i)
        REQUIRE(pool.post([&] { ++runs; }));
    pool.stop();
    CHECK(runs == 500);
}

TEST_CASE("threads of a nice pool, and those that they begin, give way to others") {
    const auto nice_of_this_thread = [] {
        return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
    };
    const int before = nice_of_this_thread();
    int of_worker = before;
    int of_its_thread = before;
    WorkerPool pool({.threads = 1, .queue_capacity = 1, .nice = 3});
    REQUIRE(pool.post([&] {
        of_worker = nice_of_this_thread();
        std::thread([&] { of_its_thread = nice_of_this_thread(); }).join();
    }));
    pool.stop();
    CHECK(of_worker == before + 3);
    CHECK(of_its_thread == before + 3);
    CHECK(nice_of_this_thread() == before);
}

TEST_CASE("a full queue refuses, and takes again when there is room") {
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

TEST_CASE("a task that throws does not take its thread with it") {
    std::promise<void> done;
    WorkerPool pool(1, 10);
    REQUIRE(pool.post([] { throw std::runtime_error("on purpose"); }));
    REQUIRE(pool.post([] { throw 7; }));
    REQUIRE(pool.post([&] { done.set_value(); }));
    done.get_future().wait();
    pool.stop();
}

TEST_CASE("stopping waits for what is queued, then nothing is taken any more") {
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

TEST_CASE("no more tasks run than the pool is wide while the queue moves") {
    constexpr int kWidth = 2;
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    std::atomic<int> runs = 0;
    WorkerPool pool(
        {.threads = 8, .queue_capacity = 1000, .width = kWidth, .patience = std::chrono::hours(1)});
    for (int i = 0; i < 500; ++i) {
        REQUIRE(pool.post([&] {
            const int now = ++running;
            for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
            }
            std::this_thread::yield();
            --running;
            ++runs;
        }));
    }
    pool.stop();
    CHECK(runs == 500);
    CHECK(most <= kWidth);
}

TEST_CASE("tasks that wait hold up no others as long as there are threads") {
    std::array<Gate, 3> gates;
    WorkerPool pool({.threads = 4, .queue_capacity = 10, .width = 1});
    for (Gate& gate : gates)
        REQUIRE(pool.post(gate.task()));
    std::promise<void> done;
    REQUIRE(pool.post([&] { done.set_value(); }));
    done.get_future().wait();
    for (Gate& gate : gates)
        gate.open();
    pool.stop();
}

TEST_CASE("a narrow pool runs everything that is posted now and then") {
    std::atomic<int> runs = 0;
    WorkerPool pool({.threads = 4, .queue_capacity = 10, .width = 1});
    for (int i = 0; i < 500; ++i) {
        std::promise<void> done;
        REQUIRE(pool.post([&] {
            ++runs;
            done.set_value();
        }));
        done.get_future().wait();
    }
    pool.stop();
    CHECK(runs == 500);
}

TEST_CASE("a task that is posted before the threads are up is run when they are") {
    for (int i = 0; i < 200; ++i) {
        std::promise<void> done;
        WorkerPool pool(
            {.threads = 2, .queue_capacity = 10, .width = 1, .patience = std::chrono::hours(1)});
        REQUIRE(pool.post([&] { done.set_value(); }));
        REQUIRE(done.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
        pool.stop();
    }
}

TEST_CASE("one caller leaves a quarter of the threads to others, who run meanwhile") {
    constexpr int kThreads = 8;
    WorkerPool pool(kThreads, 1000);
    std::promise<void> opened;
    const auto open = opened.get_future().share();
    std::atomic<int> running = 0;
    for (int i = 0; i < 100; ++i) {
        REQUIRE(pool.post(
            [&running, open] {
                ++running;
                open.wait();
            },
            "greedy"));
    }
    std::promise<void> answered;
    REQUIRE(pool.post([&answered] { answered.set_value(); }, "other"));
    answered.get_future().wait();
    constexpr int kMax = kThreads - kThreads / 4;
    while (running < kMax)
        std::this_thread::yield();
    // Threads that are free would have taken more, had they been allowed to.
    for (int i = 0; i < 3; ++i) {
        std::promise<void> again;
        REQUIRE(pool.post([&again] { again.set_value(); }, "other"));
        again.get_future().wait();
    }
    CHECK(running == kMax);
    opened.set_value();
    pool.stop();
    CHECK(running == 100);
}

TEST_CASE("two callers leave threads to a third") {
    constexpr int kThreads = 8;
    WorkerPool pool(kThreads, 1000);
    std::promise<void> opened;
    const auto open = opened.get_future().share();
    std::atomic<int> running = 0;
    for (const char* name : {"first", "second"}) {
        for (int i = 0; i < 50; ++i)
            REQUIRE(pool.post(
                [&running, open] {
                    ++running;
                    open.wait();
                },
                name));
    }
    std::promise<void> answered;
    REQUIRE(pool.post([&answered] { answered.set_value(); }, "third"));
    answered.get_future().wait();
    // Three quarters, and the first task of the one that came second.
    CHECK(running <= kThreads - kThreads / 4 + 1);
    opened.set_value();
    pool.stop();
    CHECK(running == 100);
}

TEST_CASE("callers take turns, whoever came first") {
    WorkerPool pool(1, 1000);
    Gate gate;
    REQUIRE(pool.post(gate.task()));
    gate.wait_until_entered();
    std::string order;
    for (const char* name : {"a", "a", "a", "b", "b", "c"})
        REQUIRE(pool.post([&order, name] { order += name; }, name));
    gate.open();
    pool.stop();
    CHECK(order == "abcaba");
}

TEST_CASE("one caller fills half of the queue, and the others have the rest") {
    WorkerPool pool(1, 4);
    Gate gate;
    REQUIRE(pool.post(gate.task()));
    gate.wait_until_entered();
    CHECK(pool.post([] {}, "a"));
    CHECK(pool.post([] {}, "a"));
    CHECK_FALSE(pool.post([] {}, "a"));
    CHECK(pool.post([] {}, "b"));
    CHECK(pool.post([] {}));
    CHECK_FALSE(pool.post([] {}));
    gate.open();
    pool.stop();
}

TEST_CASE("what a task held ends while others use the pool") {
    std::future<std::size_t> looked;
    std::promise<std::future_status> outcome;
    WorkerPool pool(1, 10);
    std::shared_ptr<void> held(nullptr, [&](void*) {
        looked = std::async(std::launch::async, [&pool] { return pool.queued(); });
        outcome.set_value(looked.wait_for(std::chrono::seconds(20)));
    });
    REQUIRE(pool.post([held = std::move(held)] {}));
    CHECK(outcome.get_future().get() == std::future_status::ready);
    pool.stop();
}
