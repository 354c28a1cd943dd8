#include "kernel/job/job_record.hpp"

#include "kernel/job/job_store_test_fixture.hpp"

using namespace stele::kernel::job;
using namespace stele::kernel::job::testing;
using stele::sdk::JobLogLevel;

TEST_CASE("a job shows both sets of names, its input and who started it") {
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
    for (const char* name : {"runAsPrincipal", "runAsPrincipalId"})
        CHECK(text(name) == "u1");
    for (const char* name : {"runAsPrincipalDomain", "runAsPrincipalDomainId"})
        CHECK(text(name) == "d1");
    CHECK(job.at("current_server_timestmap").at("ms").get<std::int64_t>() == kNow);
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

TEST_CASE("a record's bytes keep everything, keys of any bytes included") {
    StoredJobs fixture;
    const JobRecord record = fixture.record(fixture.add());
    CHECK(record.platform.root == std::string("\0\xff", 2));
    CHECK(record.run_as.key == "\x01\x80");
    CHECK(record.platform.number == kJobPlatform);
    CHECK(record.input == Json{{"path", "/a"}});
    CHECK(decode_job("{}").error().code == "job.record_broken");
    CHECK(decode_job("rubbish").error().code == "job.record_broken");
}

TEST_CASE("a record's bytes keep who acts through the session that started the job") {
    StoredJobs fixture;
    JobRecord record = fixture.record(fixture.add());
    CHECK(record.run_as.actors.empty());
    record.run_as.actors = {"\x01\x81", std::string("\0\xfe", 2)};
    CHECK(decode_job(encode_job(record)).value().run_as.actors == record.run_as.actors);
    Json before = Json::parse(encode_job(record));
    before.at("run_as").erase("actors");
    CHECK(decode_job(before.dump()).value().run_as.actors.empty());
}

TEST_CASE("a result lies under _result and among the members, but changes no other member") {
    StoredJobs fixture;
    const std::string id = fixture.add();
    const auto claim = fixture.claim();
    const Json result{{"imports", Json::array({1})}, {"state", "X"}, {"error", "e"}, {"ok", true}};
    REQUIRE(fixture
                .write([&](Transaction& transaction) {
                    return fixture.store.finish(transaction, *claim, result, {}, kNow + 5);
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

TEST_CASE("a failure's message goes to the log entries and not to a member error") {
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
    for (const char* name : {"type", "level"})
        CHECK(job.at("log_entries")[0].at(name) == "ERROR");
    CHECK(job.at("log_entries")[0].at("message") == "no such vault");
    CHECK(job.at("log_entries")[0].at("stacktrace") == Json::array());
    CHECK_FALSE(job.contains("error"));
}

TEST_CASE(
    "a record without the members of later versions is one that neither rested nor returned") {
    StoredJobs jobs;
    Json stored = stele::sdk::parse_json(encode_job(jobs.record(jobs.add()))).value();
    for (const char* later : {"given_back", "resting"})
        REQUIRE(stored.erase(later) == 1);
    const auto record = decode_job(stele::sdk::dump_json(stored));
    REQUIRE(record.has_value());
    CHECK(record->given_back == 0);
    CHECK_FALSE(record->is_resting);
}

TEST_CASE("a job whose keys are no hexadecimal text cannot be read") {
    StoredJobs jobs;
    const std::string id = jobs.add();
    for (const auto& [object, member] :
         {std::pair("platform", "root"), std::pair("run_as", "key")}) {
        for (const char* key : {"0", "0G", "0A"}) {
            Json stored = stele::sdk::parse_json(encode_job(jobs.record(id))).value();
            stored[object][member] = key;
            const auto record = decode_job(stele::sdk::dump_json(stored));
            REQUIRE_FALSE(record.has_value());
            CHECK(record.error().code == "job.record_broken");
        }
    }
}

TEST_CASE("a log is bounded, says so, and keeps room for the reason of the end") {
    JobRecord record;
    for (std::size_t i = 0; i < 2 * JobRecord::kMaxLogEntries; ++i) {
        record.add_log(kNow, JobLogLevel::status, "x");
    }
    CHECK(record.log_entries.size() == JobRecord::kMaxLogEntries - 1);
    record.add_log(kNow, JobLogLevel::error, "why");
    CHECK(record.log_entries.back().at("message") == "why");
    CHECK(job_json(record).at("log_truncated") == true);
}

TEST_CASE("ids are 20 hexadecimal digits and grow") {
    std::string last;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = new_job_id(kNow + i / 100);
        CHECK(id.size() == 20);
        CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
        CHECK(id > last);
        last = id;
    }
}
