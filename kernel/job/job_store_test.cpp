#include "kernel/job/job_store.hpp"

#include <catch2/catch.hpp>

#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_record.hpp"
#include "sdk/testing/memory_engine.hpp"

using namespace stele::kernel::job;
using stele::sdk::commit_and_wait;
using stele::sdk::JobLogLevel;
using stele::sdk::JobState;
using stele::sdk::Json;
using stele::sdk::KeyRange;
using stele::sdk::Result;
using stele::sdk::Transaction;
using stele::sdk::testing::MemoryEngine;

namespace {

constexpr std::int64_t kNow = 1'800'000'000'000;
constexpr std::int64_t kLease = 30'000;
constexpr std::uint64_t kJobPlatform = 7;

struct StoredJobs {
    MemoryEngine engine;
    JobStore store;

    Result<void> write(const std::function<Result<void>(Transaction&)>& work) {
        return stele::sdk::write_with_retry(engine, work);
    }

    std::string add(const std::string& type = "export", int most_attempts = 3, std::int64_t due = 0,
                    std::uint64_t platform = kJobPlatform) {
        JobRecord record;
        record.id = new_job_id(kNow);
        record.type = type;
        record.platform = {platform, "platform-id", std::string("\0\xff", 2)};
        record.run_as.key = "\x01\x80";
        record.run_as.id = "u1";
        record.run_as.name = "joe";
        record.run_as.domain_id = "d1";
        record.most_attempts = most_attempts;
        record.due_ms = due;
        record.input = Json{{"path", "/a"}};
        REQUIRE(write([&](Transaction& transaction) {
                    return store.insert(transaction, record, kNow);
                }).has_value());
        return record.id;
    }

    std::optional<JobClaim> claim(const std::string& server = "s1", std::int64_t now = kNow,
                                  const std::string& type = "export") {
        const auto transaction = engine.begin();
        auto claimed = store.claim(
            *transaction, server, [&](std::string_view name) { return name == type; }, now,
            now + kLease);
        REQUIRE(claimed.has_value());
        REQUIRE(commit_and_wait(*transaction).has_value());
        return *claimed;
    }

    int recover(std::int64_t now) {
        int count = 0;
        REQUIRE(write([&](Transaction& transaction) -> Result<void> {
                    count = store.recover(transaction, now).value();
                    return {};
                }).has_value());
        return count;
    }

    int wake() {
        int count = 0;
        REQUIRE(write([&](Transaction& transaction) -> Result<void> {
                    count = store.wake(transaction, kNow).value();
                    return {};
                }).has_value());
        return count;
    }

    JobRecord record(const std::string& id) {
        return store.read(*engine.snapshot(), kJobPlatform, id).value();
    }

    std::vector<std::string> ids(const std::vector<JobState>& states) {
        std::vector<std::string> found;
        REQUIRE(store
                    .for_each(*engine.snapshot(), kJobPlatform, states,
                              [&](const JobRecord& job) {
                                  found.push_back(job.id);
                                  return true;
                              })
                    .has_value());
        return found;
    }

    int count_keys(const KeyRange& range = {}) {
        int count = 0;
        const auto reader = engine.snapshot();
        for (auto cursor = reader->scan(range, stele::sdk::ScanDirection::forward);
             cursor->is_valid(); cursor->next()) {
            ++count;
        }
        return count;
    }

    void check_lost(const JobClaim& claim) {
        const auto lost = [](const Result<void>& result) {
            return result.has_error() && result.error().code == "job.lost";
        };
        CHECK(lost(store.confirm(*engine.snapshot(), claim)));
        CHECK(lost(write([&](Transaction& transaction) {
            return store.renew(transaction, claim, kNow + 2 * kLease);
        })));
        CHECK(lost(write([&](Transaction& transaction) {
            return store.finish(transaction, claim, Json::object(), kNow);
        })));
        CHECK(lost(write(
            [&](Transaction& transaction) { return store.fail(transaction, claim, "x", kNow); })));
        CHECK(lost(write([&](Transaction& transaction) {
            return store.edit(
                transaction, claim, [](JobRecord&) {}, kNow);
        })));
    }
};

}  // namespace

TEST_CASE("A job shows both sets of names, its input and who started it") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const Json job = job_json(fixture.record(id));
    const auto text = [&](const char* name) { return job.at(name).get<std::string>(); };
    CHECK(text("_doc") == id);
    CHECK(text("job_id") == id);
    CHECK(text("type") == "export");
    CHECK(text("job_type") == "export");
    CHECK(text("state") == "WAITING");
    CHECK(text("job_state") == "WAITING");
    CHECK(text("platformId") == "platform-id");
    CHECK(text("submitted_by") == "joe");
    CHECK(text("runAsPrincipalId") == "u1");
    CHECK(text("runAsPrincipalDomainId") == "d1");
    CHECK(job.at("submitted_timestamp").at("ms").get<std::int64_t>() == kNow);
    CHECK(job.at("_system").at("created_on").at("ms").get<std::int64_t>() == kNow);
    CHECK(job.at("started") == false);
    CHECK(job.at("stopped") == false);
    CHECK(job.at("paused") == false);
    CHECK(job.at("_data") == Json{{"path", "/a"}});
    CHECK(job.at("_result") == Json::object());
    CHECK(job.at("log_entries") == Json::array());
    CHECK_FALSE(job.contains("error"));
    CHECK_FALSE(job.contains("ok"));
}

TEST_CASE("A record's bytes keep everything, keys of any bytes included") {
    StoredJobs fixture;
    const JobRecord record = fixture.record(fixture.add());
    CHECK(record.platform.root == std::string("\0\xff", 2));
    CHECK(record.run_as.key == "\x01\x80");
    CHECK(record.platform.number == kJobPlatform);
    CHECK(record.input == Json{{"path", "/a"}});
    CHECK(decode_job("{}").error().code == "job.record_broken");
    CHECK(decode_job("rubbish").error().code == "job.record_broken");
}

TEST_CASE("A result lies under _result and among the members, but changes no other member") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    const Json result{{"imports", Json::array({1})}, {"state", "X"}, {"error", "e"}, {"ok", true}};
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.finish(transaction, *claim, result, kNow + 5);
                })
                .has_value());
    const Json job = job_json(fixture.record(id));
    CHECK(job.at("_result") == result);
    CHECK(job.at("imports") == Json::array({1}));
    CHECK(job.at("state") == "FINISHED");
    CHECK_FALSE(job.contains("error"));
    CHECK_FALSE(job.contains("ok"));
    CHECK(job.at("stopped") == true);
    CHECK(job.at("stopped_timestamp").at("ms").get<std::int64_t>() == kNow + 5);
}

TEST_CASE("A failure's message goes to the log entries and not to a member error") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.fail(transaction, *claim, "no such vault", kNow);
                })
                .has_value());
    const Json job = job_json(fixture.record(id));
    CHECK(job.at("state") == "ERROR");
    REQUIRE(job.at("log_entries").size() == 1);
    CHECK(job.at("log_entries")[0].at("level") == "ERROR");
    CHECK(job.at("log_entries")[0].at("message") == "no such vault");
    CHECK_FALSE(job.contains("error"));
}

TEST_CASE("A claimed job runs and nobody else gets it") {
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

TEST_CASE("Jobs are claimed in the order in which they came, and only of types one can run") {
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

TEST_CASE("Of two servers that claim the same job at once, one gets it") {
    StoredJobs fixture;
    fixture.add();
    const auto any = [](std::string_view) { return true; };
    const auto one = fixture.engine.begin();
    const auto two = fixture.engine.begin();
    REQUIRE(fixture.store.claim(*one, "s1", any, kNow, kNow + kLease).value().has_value());
    REQUIRE(fixture.store.claim(*two, "s2", any, kNow, kNow + kLease).value().has_value());
    CHECK(commit_and_wait(*one).has_value());
    CHECK(commit_and_wait(*two).error().code == "engine.conflict");
}

TEST_CASE("A job for later is NONE until its time has come") {
    StoredJobs fixture;
    const std::string id = fixture.add("export", 3, kNow + 1000);
    CHECK(fixture.record(id).state == JobState::none);
    CHECK_FALSE(fixture.claim("s1", kNow + 999).has_value());
    CHECK(fixture.claim("s1", kNow + 1000).has_value());
}

TEST_CASE("A job whose server died is taken over, and the old server has lost it") {
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

TEST_CASE("A server that was only slow and gets its own job back holds the new claim only") {
    StoredJobs fixture;
    fixture.add();
    const auto before = fixture.claim("s1");
    fixture.recover(kNow + kLease);
    const auto after = fixture.claim("s1", kNow + kLease);
    REQUIRE(after.has_value());
    fixture.check_lost(*before);
}

TEST_CASE("A job that was begun as often as it may fails when its server dies") {
    StoredJobs fixture;
    const std::string id = fixture.add("export", 1);
    fixture.claim();
    CHECK(fixture.recover(kNow + kLease) == 1);
    CHECK(fixture.record(id).state == JobState::error);
    const std::string message = fixture.record(id).log_entries[0].at("message").get<std::string>();
    CHECK_THAT(message, Catch::Contains("s1 died"));
    CHECK_FALSE(fixture.claim("s2", kNow + kLease).has_value());
}

TEST_CASE("A heartbeat keeps the job and is no conflict for a transaction that confirmed it") {
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

TEST_CASE("A killed job is ERROR at once, and what its runner has not committed is lost") {
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

TEST_CASE("A waiting job that is killed never runs") {
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

TEST_CASE("A job that is tried again waits as AWAITING and fails when no attempt is left") {
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

TEST_CASE("A job that is given back has lost no attempt, unless it must not be repeated") {
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

TEST_CASE("Jobs are found by their states, oldest first") {
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

TEST_CASE("Jobs that ended long ago are forgotten without a trace") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.finish(transaction, *claim, Json::object(), kNow);
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

TEST_CASE("A job of a platform that is closed rests, and is not its runner's meanwhile") {
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

TEST_CASE("Jobs that rest are in nobody's way, and run in their order when they wake") {
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
    CHECK(jobs.count_keys(due_range(kNow)) == 0);
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

TEST_CASE(
    "A record without the members of later versions is one that neither rested nor returned") {
    StoredJobs jobs;
    Json stored = stele::sdk::parse_json(encode_job(jobs.record(jobs.add()))).value();
    for (const char* later : {"given_back", "resting"})
        REQUIRE(stored.erase(later) == 1);
    const auto record = decode_job(stele::sdk::dump_json(stored));
    REQUIRE(record.has_value());
    CHECK(record->given_back == 0);
    CHECK_FALSE(record->is_resting);
}

TEST_CASE("Jobs of a removed platform are forgotten without a trace, whatever their state") {
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

TEST_CASE("A record that cannot be read keeps no other job from running") {
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

TEST_CASE("A log is bounded, says so, and keeps room for the reason of the end") {
    JobRecord record;
    for (std::size_t i = 0; i < 2 * JobRecord::kMostLogEntries; ++i) {
        record.add_log(kNow, JobLogLevel::status, "x");
    }
    CHECK(record.log_entries.size() == JobRecord::kMostLogEntries - 1);
    record.add_log(kNow, JobLogLevel::error, "why");
    CHECK(record.log_entries.back().at("message") == "why");
    CHECK(job_json(record).at("log_truncated") == true);
}

TEST_CASE("Ids are 20 hexadecimal digits and grow") {
    std::string last;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = new_job_id(kNow + i / 100);
        CHECK(id.size() == 20);
        CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
        CHECK(id > last);
        last = id;
    }
}
