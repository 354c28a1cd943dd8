#include "kernel/job/job_service.hpp"

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include <catch2/catch.hpp>

#include <stele/sdk/encoding.hpp>

#include "kernel/job/budget.hpp"
#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_record.hpp"
#include "sdk/testing/memory_engine.hpp"

using namespace stele::kernel::job;
using namespace stele::sdk;
using stele::sdk::testing::MemoryEngine;

namespace {

constexpr std::chrono::seconds kPatience{20};
const PlatformScope kScope{7, "p", "root"};

[[noreturn]] void not_needed() {
    throw std::logic_error("not in this test");
}

/// Only what jobs need of a context.
class FakeContext final : public Context {
public:
    explicit FakeContext(Engine& engine) : transaction_(engine.begin()) {
        session_.platform = kScope;
        session_.principal.id = "u1";
        session_.principal.name = "joe";
    }
    const Session& session() const override { return session_; }
    Transaction& transaction() override { return *transaction_; }
    Documents& documents() override { not_needed(); }
    Authorities& authorities() override { not_needed(); }
    DataStores& data_stores() override { not_needed(); }
    std::string key_space(std::string_view) override { not_needed(); }
    std::string shared_key_space(std::string_view) override { not_needed(); }
    ContextPart* part(std::string_view) override { not_needed(); }
    void keep(std::string_view, std::unique_ptr<ContextPart>) override { not_needed(); }
    void after_commit(std::function<void()>) override { not_needed(); }
    Result<std::string> reference(const RecordKey&) override { not_needed(); }
    Result<RecordKey> find_reference(std::string_view) override { not_needed(); }
    Result<Json> read_reference(std::string_view) override { not_needed(); }
    Context& as_system() override { return *this; }

private:
    Session session_;
    std::unique_ptr<Transaction> transaction_;
};

struct Server {
    MemoryEngine& engine;
    std::atomic<std::int64_t>& clock;
    JobService jobs;

    Server(MemoryEngine& store, std::atomic<std::int64_t>& time, const std::string& name)
        : engine(store), clock(time), jobs(store, options(name, time)) {}

    static JobRunnerOptions options(const std::string& name, std::atomic<std::int64_t>& time) {
        JobRunnerOptions chosen;
        chosen.server = name;
        chosen.clock = [&time] { return time.load(); };
        return chosen;
    }

    std::string start(const NewJob& job) {
        FakeContext context(engine);
        const auto id = jobs.start(context, job);
        REQUIRE(id.has_value());
        REQUIRE(commit_and_wait(context.transaction()).has_value());
        return *id;
    }

    void kill(const std::string& id) {
        FakeContext context(engine);
        REQUIRE(jobs.kill(context, id).has_value());
        REQUIRE(commit_and_wait(context.transaction()).has_value());
    }

    Json ended(const std::string& id) { return jobs.wait(kScope, id, kPatience).value(); }

    std::string state(const std::string& id) {
        FakeContext context(engine);
        return jobs.read(context, id).value().at("state").get<std::string>();
    }
};

struct Fixture {
    MemoryEngine engine;
    std::atomic<std::int64_t> clock = 1'800'000'000'000;
    Server server{engine, clock, "s1"};
};

}  // namespace

TEST_CASE("a started job runs as its starter, logs, makes progress and ends with its result") {
    Fixture fixture;
    fixture.server.jobs.define(
        {.name = "copy",
         .run = [](Job& job) -> Result<Json> {
             CHECK(job.run_as().name == "joe");
             CHECK(job.platform().number == kScope.number);
             CHECK(job.platform().root == "root");
             CHECK(job.attempt() == 1);
             CHECK_FALSE(job.must_stop());
             CHECK(job.log(JobLogLevel::status, "half").has_value());
             CHECK(job.progress({.done = 1, .total = 4}).has_value());
             CHECK(
                 job.progress({.done = 3, .total = 4, .bytes = 30, .total_bytes = 40}).has_value());
             return Json{{"copied", job.input().at("n")}};
         },
         .lane = "copies"});
    const std::string id = fixture.server.start({.type = "copy", .input = Json{{"n", 5}}});
    const auto reader = fixture.engine.snapshot();
    CHECK(reader->scan(lane_range("copies"), ScanDirection::forward)->is_valid());
    fixture.server.jobs.start_running();
    const Json job = fixture.server.ended(id);
    CHECK(job.at("state") == "FINISHED");
    CHECK(job.at("copied") == 5);
    CHECK(job.at("_result") == Json{{"copied", 5}});
    CHECK(job.at("log_entries")[0].at("message") == "half");
    CHECK(job.at("progress") == Json{{"done", 4}, {"total", 4}, {"bytes", 40}, {"totalBytes", 40}});
    CHECK(job.at("current_server") == "s1");
}

TEST_CASE("a job whose operation does not commit never exists") {
    Fixture fixture;
    fixture.server.jobs.define(
        {.name = "copy", .run = [](Job&) -> Result<Json> { return Json::object(); }});
    std::string id;
    {
        FakeContext context(fixture.engine);
        id = fixture.server.jobs.start(context, {.type = "copy"}).value();
    }
    FakeContext context(fixture.engine);
    CHECK(fixture.server.jobs.read(context, id).error().code == "job.unknown");
}

TEST_CASE("a type that nobody defined is refused") {
    Fixture fixture;
    FakeContext context(fixture.engine);
    const auto started = fixture.server.jobs.start(context, {.type = "fly"});
    REQUIRE(started.has_error());
    CHECK(started.error().code == "job.type_unknown");
    fixture.server.jobs.define({.name = "copy", .run = {}});
    CHECK_THROWS_AS(fixture.server.jobs.define({.name = "copy", .run = {}}), std::logic_error);
}

TEST_CASE("failures and exceptions end a job as ERROR with a log entry, exceptions without text") {
    Fixture fixture;
    fixture.server.jobs.define({.name = "fails", .run = [](Job&) -> Result<Json> {
                                    return make_error(ErrorKind::invalid, "a.b", "bad archive");
                                }});
    fixture.server.jobs.define({.name = "throws", .run = [](Job&) -> Result<Json> {
                                    throw std::runtime_error("private");
                                }});
    fixture.server.jobs.start_running();
    const Json failed = fixture.server.ended(fixture.server.start({.type = "fails"}));
    CHECK(failed.at("state") == "ERROR");
    CHECK(failed.at("log_entries")[0].at("message") == "bad archive");
    const Json threw = fixture.server.ended(fixture.server.start({.type = "throws"}));
    CHECK(threw.at("state") == "ERROR");
    CHECK(threw.at("log_entries").dump().find("private") == std::string::npos);
}

TEST_CASE("a failure that may pass is tried again after a pause") {
    Fixture fixture;
    fixture.server.jobs.define({.name = "mail", .run = [&](Job& job) -> Result<Json> {
                                    if (job.attempt() == 2) return Json{{"sent", true}};
                                    return make_error(ErrorKind::unavailable, "a.b", "no answer");
                                }});
    const std::string id = fixture.server.start({.type = "mail"});
    fixture.server.jobs.start_running();
    while (fixture.server.state(id) != "AWAITING")
        std::this_thread::yield();
    fixture.clock += 1000;
    // Any commit about jobs makes the runner look again; the timer would, too.
    fixture.server.start({.type = "mail"});
    CHECK(fixture.server.ended(id).at("state") == "FINISHED");
    CHECK(fixture.server.ended(id).at("attempts") == 2);
}

TEST_CASE("a killed job is asked to stop, and what it answers then is ignored") {
    Fixture fixture;
    std::promise<void> begun;
    std::promise<bool> lost;
    fixture.server.jobs.define({.name = "long", .run = [&](Job& job) -> Result<Json> {
                                    begun.set_value();
                                    while (!job.must_stop())
                                        std::this_thread::yield();
                                    const auto transaction = fixture.engine.begin();
                                    lost.set_value(job.confirm(*transaction).has_error());
                                    return Json{{"late", true}};
                                }});
    fixture.server.jobs.start_running();
    const std::string id = fixture.server.start({.type = "long"});
    begun.get_future().wait();
    fixture.server.kill(id);
    CHECK(lost.get_future().get());
    fixture.server.jobs.stop();
    const Json job = fixture.server.ended(id);
    CHECK(job.at("state") == "ERROR");
    CHECK_FALSE(job.contains("late"));
}

TEST_CASE("the work of a killed job ends where it looks for its budget, however long it goes on") {
    Fixture fixture;
    std::promise<void> begun;
    std::promise<Error> ended;
    fixture.server.jobs.define({.name = "long", .run = [&](Job&) -> Result<Json> {
                                    begun.set_value();
                                    auto left = Budget::check_current();
                                    for (; left; left = Budget::check_current())
                                        std::this_thread::yield();
                                    ended.set_value(left.error());
                                    return left.error();
                                }});
    fixture.server.jobs.start_running();
    const std::string id = fixture.server.start({.type = "long"});
    begun.get_future().wait();
    fixture.server.kill(id);
    const Error error = ended.get_future().get();
    CHECK(error.code == "job.stopped");
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK(Budget::check_current());
}

// Assertions are no thread's but the test's own: jobs keep what they see.
TEST_CASE("a job ends when its starter may not act any more, but for what was let in before") {
    Fixture fixture;
    std::atomic<bool> may_act = true;
    JobRunnerOptions options = Server::options("s2", fixture.clock);
    options.may_act = [&](const Reader&, const RecordKey&) -> Result<bool> {
        return may_act.load();
    };
    JobService jobs(fixture.engine, options);
    std::promise<void> begun;
    struct Seen {
        std::promise<Result<void>> held;
        std::promise<bool> must_stop;
    };
    Seen own_seen;
    Seen rest_seen;
    for (const bool is_of_starter : {true, false}) {
        Seen& seen = is_of_starter ? own_seen : rest_seen;
        const JobType type{.name = is_of_starter ? "own" : "rest",
                           .run = [&, is_of_starter](Job& job) -> Result<Json> {
                               if (is_of_starter) begun.set_value();
                               while (may_act)
                                   std::this_thread::yield();
                               fixture.clock += 1000;
                               const auto transaction = fixture.engine.begin();
                               const auto held = job.confirm(*transaction);
                               seen.held.set_value(held);
                               seen.must_stop.set_value(job.must_stop());
                               if (held) return Json::object();
                               // Whatever it says, it is not tried again.
                               return make_error(ErrorKind::unavailable, "a.b", "stopping");
                           },
                           .is_of_starter = is_of_starter};
        jobs.define(type);
        fixture.server.jobs.define(type);
    }
    const std::string rest = fixture.server.start({.type = "rest"});
    const std::string own = fixture.server.start({.type = "own"});
    jobs.start_running();
    begun.get_future().wait();
    may_act = false;
    const Json ended = jobs.wait(kScope, own, kPatience).value();
    CHECK(jobs.wait(kScope, rest, kPatience).value().at("state") == "FINISHED");
    CHECK(ended.at("state") == "ERROR");
    CHECK(ended.at("log_entries").back().at("message") ==
          "The user who started the job is disabled.");
    const Result<void> held = own_seen.held.get_future().get();
    REQUIRE_FALSE(held);
    CHECK(held.error().code == "job.starter_disabled");
    CHECK(own_seen.must_stop.get_future().get());
    CHECK(rest_seen.held.get_future().get());
    CHECK_FALSE(rest_seen.must_stop.get_future().get());
}

TEST_CASE("a job that ends with its transaction is done once, whatever comes after") {
    Fixture fixture;
    std::atomic<int> runs = 0;
    std::promise<bool> done;
    fixture.server.jobs.define(
        {.name = "other", .run = [](Job&) -> Result<Json> { return Json::object(); }});
    fixture.server.jobs.define(
        {.name = "copy", .run = [&](Job& job) -> Result<Json> {
             ++runs;
             // The first one is given up: it ends nothing.
             const auto lost = fixture.engine.begin();
             const bool is_fine = job.finish(*lost, Json{{"copy", 0}}).has_value();
             if (runs == 1) return make_error(ErrorKind::unavailable, "a.b", "busy");
             const auto kept = fixture.engine.begin();
             done.set_value(is_fine && job.finish(*kept, Json{{"copy", 1}}) &&
                            commit_and_wait(*kept) && job.must_stop());
             return make_error(ErrorKind::unavailable, "a.b", "stopped");
         }});
    const std::string id = fixture.server.start({.type = "copy"});
    fixture.server.jobs.start_running();
    while (fixture.server.state(id) != "AWAITING")
        std::this_thread::yield();
    fixture.clock += 3'600'000;
    // Any commit about jobs makes the runner look again; the timer would, too.
    fixture.server.start({.type = "other"});
    CHECK(done.get_future().get());
    const Json job = fixture.server.ended(id);
    CHECK(job.at("state") == "FINISHED");
    CHECK(job.at("copy") == 1);
    CHECK(job.at("attempts") == 2);
}

TEST_CASE(
    "what only the runner of a job is told is shown to nobody, a secret not even in the store") {
    Fixture fixture;
    std::promise<Json> told;
    fixture.server.jobs.define({.name = "told", .run = [&](Job& job) -> Result<Json> {
                                    told.set_value({job.hidden(), job.secret()});
                                    return Json::object();
                                }});
    const std::string id = fixture.server.start(
        {.type = "told", .hidden = Json{{"line", 7}}, .secret = "open sesame"});
    const auto stored = [&] {
        return *JobStore().read(*fixture.engine.snapshot(), kScope.number, id);
    };
    CHECK_FALSE(stored().sealed_secret.empty());
    CHECK(encode_job(stored()).find(hex_text("open sesame")) == std::string::npos);
    fixture.server.jobs.start_running();
    CHECK(told.get_future().get() == Json{Json{{"line", 7}}, "open sesame"});
    const Json job = fixture.server.ended(id);
    CHECK(job.at("state") == "FINISHED");
    CHECK(job.at("_data") == Json::object());
    CHECK(job.dump().find("\"line\"") == std::string::npos);
    CHECK(stored().sealed_secret.empty());
}

TEST_CASE("a server that stops gives its job back and another one finishes it") {
    Fixture fixture;
    Server other(fixture.engine, fixture.clock, "s2");
    std::promise<void> begun;
    fixture.server.jobs.define({.name = "long", .run = [&](Job& job) -> Result<Json> {
                                    begun.set_value();
                                    while (!job.must_stop())
                                        std::this_thread::yield();
                                    return make_error(ErrorKind::unavailable, "a.b", "stopping");
                                }});
    other.jobs.define({.name = "long", .run = [](Job& job) -> Result<Json> {
                           return Json{{"attempt", job.attempt()}};
                       }});
    fixture.server.jobs.start_running();
    const std::string id = fixture.server.start({.type = "long"});
    begun.get_future().wait();
    fixture.server.jobs.stop();
    CHECK(fixture.server.state(id) == "WAITING");
    other.jobs.start_running();
    const Json job = other.ended(id);
    CHECK(job.at("state") == "FINISHED");
    CHECK(job.at("attempt") == 2);
    CHECK(job.at("current_server") == "s2");
}

TEST_CASE("a job whose platform is closed stops, and goes on once that is open again") {
    Fixture fixture;
    std::atomic<bool> is_open = true;
    JobRunnerOptions options = Server::options("s2", fixture.clock);
    options.period = std::chrono::milliseconds(5);
    options.may_run = [&](const Reader&, std::uint64_t) -> Result<bool> { return is_open.load(); };
    JobService jobs(fixture.engine, options);
    std::promise<void> begun;
    std::atomic<int> runs = 0;
    const JobType type{.name = "long", .run = [&](Job& job) -> Result<Json> {
                           if (++runs > 1) return Json{{"attempt", job.attempt()}};
                           begun.set_value();
                           while (!job.must_stop())
                               std::this_thread::yield();
                           return make_error(ErrorKind::conflict, "a.b", "stopping");
                       }};
    jobs.define(type);
    fixture.server.jobs.define(type);
    jobs.start_running();
    const std::string id = fixture.server.start({.type = "long"});
    begun.get_future().wait();
    is_open = false;
    fixture.clock += 1000;
    while (fixture.server.state(id) == "RUNNING")
        std::this_thread::yield();
    CHECK(fixture.server.state(id) == "WAITING");
    // Rounds in which the runner looks for work; each begins a transaction at least.
    for (int rounds = 0; rounds < 10; ++rounds) {
        const std::uint64_t begun_before = fixture.engine.begun_count();
        fixture.clock += 1000;
        while (fixture.engine.begun_count() == begun_before)
            std::this_thread::yield();
    }
    CHECK(runs == 1);
    is_open = true;
    fixture.clock += 1000;
    const Json job = fixture.server.ended(id);
    CHECK(job.at("state") == "FINISHED");
    CHECK(job.at("attempt") == 2);
    jobs.stop();
}

TEST_CASE("a job that noticed its platform closing runs again though that was open at its end") {
    for (const bool confirms : {false, true}) {
        Fixture fixture;
        std::atomic<bool> is_open = true;
        JobRunnerOptions options = Server::options("s2", fixture.clock);
        options.may_run = [&](const Reader&, std::uint64_t) -> Result<bool> {
            return is_open.load();
        };
        JobService jobs(fixture.engine, options);
        std::vector<int> attempts;
        const JobType type{.name = "long", .run = [&](Job& job) -> Result<Json> {
                               attempts.push_back(job.attempt());
                               if (attempts.size() > 4) return Json::object();
                               is_open = false;
                               fixture.clock += 1000;
                               const auto transaction = fixture.engine.begin();
                               const auto stops = confirms ? job.confirm(*transaction).has_error()
                                                           : job.must_stop();
                               is_open = true;
                               CHECK(stops);
                               return make_error(ErrorKind::internal, "a.b", "stopping");
                           }};
        jobs.define(type);
        fixture.server.jobs.define(type);
        const std::string id = fixture.server.start({.type = "long"});
        jobs.start_running();
        CHECK(fixture.server.ended(id).at("state") == "FINISHED");
        jobs.stop();
        CHECK(attempts == std::vector<int>{1, 2, 3, 4, 5});
    }
}

TEST_CASE("a job whose server died is taken over when its lease has run out") {
    Fixture fixture;
    fixture.server.jobs.define({.name = "copy", .run = [](Job& job) -> Result<Json> {
                                    return Json{{"attempt", job.attempt()}};
                                }});
    const std::string id = fixture.server.start({.type = "copy"});
    JobStore store;
    REQUIRE(write_with_retry(fixture.engine, [&](Transaction& transaction) -> Result<void> {
                const JobWishes any{[](std::string_view) { return true; }};
                CHECK(store.claim(transaction, "dead", any, fixture.clock, fixture.clock + 30'000)
                          .value()
                          .has_value());
                return {};
            }).has_value());
    fixture.clock += 30'000;
    fixture.server.jobs.start_running();
    const Json job = fixture.server.ended(id);
    CHECK(job.at("state") == "FINISHED");
    CHECK(job.at("attempt") == 2);
}

TEST_CASE("an idle round looks into the store once and writes nothing") {
    Fixture fixture;
    JobRunner runner(fixture.engine, Server::options("s3", fixture.clock));
    CHECK(runner.step().value() == 0);
    const std::uint64_t begun = fixture.engine.begun_count();
    const std::uint64_t generation = runner.signals().generation();
    CHECK(runner.step().value() == 0);
    CHECK(fixture.engine.begun_count() == begun + 1);
    CHECK(runner.signals().generation() == generation);
}

TEST_CASE("waiting for a job that does not end answers it as it is") {
    Fixture fixture;
    fixture.server.jobs.define({.name = "copy", .run = {}});
    const std::string id = fixture.server.start({.type = "copy"});
    const auto job = fixture.server.jobs.wait(kScope, id, std::chrono::milliseconds(0));
    CHECK(job.value().at("state") == "WAITING");
    CHECK(fixture.server.jobs.wait(kScope, "none", kPatience).error().code == "job.unknown");
}

TEST_CASE("a synchronous reply is sent when the job has ended") {
    Fixture fixture;
    fixture.server.jobs.define({.name = "copy", .run = [](Job&) -> Result<Json> {
                                    return Json{{"n", 1}};
                                }});
    const std::string id = fixture.server.start({.type = "copy"});
    const Reply reply = reply_when_ended(fixture.server.jobs, kScope, id, kPatience);
    fixture.server.jobs.start_running();
    std::string body;
    CHECK_FALSE(reply.source()(body).value());
    CHECK(parse_json(body).value().at("state") == "FINISHED");
}
