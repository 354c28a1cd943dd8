#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_store_test_fixture.hpp"

using namespace stele::kernel::job;
using namespace stele::kernel::job::testing;
using stele::sdk::JobState;

TEST_CASE("a job of a platform that is closed rests, and is not its runner's meanwhile") {
    StoredJobs jobs;
    bool is_open = false;
    jobs.store = JobStore([&](const stele::sdk::Reader&, std::uint64_t platform) -> Result<bool> {
        return is_open || platform != kJobPlatform;
    });
    const std::string id = jobs.add();
    CHECK_FALSE(jobs.claim());
    is_open = true;
    CHECK(jobs.wake() == 1);
    const auto held = jobs.claim();
    REQUIRE(held);
    is_open = false;
    const auto confirmed = jobs.store.confirm(*jobs.engine.snapshot(), *held);
    REQUIRE(confirmed.has_error());
    CHECK(confirmed.error().code == "job.lost");
    // Its runner can still keep it from others and put it back.
    for (const auto& settle : std::vector<std::function<Result<void>(Transaction&)>>{
             [&](Transaction& to) { return jobs.store.renew(to, *held, kNow + 2 * kLease); },
             [&](Transaction& to) { return jobs.store.give_back(to, *held, "closed", kNow); }}) {
        CHECK(jobs.write(settle).has_value());
    }
    CHECK(jobs.record(id).state == JobState::waiting);
    CHECK(jobs.record(id).used_attempts() == 0);
    CHECK_FALSE(jobs.claim());
    CHECK(jobs.wake() == 0);
    is_open = true;
    CHECK(jobs.wake() == 1);
    CHECK(jobs.claim());
}

TEST_CASE("jobs that rest are in nobody's way, and run in their order when they wake") {
    StoredJobs jobs;
    bool is_open = false;
    jobs.store = JobStore([&](const stele::sdk::Reader&, std::uint64_t platform) -> Result<bool> {
        return is_open || platform == kJobPlatform;
    });
    std::vector<std::string> resting;
    for (int i = 0; i < 250; ++i)
        resting.push_back(jobs.add("export", 3, 0, 8));
    const std::string runs = jobs.add();
    std::optional<JobClaim> held;
    for (int tries = 0; tries < 3 && !held; ++tries)
        held = jobs.claim();
    REQUIRE(held);
    CHECK(held->id == runs);
    CHECK(jobs.count_keys(queue_range()) == 0);
    CHECK(jobs.wake() == 0);
    CHECK_FALSE(jobs.claim());

    REQUIRE(jobs.write([&](Transaction& transaction) {
                    return jobs.store.kill(transaction, 8, resting.front(), "joe", kNow);
                })
                .has_value());
    resting.erase(resting.begin());
    is_open = true;
    int woken = 0;
    for (int some = jobs.wake(); some > 0; some = jobs.wake())
        woken += some;
    CHECK(woken == 249);
    CHECK(jobs.count_keys(resting_range()) == 0);
    for (const std::string& id : resting)
        CHECK(jobs.claim()->id == id);
    CHECK_FALSE(jobs.claim());
}

TEST_CASE("jobs of a removed platform are forgotten without a trace, whatever their state") {
    StoredJobs jobs;
    bool is_open = true;
    jobs.store =
        JobStore([&](const stele::sdk::Reader&, std::uint64_t) -> Result<bool> { return is_open; });
    jobs.add("export", 3, kNow + 1);
    const std::string running = jobs.add();
    const auto held = jobs.claim();
    REQUIRE(held);
    REQUIRE(held->id == running);
    const std::string ended = jobs.add();
    REQUIRE(jobs.write([&](Transaction& transaction) {
                    return jobs.store.kill(transaction, kJobPlatform, ended, "joe", kNow);
                })
                .has_value());
    const auto forget = [&](std::uint64_t platform) {
        int forgotten = 0;
        REQUIRE(jobs.write([&](Transaction& transaction) -> Result<void> {
                        forgotten = jobs.store.forget_platform(transaction, platform, 2).value();
                        return {};
                    })
                    .has_value());
        return forgotten;
    };
    const int keys = jobs.count_keys();
    CHECK(forget(kJobPlatform + 1) == 0);
    CHECK(jobs.count_keys() == keys);
    is_open = false;
    jobs.add();
    CHECK_FALSE(jobs.claim());
    CHECK(jobs.count_keys(resting_range()) == 1);
    CHECK(forget(kJobPlatform) == 2);
    CHECK(forget(kJobPlatform) == 2);
    CHECK(jobs.count_keys() == 0);
    jobs.check_lost(*held);
}
