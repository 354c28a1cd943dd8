// One store, several engines: what servers that share a database rely on.
#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "plugins/storage_postgres/postgres_engine.hpp"
#include "tests/postgres/private_postgres.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

std::unique_ptr<sdk::Engine> open_server(const storage_postgres::Options& options) {
    auto engine = storage_postgres::open_postgres(options);
    if (!engine) FAIL(engine.error().message << " " << engine.error().detail);
    return *std::move(engine);
}

/// Two engines over one store, which take turns: callers believe to have one.
class TwoEngines final : public sdk::Engine {
public:
    explicit TwoEngines(const storage_postgres::Options& options)
        : engines_{open_server(options), open_server(options)} {}

    std::unique_ptr<sdk::Reader> snapshot() override { return next().snapshot(); }
    std::unique_ptr<sdk::Transaction> begin() override { return next().begin(); }
    bool is_local() const override { return false; }
    void observe(std::string prefix, sdk::CommitObserver observer) override {
        engines_[0]->observe(std::move(prefix), std::move(observer));
    }
    std::uint64_t approximate_size(const sdk::KeyRange& range) override {
        return next().approximate_size(range);
    }

private:
    sdk::Engine& next() { return *engines_[turn_++ % 2]; }

    std::unique_ptr<sdk::Engine> engines_[2];
    std::atomic<std::size_t> turn_ = 0;
};

class SharedStore final : public EngineStore {
public:
    std::unique_ptr<sdk::Engine> open() override { return std::make_unique<TwoEngines>(options_); }
    bool is_lasting() const override { return true; }

private:
    storage_postgres::Options options_ = PrivatePostgres::instance().empty_store();
};

struct Pair {
    storage_postgres::Options options = PrivatePostgres::instance().empty_store();
    std::unique_ptr<sdk::Engine> one = open_server(options);
    std::unique_ptr<sdk::Engine> other = open_server(options);

    std::string query(const std::string& sql) {
        return PrivatePostgres::instance().query("set search_path = " + options.schema + "; " +
                                                 sql);
    }
};

}  // namespace

TEST_CASE("two PostgreSQL engines that take turns are as good as one") {
    for (const auto* checks : {&engine_transaction_checks(), &engine_concurrency_checks()}) {
        for (const EngineCheck& check : *checks) {
            DYNAMIC_SECTION(check.promise) {
                SharedStore store;
                check.run(store);
            }
        }
    }
}

TEST_CASE_METHOD(Pair, "an observer hears of another server's commit before a reader shows it") {
    std::atomic<int> told = 0;
    other->observe("a", [&](const sdk::CommitNotice& commit) {
        CHECK_FALSE(commit.is_everything);
        CHECK(commit.keys == std::vector<std::string_view>{"a"});
        ++told;
    });
    for (int i = 1; i <= 50; ++i) {
        put(*one, "a", std::to_string(i));
        put(*one, "b", "");
        const auto reader = i % 2 == 0 ? other->snapshot() : other->begin();
        CHECK(told == i);
        CHECK(value_of(*reader, "a") == std::to_string(i));
    }
}

TEST_CASE_METHOD(Pair, "commits of others are heard of without reading") {
    std::atomic<int> told = 0;
    other->observe("a", [&](const sdk::CommitNotice&) { ++told; });
    put(*one, "a", "1");
    for (int i = 0; i < 100 && told == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(told == 1);
}

TEST_CASE_METHOD(Pair,
                 "whoever lost track of the commits is told that everything may have changed") {
    put(*one, "a", "1");
    const auto rival = one->begin();
    CHECK(value_of(*rival, "a") == "1");
    rival->put("b", "from a");
    std::atomic<int> everything = 0;
    one->observe("watched", [&](const sdk::CommitNotice& commit) {
        everything += commit.is_everything && commit.keys.empty();
    });
    // Versions whose rows of the log are gone.
    query("update stele_state set version = version + 5");
    CHECK(value_of(*one, "a") == "1");
    // The look at the log that goes on beside may find it out, too.
    CHECK(everything >= 1);
    CHECK_FALSE(commits(*rival));
    put(*one, "a", "2");
    CHECK(value_of(*other, "a") == "2");
}

TEST_CASE_METHOD(Pair, "a server that has seen more than the database holds must start anew") {
    const bool is_repeated = GENERATE(false, true);
    put(*one, "a", "1");
    put(*one, "a", "2");
    const auto reader = one->snapshot();
    const auto rival = one->begin();
    CHECK(value_of(*reader, "a") == "2");
    rival->put("b", "from a");
    std::atomic<int> everything = 0;
    one->observe("", [&](const sdk::CommitNotice& commit) { everything += commit.is_everything; });
    // A standby takes over that lacks the second commit, and another server has it commit again.
    query(
        "delete from stele_log where version = 2; delete from stele_past;"
        "update stele_entry set version = 1, value = '1'; update stele_state set version = 1");
    if (is_repeated) {
        query(
            "insert into stele_log (version, batch, keys) values (2, 'other', '');"
            "update stele_state set version = 2");
    }
    const auto refused = one->begin()->get("a");
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "storage_postgres.past_changed");
    CHECK(everything >= 1);
    CHECK(one->status().error().code == "storage_postgres.past_changed");
    CHECK(reader->get("a").error().code == "storage_postgres.past_changed");
    const auto committed = sdk::commit_and_wait(*rival);
    REQUIRE(committed.has_error());
    CHECK(committed.error().code == "storage_postgres.past_changed");
    one = open_server(options);
    CHECK(value_of(*one, "a") == "1");
    put(*one, "a", "3");
    CHECK(value_of(*one, "a") == "3");
}

TEST_CASE_METHOD(Pair, "former values are kept as long as a reader needs them, and no longer") {
    options.tidying = std::chrono::milliseconds(100);
    one = open_server(options);
    other = open_server(options);
    put(*one, "a", "1");
    put(*one, "b", "1");
    auto reader = other->snapshot();
    put(*one, "a", "2");
    remove(*one, "b");
    const auto wait_until = [&](const char* count) {
        for (int i = 0; i < 100 && query("select count(*) from stele_past") != count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return query("select count(*) from stele_past");
    };
    std::this_thread::sleep_for(std::chrono::seconds(1));
    CHECK(query("select count(*) from stele_past") == "2");
    CHECK(entries(*reader, {}) == "a=1 b=1 ");
    reader.reset();
    CHECK(wait_until("0") == "0");
    CHECK(entries(*other, {}) == "a=2 ");
}

TEST_CASE_METHOD(Pair, "a reader whose former values were taken away says so") {
    put(*one, "a", "1");
    const auto reader = one->snapshot();
    const auto rival = one->begin();
    CHECK(value_of(*rival, "a") == "1");
    put(*one, "a", "2");
    // As the others do with a server that was silent for too long.
    query("update stele_horizon set version = 2; delete from stele_past");
    const auto lost = reader->get("a");
    REQUIRE(lost.has_error());
    CHECK(lost.error().kind == sdk::ErrorKind::unavailable);
    CHECK(lost.error().code == "storage_postgres.snapshot_lost");
    const auto cursor = reader->scan({}, sdk::ScanDirection::forward);
    CHECK_FALSE(cursor->is_valid());
    CHECK(cursor->status().error().code == "storage_postgres.snapshot_lost");
    rival->put("b", "from a");
    CHECK_FALSE(commits(*rival));
}

TEST_CASE_METHOD(Pair, "scans look ahead in growing steps and see every row once") {
    const auto name = [](int i) {
        std::string number = std::to_string(i);
        return std::string(5 - number.size(), '0') + number;
    };
    const auto transaction = one->begin();
    for (int i = 0; i < 3000; ++i)
        transaction->put(name(i), i % 100 == 0 ? std::string(200'000, 'x') : name(i));
    must_commit(*transaction);
    const auto reader = other->snapshot();
    auto cursor = reader->scan({}, sdk::ScanDirection::forward);
    int row = 0;
    for (; cursor->is_valid() && cursor->key() == name(row); cursor->next())
        ++row;
    CHECK(row == 3000);
    cursor = reader->scan({"", name(2500)}, sdk::ScanDirection::backward);
    for (row = 2500; cursor->is_valid() && cursor->key() == name(row - 1); cursor->next())
        --row;
    CHECK(row == 0);
    cursor = reader->scan({name(10), name(2990)}, sdk::ScanDirection::forward);
    for (const int wanted : {15, 12, 700, 701, 30, 2989, 11}) {
        cursor->seek(name(wanted));
        CHECK(cursor->key() == name(wanted));
        cursor->next();
        CHECK(cursor->is_valid() == (wanted != 2989));
    }
}

TEST_CASE_METHOD(Pair, "what a server remembers is never older than what another one committed") {
    put(*one, "a", "0");
    for (int i = 1; i <= 50; ++i) {
        // Both have it in memory, the key and the range around it.
        for (const auto* server : {&one, &other}) {
            const auto reader = (*server)->snapshot();
            CHECK(value_of(*reader, "a") == std::to_string(i - 1));
            CHECK(entries(*reader, {"", "z"}).starts_with("a=" + std::to_string(i - 1)));
        }
        const auto before = other->snapshot();
        put(i % 2 == 0 ? *one : *other, "a", std::to_string(i));
        for (const auto* server : {&one, &other}) {
            const auto reader = (*server)->snapshot();
            CHECK(value_of(*reader, "a") == std::to_string(i));
            CHECK(entries(*reader, {"", "z"}) == "a=" + std::to_string(i) + " ");
        }
        CHECK(value_of(*before, "a") == std::to_string(i - 1));
        CHECK(entries(*before, {"", "z"}) == "a=" + std::to_string(i - 1) + " ");
    }
}

TEST_CASE_METHOD(Pair, "what was read from memory conflicts with another server's commit") {
    put(*one, "a", "1");
    CHECK(entries(*other->snapshot(), {"", "z"}) == "a=1 ");
    const auto by_key = other->begin();
    CHECK(value_of(*by_key, "a") == "1");
    by_key->put("b", "from a");
    const auto by_range = other->begin();
    CHECK(entries(*by_range, {"", "b"}) == "a=1 ");
    by_range->put("c", "from a");
    put(*one, "a", "2");
    CHECK_FALSE(commits(*by_key));
    CHECK_FALSE(commits(*by_range));
    const auto again = other->begin();
    CHECK(value_of(*again, "a") == "2");
    again->put("b", "from a");
    CHECK(commits(*again));
}

TEST_CASE_METHOD(Pair, "servers that count at the same time lose nothing") {
    constexpr int kCounts = 200;
    std::atomic<int> counted = 0;
    const auto count = [&](sdk::Engine& server) {
        for (int i = 0; i < kCounts; ++i) {
            const auto transaction = server.begin();
            transaction->add("count", 1);
            transaction->put_stamped("stamp", {.key = "last", .value = ""});
            if (sdk::commit_and_wait(*transaction)) ++counted;
        }
    };
    std::thread rival([&] { count(*one); });
    count(*other);
    rival.join();
    CHECK(counted == 2 * kCounts);
    for (const auto* server : {&one, &other}) {
        CHECK(counter_of(**server, "count") == 2 * kCounts);
        CHECK(counter_of(**server, "stamp") == 2 * kCounts);
    }
}

TEST_CASE_METHOD(Pair, "nothing is committed on top of a past that is not this server's") {
    put(*one, "a", "1");
    put(*one, "a", "2");
    const auto transaction = one->begin();
    transaction->put("b", "1");
    // A database took over in which the last version is another one.
    query("update stele_log set batch = 'another' where version = 2");
    const auto committed = sdk::commit_and_wait(*transaction);
    REQUIRE(committed.has_error());
    CHECK(committed.error().code == "storage_postgres.past_changed");
    CHECK(query("select version from stele_state") == "2");
}

TEST_CASE_METHOD(Pair, "what is expected is found at once, and is what the store has") {
    for (const char* key : {"a", "b", "c", "d", "m1", "m2", "m3", "m4", "m5", "m6"})
        put(*one, key, key);
    const auto reader = other->snapshot();
    put(*one, "b", "later");
    reader->expect({sdk::only_key("a"),
                    sdk::only_key("b"),
                    sdk::only_key("none"),
                    {"c", "e"},
                    {"m", "n"},
                    {"x", "z"},
                    {"y", ""}});
    query("alter table stele_entry rename to stele_away");
    CHECK(value_of(*reader, "a") == "a");
    CHECK_FALSE(reader->get("none").value().has_value());
    CHECK(entries(*reader, {"c", "e"}) == "c=c d=d ");
    CHECK(entries(*reader, {"x", ""}).empty());
    CHECK(reader->get("unexpected").has_error());
    query("alter table stele_away rename to stele_entry");
    CHECK(value_of(*reader, "b") == "b");
    CHECK(entries(*reader, {"m", "n"}) == "m1=m1 m2=m2 m3=m3 m4=m4 m5=m5 m6=m6 ");
    put(*one, "y", "new");
    CHECK(entries(*reader, {"x", ""}).empty());
    CHECK(entries(*other->snapshot(), {"x", ""}) == "y=new ");
}

}  // namespace stele::testing
