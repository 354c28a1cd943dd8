// Rounds of a runner, on a clock of the test's. No thread but those of the jobs.
#include "kernel/job/job_runner.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_store_test_fixture.hpp"

using namespace stele::kernel::job;
using namespace stele::kernel::job::testing;
using stele::sdk::Error;
using stele::sdk::ErrorKind;
using stele::sdk::Job;
using stele::sdk::JobState;

namespace {

/// Jobs in a store, and runners of several servers over it.
struct Rounds : StoredJobs {
    std::atomic<std::int64_t> clock = kNow;

    JobRunnerOptions options(const std::string& server) {
        JobRunnerOptions chosen;
        chosen.server = server;
        chosen.lease = std::chrono::milliseconds(kLease);
        // Looks for work of dead servers in every round.
        chosen.period = std::chrono::milliseconds(0);
        chosen.clock = [this] { return clock.load(); };
        return chosen;
    }

    std::int64_t lease_end(const std::string& id) {
        const auto bytes = engine.snapshot()->get(lease_path(id)).value();
        REQUIRE(bytes.has_value());
        stele::sdk::KeyReader lease(*bytes);
        CHECK(lease.integer() == kJobPlatform);
        return static_cast<std::int64_t>(lease.integer().value());
    }

    JobState state_after_run(const std::string& id) {
        while (record(id).state == JobState::running)
            std::this_thread::yield();
        return record(id).state;
    }
};

/// Work that goes on until the test, or the runner, ends it.
struct LongWork {
    std::atomic<int> runs = 0;
    std::atomic<bool> may_end = false;

    stele::sdk::JobType type() {
        return {.name = "export", .run = [this](Job& job) -> Result<Json> {
                    ++runs;
                    while (!may_end && !job.must_stop())
                        std::this_thread::yield();
                    return Json{{"attempt", job.attempt()}};
                }};
    }
};

}  // namespace

TEST_CASE("a job longer than its lease stays where it runs, beside a server that looks for work") {
    Rounds jobs;
    LongWork work;
    JobRunner first(jobs.engine, jobs.options("s1"));
    JobRunner second(jobs.engine, jobs.options("s2"));
    first.define(work.type());
    second.define(work.type());
    const std::string id = jobs.add();
    REQUIRE(first.step().value() == 1);
    for (int thirds = 1; thirds <= 9; ++thirds) {
        INFO(thirds << " thirds of a lease");
        jobs.clock += kLease / 3;
        // The other one looks first: what is renewed too late is lost.
        CHECK(second.step().value() == 0);
        CHECK(first.step().value() == 0);
    }
    CHECK(jobs.record(id).state == JobState::running);
    CHECK(jobs.record(id).server == "s1");
    work.may_end = true;
    CHECK(jobs.state_after_run(id) == JobState::finished);
    CHECK(jobs.record(id).attempts == 1);
    CHECK(work.runs == 1);
}

TEST_CASE("a lease is renewed before it ends, lasts a whole one from then, and not longer") {
    Rounds jobs;
    LongWork work;
    JobRunner first(jobs.engine, jobs.options("s1"));
    JobRunner second(jobs.engine, jobs.options("s2"));
    first.define(work.type());
    second.define(work.type());
    const std::string id = jobs.add();
    REQUIRE(first.step().value() == 1);
    CHECK(jobs.lease_end(id) == kNow + kLease);
    // Twice at least while a lease lasts, so that one heartbeat may fail.
    for (int renewals = 1; renewals <= 4; ++renewals) {
        jobs.clock += kLease / 2 - 1;
        REQUIRE(first.step().has_value());
        CHECK(jobs.lease_end(id) == jobs.clock + kLease);
    }
    const std::int64_t end = jobs.lease_end(id);
    jobs.clock = end - 1;
    CHECK(second.step().value() == 0);
    CHECK(jobs.record(id).server == "s1");
    work.may_end = false;
    jobs.clock = end;
    CHECK(second.step().value() == 1);
    CHECK(jobs.record(id).server == "s2");
    CHECK(jobs.record(id).attempts == 2);
    // The first one may not take it back, whatever it still does with it.
    REQUIRE(first.step().has_value());
    work.may_end = true;
    CHECK(jobs.state_after_run(id) == JobState::finished);
    CHECK(jobs.record(id).result == Json{{"attempt", 2}});
    CHECK(work.runs == 2);
}

TEST_CASE("a failure is repeated exactly when its kind may pass") {
    using enum ErrorKind;
    for (const ErrorKind kind :
         {invalid, unauthenticated, forbidden, not_found, method_unknown, conflict,
          precondition_failed, too_large, unsupported, locked, limited, internal, unimplemented,
          unavailable, timed_out, storage_full}) {
        INFO("kind " << static_cast<int>(kind));
        const bool may_pass = kind == unavailable || kind == timed_out || kind == limited;
        Rounds jobs;
        JobRunner runner(jobs.engine, jobs.options("s1"));
        runner.define({.name = "export", .run = [kind](Job&) -> Result<Json> {
                           return stele::sdk::make_error(kind, "a.b", "no answer");
                       }});
        const std::string id = jobs.add();
        REQUIRE(runner.step().value() == 1);
        CHECK(jobs.state_after_run(id) == (may_pass ? JobState::awaiting : JobState::error));
        CHECK(jobs.record(id).attempts == 1);
    }
}

TEST_CASE("the pause before the next attempt is a second, then four times as long, up to 5 min") {
    Rounds jobs;
    JobRunner runner(jobs.engine, jobs.options("s1"));
    runner.define({.name = "export", .run = [](Job&) -> Result<Json> {
                       return stele::sdk::make_error(ErrorKind::timed_out, "a.b", "no answer");
                   }});
    const std::string id = jobs.add("export", 8);
    for (const std::int64_t pause : {1000, 4000, 16'000, 64'000, 256'000, 300'000, 300'000}) {
        INFO("a pause of " << pause);
        REQUIRE(runner.step().value() == 1);
        REQUIRE(jobs.state_after_run(id) == JobState::awaiting);
        jobs.clock += pause - 1;
        CHECK(runner.step().value() == 0);
        jobs.clock += 1;
    }
    REQUIRE(runner.step().value() == 1);
    CHECK(jobs.state_after_run(id) == JobState::error);
    CHECK(jobs.record(id).attempts == 8);
}

TEST_CASE("all jobs that rested are woken without a pause, however many they are") {
    Rounds jobs;
    jobs.store =
        JobStore([](const stele::sdk::Reader&, std::uint64_t) -> Result<bool> { return false; });
    for (int i = 0; i < 250; ++i)
        jobs.add();
    while (jobs.count_keys(resting_range()) < 250)
        CHECK_FALSE(jobs.claim());
    JobRunnerOptions options = jobs.options("s1");
    options.period = std::chrono::hours(1);
    JobRunner runner(jobs.engine, options);
    // Some in each round; no timer passes between them.
    for (int round = 0; round < 3; ++round)
        REQUIRE(runner.step().has_value());
    CHECK(jobs.count_keys(resting_range()) == 0);
}

TEST_CASE("an idle runner sleeps until the next job is due, and no longer than its period") {
    Rounds jobs;
    JobRunnerOptions options = jobs.options("s1");
    options.period = std::chrono::seconds(5);
    JobRunner runner(jobs.engine, options);
    LongWork work;
    work.may_end = true;
    runner.define(work.type());
    REQUIRE(runner.step().value() == 0);
    CHECK(runner.patience() == std::chrono::milliseconds(5000));
    jobs.add("export", 3, kNow + 9000);
    REQUIRE(runner.step().value() == 0);
    CHECK(runner.patience() == std::chrono::milliseconds(5000));
    const std::string next = jobs.add("export", 3, kNow + 1200);
    jobs.add("export", 3, kNow + 4000);
    REQUIRE(runner.step().value() == 0);
    CHECK(runner.patience() == std::chrono::milliseconds(1200));
    jobs.clock += 1000;
    CHECK(runner.patience() == std::chrono::milliseconds(200));
    jobs.clock += 300;
    CHECK(runner.patience() == std::chrono::milliseconds(0));
    REQUIRE(runner.step().value() == 1);
    CHECK(jobs.state_after_run(next) == JobState::finished);
    CHECK(runner.patience() == std::chrono::milliseconds(2700));
}
