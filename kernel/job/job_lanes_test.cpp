// Whose job is next, and how many of a kind run at the same time.
#include <atomic>
#include <thread>

#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_runner.hpp"
#include "kernel/job/job_store_test_fixture.hpp"

using namespace stele::kernel::job;
using namespace stele::kernel::job::testing;
using stele::sdk::ErrorKind;
using stele::sdk::Job;
using stele::sdk::JobState;
using stele::sdk::JobType;

namespace {

constexpr char kLane[] = "transfers";

struct Lanes : StoredJobs {
    std::atomic<std::int64_t> clock = kNow;

    JobRunnerOptions options(std::size_t threads) {
        JobRunnerOptions chosen;
        chosen.server = "s1";
        chosen.threads = threads;
        chosen.lease = std::chrono::milliseconds(kLease);
        chosen.period = std::chrono::milliseconds(0);
        chosen.clock = [this] { return clock.load(); };
        return chosen;
    }

    std::string start(const std::string& starter, const std::string& type = "export",
                      const std::string& lane = kLane, std::int64_t due = 0) {
        JobRecord record;
        record.id = new_job_id(kNow);
        record.type = type;
        record.lane = lane;
        record.platform = {kJobPlatform, "platform-id", "root"};
        record.run_as.key = starter;
        record.due_ms = due;
        record.most_attempts = 3;
        REQUIRE(write([&](Transaction& transaction) {
                    return store.insert(transaction, record, kNow);
                }).has_value());
        return record.id;
    }

    /// Claims what there is, one job after the other; answers who had started them.
    std::string turns(JobWishes wishes = {}) {
        std::string starters;
        if (!wishes.is_wanted) wishes.is_wanted = [](std::string_view) { return true; };
        while (true) {
            std::optional<JobClaim> claim;
            REQUIRE(write([&](Transaction& transaction) -> Result<void> {
                        claim =
                            store.claim(transaction, "s1", wishes, clock, clock + kLease).value();
                        return {};
                    }).has_value());
            if (!claim) return starters;
            starters += claim->starter;
            wishes.last_starters[claim->lane] = claim->starter;
            wishes.last_lane = claim->lane;
        }
    }

    JobState state(const std::string& id) { return record(id).state; }
    void await(const std::string& id, JobState wanted) {
        while (state(id) != wanted)
            std::this_thread::yield();
    }
};

/// Work that goes on until the test ends it, and counts how much of it runs.
struct HeldWork {
    std::atomic<int> running = 0;
    std::atomic<bool> may_end = false;

    JobType type(const std::string& name, const std::string& lane, std::size_t width) {
        return {.name = name,
                .run = [this](Job& job) -> Result<Json> {
                    ++running;
                    while (!may_end && !job.must_stop())
                        std::this_thread::yield();
                    --running;
                    return Json::object();
                },
                .lane = lane,
                .lane_width = width};
    }
};

}  // namespace

TEST_CASE("those who started jobs take turns, however many each of them has") {
    Lanes jobs;
    for (int i = 0; i < 4; ++i)
        jobs.start("a");
    for (int i = 0; i < 2; ++i)
        jobs.start("c");
    jobs.start("b");
    CHECK(jobs.turns() == "abcacaa");
}

TEST_CASE("the turn goes on from the one who had it last, who may have nothing left") {
    Lanes jobs;
    for (const char* starter : {"a", "a", "b", "d", "d"})
        jobs.start(starter);
    JobWishes wishes;
    wishes.last_starters[kLane] = "c";
    CHECK(jobs.turns(wishes) == "dabda");
}

TEST_CASE("the jobs of one person run in their order, and none before its time") {
    Lanes jobs;
    const std::string later = jobs.start("a", "export", kLane, kNow + 1000);
    const std::string first = jobs.start("a");
    const std::string second = jobs.start("a");
    JobWishes wishes{[](std::string_view) { return true; }};
    const auto claim = [&] {
        std::optional<JobClaim> taken;
        REQUIRE(jobs.write([&](Transaction& transaction) -> Result<void> {
                        taken =
                            jobs.store
                                .claim(transaction, "s1", wishes, jobs.clock, jobs.clock + kLease)
                                .value();
                        return {};
                    })
                    .has_value());
        return taken ? taken->id : std::string();
    };
    CHECK(claim() == first);
    CHECK(claim() == second);
    CHECK(claim().empty());
    jobs.clock += 1000;
    CHECK(claim() == later);
}

TEST_CASE("who has only jobs whose time has not come lets the next one have the turn") {
    Lanes jobs;
    jobs.start("a", "export", kLane, kNow + 1000);
    jobs.start("b");
    jobs.start("c", "export", kLane, kNow + 1000);
    jobs.start("d");
    CHECK(jobs.turns() == "bd");
    jobs.clock += 1000;
    CHECK(jobs.turns() == "ac");
}

TEST_CASE("starters of any bytes have a place in the queue of their own") {
    Lanes jobs;
    const std::vector<std::string> starters{"", std::string("\0", 1), std::string("\0\xff", 2),
                                            "\xff", "\xff\xff"};
    for (const std::string& starter : starters) {
        jobs.start(starter);
        jobs.start(starter);
    }
    std::string expected;
    for (int round = 0; round < 2; ++round) {
        for (const std::string& starter : starters)
            expected += starter;
    }
    CHECK(jobs.turns() == expected);
    CHECK(jobs.count_keys(queue_range()) == 0);
}

TEST_CASE("a full lane is passed over, and the others take turns") {
    Lanes jobs;
    jobs.start("a");
    for (int i = 0; i < 2; ++i) {
        jobs.start("b", "index", "");
        jobs.start("c", "index", "other");
    }
    JobWishes wishes;
    wishes.has_room = [](std::string_view lane) { return lane != kLane; };
    CHECK(jobs.turns(wishes) == "bcbc");
    CHECK(jobs.turns() == "a");
}

TEST_CASE("what waits in a lane, for however long, keeps no job of another one behind all of it") {
    for (const bool is_first : {false, true}) {
        CAPTURE(is_first);
        Lanes jobs;
        const std::string backlog = is_first ? "" : kLane;
        const std::string other = is_first ? kLane : "";
        for (int i = 0; i < 5; ++i)
            jobs.start("a", "rule", backlog, kNow - 1000);
        jobs.start("b", "export", other);
        jobs.start("b", "export", other);
        CHECK(jobs.turns().starts_with(is_first ? "abab" : "baba"));
    }
}

TEST_CASE("a runner remembers whose turn was last") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(3));
    runner.define(work.type("export", kLane, 2));
    for (int i = 0; i < 3; ++i)
        jobs.start("a");
    const std::string other = jobs.start("b");
    CHECK(runner.step().value() == 2);
    CHECK(jobs.state(other) == JobState::running);
    work.may_end = true;
}

TEST_CASE("a runner remembers which lane had its turn") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(3));
    runner.define(work.type("rule", "", 0));
    runner.define(work.type("export", kLane, 2));
    for (int i = 0; i < 5; ++i)
        jobs.start("a", "rule", "", kNow - 1000);
    const std::string other = jobs.start("b", "export", kLane);
    CHECK(runner.step().value() == 3);
    CHECK(jobs.state(other) == JobState::running);
    work.may_end = true;
}

TEST_CASE("no more jobs of a lane run at the same time than it is wide, whatever their kinds") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(8));
    runner.define(work.type("export", kLane, 2));
    runner.define(work.type("import", kLane, 2));
    runner.define(work.type("index", "", 0));
    std::vector<std::string> ids;
    for (const char* kind : {"export", "import", "export", "import"})
        ids.push_back(jobs.start("a", kind));
    CHECK(runner.step().value() == 2);
    CHECK(runner.step().value() == 0);
    CHECK(jobs.state(ids[2]) == JobState::waiting);
    CHECK(jobs.state(ids[3]) == JobState::waiting);
    // Others have their threads.
    const std::string other = jobs.start("a", "index", "");
    CHECK(runner.step().value() == 1);
    CHECK(jobs.state(other) == JobState::running);
    work.may_end = true;
    for (const std::string& id : {ids[0], ids[1], other})
        jobs.await(id, JobState::finished);
    while (jobs.state(ids[2]) != JobState::finished || jobs.state(ids[3]) != JobState::finished)
        REQUIRE(runner.step().has_value());
}

TEST_CASE("what runs in other lanes takes no room in a lane") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(8));
    runner.define(work.type("export", kLane, 2));
    runner.define(work.type("index", "", 0));
    for (int i = 0; i < 3; ++i)
        jobs.start("a", "index", "");
    CHECK(runner.step().value() == 3);
    for (int i = 0; i < 3; ++i)
        jobs.start("a");
    CHECK(runner.step().value() == 2);
    work.may_end = true;
}

TEST_CASE("a lane leaves a thread for other jobs where there are several, and has the only one") {
    for (const std::size_t threads : {1, 2, 4}) {
        CAPTURE(threads);
        Lanes jobs;
        HeldWork work;
        JobRunner runner(jobs.engine, jobs.options(threads));
        runner.define(work.type("export", kLane, 100));
        runner.define(work.type("index", "", 0));
        std::vector<std::string> ids;
        for (int i = 0; i < 6; ++i)
            ids.push_back(jobs.start("a"));
        CHECK(runner.step().value() == (threads == 1 ? 1 : static_cast<int>(threads) - 1));
        jobs.start("a", "index", "");
        CHECK(runner.step().value() == (threads == 1 ? 0 : 1));
        work.may_end = true;
    }
}

TEST_CASE("a job that waits for its lane is killed at once and never runs") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(4));
    runner.define(work.type("export", kLane, 1));
    const std::string first = jobs.start("a");
    const std::string waiting = jobs.start("a");
    REQUIRE(runner.step().value() == 1);
    REQUIRE(jobs.write([&](Transaction& transaction) {
                    return jobs.store.kill(transaction, kJobPlatform, waiting, "joe", kNow);
                })
                .has_value());
    CHECK(jobs.state(waiting) == JobState::error);
    CHECK(jobs.count_keys(queue_range()) == 0);
    work.may_end = true;
    jobs.await(first, JobState::finished);
    CHECK(runner.step().value() == 0);
    CHECK(jobs.record(waiting).attempts == 0);
}

TEST_CASE("a job that is given back, or comes from a dead server, waits in its lane again") {
    Lanes jobs;
    jobs.start("a");
    const JobWishes wishes{[](std::string_view) { return true; }};
    const auto claim = [&] {
        std::optional<JobClaim> taken;
        REQUIRE(
            jobs.write([&](Transaction& transaction) -> Result<void> {
                    taken =
                        jobs.store.claim(transaction, "s1", wishes, kNow, kNow + kLease).value();
                    return {};
                })
                .has_value());
        return taken.value();
    };
    const JobClaim given_back = claim();
    CHECK(jobs.count_keys(lane_range(kLane)) == 0);
    REQUIRE(jobs.write([&](Transaction& transaction) {
                    return jobs.store.give_back(transaction, given_back, "the server stopped",
                                                kNow);
                })
                .has_value());
    CHECK(jobs.count_keys(starter_range(kLane, "a")) == 1);
    (void)claim();
    CHECK(jobs.recover(kNow + kLease) == 1);
    CHECK(jobs.count_keys(starter_range(kLane, "a")) == 1);
    CHECK(jobs.count_keys(queue_range()) == 1);
}

TEST_CASE("kinds of one lane agree about its width") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(4));
    runner.define(work.type("export", kLane, 2));
    CHECK_THROWS_AS(runner.define(work.type("import", kLane, 3)), std::logic_error);
}

TEST_CASE("who could not write for longer than a lease goes on with its jobs when it can again") {
    Lanes jobs;
    HeldWork work;
    JobRunner runner(jobs.engine, jobs.options(2));
    runner.define(work.type("export", kLane, 1));
    const std::string id = jobs.start("a");
    REQUIRE(runner.step().value() == 1);
    // A full disk, for three leases.
    for (int thirds = 1; thirds <= 9; ++thirds) {
        jobs.clock += kLease / 3;
        jobs.engine.refuse_commits(
            1, stele::sdk::make_error(ErrorKind::storage_full, "engine.disk_full", "full"));
        CHECK(runner.step().has_error());
    }
    jobs.clock += 1;
    CHECK(runner.step().value() == 0);
    CHECK(jobs.state(id) == JobState::running);
    work.may_end = true;
    jobs.await(id, JobState::finished);
    CHECK(jobs.record(id).attempts == 1);
    CHECK(jobs.record(id).log_entries.empty());
}
