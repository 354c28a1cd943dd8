#include "kernel/job/job_store.hpp"

#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_store_test_fixture.hpp"

using namespace stele::kernel::job;
using namespace stele::kernel::job::testing;
using stele::sdk::commit_and_wait;
using stele::sdk::JobState;

TEST_CASE("a claimed job runs and nobody else gets it") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    REQUIRE(claim.has_value());
    CHECK(claim->id == id);
    CHECK(fixture.record(id).state == JobState::running);
    CHECK(fixture.record(id).attempts == 1);
    CHECK(fixture.record(id).server == "s1");
    CHECK_FALSE(fixture.claim("s2").has_value());
    CHECK(fixture.recover(kNow + kLease - 1) == 0);
}

TEST_CASE("jobs are claimed in the order in which they came, and only of types one can run") {
    StoredJobs fixture;
    const std::string other = fixture.add("import");
    const std::string first = fixture.add();
    const std::string second = fixture.add();
    CHECK(fixture.claim()->id == first);
    CHECK(fixture.claim()->id == second);
    CHECK_FALSE(fixture.claim().has_value());
    CHECK(fixture.record(other).state == JobState::waiting);
    CHECK(fixture.claim("s1", kNow, "import")->id == other);
}

TEST_CASE("of two servers that claim the same job at once, one gets it") {
    StoredJobs fixture;
    fixture.add();
    const JobWishes any{[](std::string_view) { return true; }};
    const auto one = fixture.engine.begin();
    const auto two = fixture.engine.begin();
    REQUIRE(fixture.store.claim(*one, "s1", any, kNow, kNow + kLease).value().has_value());
    REQUIRE(fixture.store.claim(*two, "s2", any, kNow, kNow + kLease).value().has_value());
    CHECK(commit_and_wait(*one).has_value());
    CHECK(commit_and_wait(*two).error().code == "engine.conflict");
}

TEST_CASE("a job for later is NONE until its time has come") {
    StoredJobs fixture;
    const std::string id = fixture.add("export", 3, kNow + 1000);
    CHECK(fixture.record(id).state == JobState::none);
    CHECK_FALSE(fixture.claim("s1", kNow + 999).has_value());
    CHECK(fixture.claim("s1", kNow + 1000).has_value());
}

TEST_CASE("a job whose server died is taken over, and the old server has lost it") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto dead = fixture.claim("s1");
    CHECK(fixture.recover(kNow + kLease) == 1);
    CHECK(fixture.record(id).state == JobState::waiting);
    const auto heir = fixture.claim("s2", kNow + kLease);
    REQUIRE(heir.has_value());
    CHECK(fixture.record(id).attempts == 2);
    CHECK(fixture.record(id).server == "s2");
    fixture.check_lost(*dead);
    CHECK(fixture.store.confirm(*fixture.engine.snapshot(), *heir).has_value());
}

TEST_CASE("a server that was only slow and gets its own job back holds the new claim only") {
    StoredJobs fixture;
    fixture.add();
    const auto before = fixture.claim("s1");
    fixture.recover(kNow + kLease);
    const auto after = fixture.claim("s1", kNow + kLease);
    REQUIRE(after.has_value());
    fixture.check_lost(*before);
}

TEST_CASE("a job that was begun as often as it may fails when its server dies") {
    StoredJobs fixture;
    const std::string id = fixture.add("export", 1);
    fixture.claim();
    CHECK(fixture.recover(kNow + kLease) == 1);
    CHECK(fixture.record(id).state == JobState::error);
    const std::string message = fixture.record(id).log_entries[0].at("message").get<std::string>();
    CHECK_THAT(message, Catch::Contains("s1 died"));
    CHECK_FALSE(fixture.claim("s2", kNow + kLease).has_value());
}

TEST_CASE("a heartbeat keeps the job and is no conflict for a transaction that confirmed it") {
    StoredJobs fixture;
    fixture.add();
    const auto claim = fixture.claim();
    const auto work = fixture.engine.begin();
    REQUIRE(fixture.store.confirm(*work, *claim).has_value());
    work->put("result", "x");
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.renew(transaction, *claim, kNow + 2 * kLease);
                })
                .has_value());
    CHECK(fixture.recover(kNow + kLease) == 0);
    CHECK(commit_and_wait(*work).has_value());
    CHECK(fixture.recover(kNow + 2 * kLease) == 1);
}

TEST_CASE("a killed job is ERROR at once, and what its runner has not committed is lost") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    const auto work = fixture.engine.begin();
    REQUIRE(fixture.store.confirm(*work, *claim).has_value());
    work->put("result", "x");
    const auto kill = [&](Transaction& transaction) {
        return fixture.store.kill(transaction, kJobPlatform, id, "joe", kNow + 1);
    };
    REQUIRE(fixture.write(kill).has_value());
    CHECK(fixture.record(id).state == JobState::error);
    CHECK(fixture.record(id).log_entries[0].at("message") == "killed by joe");
    CHECK(commit_and_wait(*work).error().code == "engine.conflict");
    fixture.check_lost(*claim);
    CHECK(fixture.write(kill).has_value());
    CHECK(fixture.record(id).log_entries.size() == 1);
}

TEST_CASE("a waiting job that is killed never runs") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.kill(transaction, kJobPlatform, id, "", kNow);
                })
                .has_value());
    CHECK_FALSE(fixture.claim().has_value());
    CHECK(fixture.store.kill(*fixture.engine.begin(), kJobPlatform, "nobody", "", kNow)
              .error()
              .code == "job.unknown");
}

TEST_CASE("a job that is tried again waits as AWAITING and fails when no attempt is left") {
    StoredJobs fixture;
    const std::string id = fixture.add("export", 2);
    const auto repeat = [&](const JobClaim& claim, std::int64_t now) {
        REQUIRE(fixture
                    .write([&](Transaction& transaction) {
                        return fixture.store.repeat(transaction, claim, "busy", now + 1000, now);
                    })
                    .has_value());
    };
    repeat(*fixture.claim(), kNow);
    CHECK(fixture.record(id).state == JobState::awaiting);
    CHECK_FALSE(fixture.claim("s1", kNow + 999).has_value());
    repeat(*fixture.claim("s1", kNow + 1000), kNow + 1000);
    CHECK(fixture.record(id).state == JobState::error);
    CHECK(fixture.record(id).attempts == 2);
}

TEST_CASE("a job that is given back has lost no attempt, unless it must not be repeated") {
    StoredJobs fixture;
    const std::string repeatable = fixture.add("export", 3);
    const auto give_back = [&](const JobClaim& claim) {
        REQUIRE(fixture
                    .write([&](Transaction& transaction) {
                        return fixture.store.give_back(transaction, claim, "the server stopped",
                                                       kNow);
                    })
                    .has_value());
    };
    give_back(*fixture.claim());
    CHECK(fixture.record(repeatable).state == JobState::waiting);
    CHECK(fixture.record(repeatable).used_attempts() == 0);
    CHECK(fixture.record(repeatable).attempts == 1);
    const std::string once = fixture.add("once", 1);
    give_back(*fixture.claim("s1", kNow, "once"));
    CHECK(fixture.record(once).state == JobState::error);
}

TEST_CASE("jobs are found by their states, oldest first") {
    StoredJobs fixture;
    const std::string a = fixture.add();
    const std::string b = fixture.add("import");
    const std::string c = fixture.add();
    fixture.claim();
    using Ids = std::vector<std::string>;
    CHECK(fixture.ids({}) == Ids{a, b, c});
    CHECK(fixture.ids({JobState::running}) == Ids{a});
    CHECK(fixture.ids({JobState::waiting}) == Ids{b, c});
    CHECK(fixture.ids({JobState::waiting, JobState::running}) == Ids{a, b, c});
    CHECK(fixture.ids({JobState::finished}).empty());
}

TEST_CASE("progress that is written meanwhile is no conflict for what ends the job") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    const auto ending = fixture.engine.begin();
    REQUIRE(fixture.store.confirm(*ending, *claim));
    REQUIRE(fixture.write([&](Transaction& transaction) {
        return fixture.store.save_progress(
            transaction, *claim, {.done = 3, .total = 7, .bytes = 30, .total_bytes = 70}, 1'500);
    }));
    const JobRecord running = *fixture.store.read(*fixture.engine.snapshot(), kJobPlatform, id);
    CHECK(running.progress.done == 3);
    CHECK(running.progress.total == 7);
    CHECK(running.progress.bytes == 30);
    CHECK(running.progress.total_bytes == 70);
    CHECK(running.remaining_ms == 1'500);
    REQUIRE(fixture.store.save_progress(*ending, *claim, {.done = 5, .total = 7}, 0));
    REQUIRE(fixture.store.finish(*ending, *claim, Json::object(), {"a line"}, kNow));
    CHECK(stele::sdk::commit_and_wait(*ending));
    const JobRecord ended = *fixture.store.read(*fixture.engine.snapshot(), kJobPlatform, id);
    CHECK(ended.progress.done == 7);
    CHECK(ended.log_entries.size() == 1);
}

TEST_CASE("jobs that ended long ago are forgotten without a trace") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.finish(transaction, *claim, Json::object(), {}, kNow);
                })
                .has_value());
    const auto forget = [&](std::int64_t before) {
        int count = 0;
        REQUIRE(fixture
                    .write([&](Transaction& transaction) -> Result<void> {
                        count = fixture.store.forget_ended(transaction, before, 10).value();
                        return {};
                    })
                    .has_value());
        return count;
    };
    CHECK(forget(kNow) == 0);
    CHECK(fixture.ids({}).size() == 1);
    CHECK(forget(kNow + 1) == 1);
    CHECK(fixture.count_keys() == 0);
}

TEST_CASE("a record that cannot be read keeps no other job from running") {
    StoredJobs fixture;
    const std::string broken = fixture.add();
    const std::string sound = fixture.add();
    REQUIRE(fixture
                .write([&](Transaction& transaction) -> Result<void> {
                    transaction.put(record_path(kJobPlatform, broken), "rubbish");
                    return {};
                })
                .has_value());
    CHECK(fixture.claim()->id == sound);
    CHECK_FALSE(fixture.claim().has_value());
}
