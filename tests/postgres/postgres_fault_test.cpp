// A database that goes away, and connections that break in the middle of a commit.
#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "plugins/storage_postgres/postgres_engine.hpp"
#include "tests/postgres/private_postgres.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::testing {

namespace {

using std::chrono::milliseconds;

std::unique_ptr<sdk::Engine> open(const storage_postgres::Options& options) {
    auto engine = storage_postgres::open_postgres(options);
    if (!engine) FAIL(engine.error().message << " " << engine.error().detail);
    return *std::move(engine);
}

/// Writers that note what became of each of their keys, which all count in one counter.
class Load {
public:
    explicit Load(sdk::Engine& engine, int threads = 4) : engine_(engine) {
        for (int i = 0; i < threads; ++i)
            threads_.emplace_back([this, i] { write(i); });
    }
    ~Load() { stop(); }

    void stop() {
        is_over_ = true;
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

    std::size_t acknowledged() {
        const std::lock_guard lock(mutex_);
        return stored_.size();
    }

    /// The first contradiction between what callers were told and what is there.
    std::string contradiction() {
        const auto reader = engine_.snapshot();
        std::size_t found = 0;
        const auto cursor = reader->scan({"key/", "key0"}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            const std::string key(cursor->key());
            if (failed_.contains(key)) return key + " was reported as failed and is there";
            ++found;
            stored_.erase(key);
            if (value_of(*reader, "twin/" + key) != "1") return key + " is there in half";
        }
        if (!stored_.empty()) return *stored_.begin() + " was acknowledged and is not there";
        const auto counted = counter_of(engine_, "count");
        if (counted != static_cast<std::int64_t>(found))
            return "counted " + std::to_string(counted) + ", found " + std::to_string(found);
        return "";
    }
    /// Whether more is acknowledged than until now, however long a busy machine takes.
    bool goes_on() {
        const auto wanted = acknowledged() + 30;
        for (int i = 0; i < 6000 && acknowledged() < wanted; ++i)
            std::this_thread::sleep_for(milliseconds(10));
        return acknowledged() >= wanted;
    }
    const std::set<std::string>& failures() const { return failures_; }

private:
    void write(int thread) {
        for (int i = 0; !is_over_; ++i) {
            const std::string key = "key/" + std::to_string(thread) + "/" + std::to_string(i);
            const auto transaction = engine_.begin();
            transaction->put(key, "1");
            transaction->put("twin/" + key, "1");
            transaction->add("count", 1);
            const auto done = sdk::commit_and_wait(*transaction);
            const std::lock_guard lock(mutex_);
            if (done) {
                stored_.insert(key);
                continue;
            }
            failures_.insert(done.error().code);
            if (done.error().code != "storage_postgres.outcome_unknown") failed_.insert(key);
        }
    }

    sdk::Engine& engine_;
    std::atomic<bool> is_over_ = false;
    std::mutex mutex_;
    std::set<std::string> stored_;
    std::set<std::string> failed_;
    std::set<std::string> failures_;
    std::vector<std::thread> threads_;
};

struct Store {
    PrivatePostgres& server = PrivatePostgres::instance();
    storage_postgres::Options options = server.empty_store();

    std::string query(const std::string& sql) {
        return server.query("set search_path = " + options.schema + "; " + sql);
    }
};

}  // namespace

TEST_CASE_METHOD(Store,
                 "connections that break at any moment lose nothing and leave nothing in half") {
    const auto engine = open(options);
    Load load(*engine);
    for (int round = 0; round < repetitions(100); ++round) {
        std::this_thread::sleep_for(milliseconds(20 + round * 7 % 100));
        server.query(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'stele'");
    }
    REQUIRE(load.goes_on());
    load.stop();
    CHECK(load.failures().empty());
    CHECK(load.contradiction() == "");
}

TEST_CASE_METHOD(Store, "a restart of PostgreSQL is survived without a failed operation") {
    const auto engine = open(options);
    Load load(*engine);
    for (int round = 0; round < repetitions(3); ++round) {
        REQUIRE(load.goes_on());
        server.restart();
    }
    REQUIRE(load.goes_on());
    load.stop();
    CHECK(load.failures().empty());
    CHECK(load.contradiction() == "");
}

TEST_CASE_METHOD(Store, "while PostgreSQL is away operations fail in bounded time") {
    options.wait = std::chrono::seconds(2);
    const auto engine = open(options);
    put(*engine, "a", "1");
    CHECK(engine->status().has_value());
    const auto reader = engine->snapshot();
    const auto transaction = engine->begin();
    transaction->put("b", "1");
    server.stop();
    const auto begun = std::chrono::steady_clock::now();
    CHECK(value_of(*reader, "a") == "1");
    const auto read = reader->get("what nobody has read");
    REQUIRE(read.has_error());
    CHECK(read.error().kind == sdk::ErrorKind::unavailable);
    CHECK(read.error().code == "storage_postgres.unreachable");
    const auto committed = sdk::commit_and_wait(*transaction);
    REQUIRE(committed.has_error());
    CHECK(committed.error().kind == sdk::ErrorKind::unavailable);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
    CHECK(engine->status().has_error());
    // By now it is known to be away: nobody waits.
    const auto later = std::chrono::steady_clock::now();
    CHECK(engine->snapshot()->get("a").has_error());
    CHECK(std::chrono::steady_clock::now() - later < milliseconds(500));
    server.start();
    for (int i = 0; i < 100 && !engine->status(); ++i)
        std::this_thread::sleep_for(milliseconds(50));
    CHECK(engine->status().has_value());
    CHECK(value_of(*reader, "a") == "1");
    CHECK(value_of(*engine, "b") == "-");
    put(*engine, "b", "2");
    CHECK(value_of(*engine, "b") == "2");
}

TEST_CASE_METHOD(Store, "a transaction that the database refuses does not take others with it") {
    const auto engine = open(options);
    query(
        "create function refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'poisoned'; end $$;"
        "create trigger refuse before insert on stele_entry for each row"
        " when (new.key = 'poison') execute function refuse()");
    std::vector<std::unique_ptr<sdk::Transaction>> transactions;
    for (int i = 0; i < 20; ++i) {
        transactions.push_back(engine->begin());
        transactions.back()->put(i == 7 ? "poison" : "good" + std::to_string(i), "1");
    }
    CHECK(commit_all(transactions) == 19);
    CHECK(value_of(*engine, "poison") == "-");
    CHECK(value_of(*engine, "good6") == "1");
    CHECK(value_of(*engine, "good8") == "1");
}

TEST_CASE_METHOD(Store, "a key that no index takes is refused, and only that") {
    const auto engine = open(options);
    put(*engine, std::string(2600, 'k'), "longest");
    CHECK(value_of(*engine, std::string(2600, 'k')) == "longest");
    const auto transaction = engine->begin();
    CHECK(value_of(*transaction, std::string(5000, 'k')) == "-");
    transaction->put(std::string(2601, 'k'), "");
    const auto refused = sdk::commit_and_wait(*transaction);
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == sdk::ErrorKind::invalid);
    CHECK(refused.error().code == "storage_postgres.key_too_long");
}

TEST_CASE_METHOD(Store, "a server that may lose what it acknowledged is refused") {
    server.query("alter system set fsync = off");
    server.query("select pg_reload_conf()");
    const auto is_off = [&] { return server.query("show fsync") == "off"; };
    for (int i = 0; i < 100 && !is_off(); ++i)
        std::this_thread::sleep_for(milliseconds(20));
    const auto engine = storage_postgres::open_postgres(options);
    server.query("alter system reset fsync");
    server.query("select pg_reload_conf()");
    REQUIRE(engine.has_error());
    CHECK(engine.error().code == "storage_postgres.server_unfit");
    for (int i = 0; i < 100 && is_off(); ++i)
        std::this_thread::sleep_for(milliseconds(20));
}

TEST_CASE_METHOD(Store, "commits wait for the disk whatever the server's default is") {
    options.connection += " options='-c synchronous_commit=off'";
    const auto engine = open(options);
    put(*engine, "a", "1");
    const auto off =
        query("select count(*) from pg_stat_activity where application_name = 'stele'");
    CHECK(std::stoi(off) > 0);
    query(
        "create table seen (value text);"
        "create function note() returns trigger language plpgsql as $$ begin"
        " insert into seen values (current_setting('synchronous_commit')); return new; end $$;"
        "create trigger note after insert on stele_log for each row execute function note()");
    put(*engine, "a", "2");
    CHECK(query("select value from seen") == "on");
}

TEST_CASE_METHOD(Store, "a connection string, a format and a server that do not fit are told") {
    options.connection = "no such = thing";
    auto refused = storage_postgres::open_postgres(options);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "storage_postgres.setting_invalid");
    options = server.empty_store();
    open(options);
    query("update stele_state set format = 99");
    refused = storage_postgres::open_postgres(options);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "storage_postgres.server_unfit");
    options.connection = "host=/nowhere";
    options.wait = milliseconds(500);
    refused = storage_postgres::open_postgres(options);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "storage_postgres.unreachable");
}

}  // namespace stele::testing
