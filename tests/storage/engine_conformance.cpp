#include "tests/storage/engine_conformance.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/storage/engine_access.hpp"

namespace stele::testing {

namespace {

using sdk::KeyRange;
using sdk::ScanDirection;

void stores_and_removes(EngineStore& store) {
    const auto engine = store.open();
    CHECK(value_of(*engine, "a") == "-");
    put(*engine, "a", "1");
    CHECK(value_of(*engine, "a") == "1");
    put(*engine, "a", "2");
    CHECK(value_of(*engine, "a") == "2");
    remove(*engine, "a");
    CHECK(value_of(*engine, "a") == "-");
    put(*engine, "empty", "");
    CHECK(engine->snapshot()->get("empty").value() == std::optional<std::string>(""));
}

void takes_any_bytes(EngineStore& store) {
    const auto engine = store.open();
    const std::string key("\0\xff\1\0", 4);
    const std::string value("\0\x80\xff\n", 4);
    put(*engine, key, value);
    put(*engine, std::string("\0", 1), "zero");
    put(*engine, "\xff\xff", "high");
    CHECK(value_of(*engine, key) == value);
    CHECK(value_of(*engine, std::string("\0", 1)) == "zero");
    const auto reader = engine->snapshot();
    const auto cursor = reader->scan({}, ScanDirection::forward);
    CHECK(cursor->key() == std::string_view("\0", 1));
    cursor->next();
    CHECK(cursor->key() == key);
    cursor->next();
    CHECK(cursor->key() == "\xff\xff");
}

void takes_large_values(EngineStore& store) {
    const auto engine = store.open();
    const std::string large(3'000'000, 'x');
    put(*engine, "large", large);
    CHECK(value_of(*engine, "large") == large);
}

void reads_into_a_buffer(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "value");
    const auto reader = engine->snapshot();
    std::string buffer = "something that was here before";
    CHECK(reader->get_into("a", buffer).value());
    CHECK(buffer == "value");
    CHECK_FALSE(reader->get_into("b", buffer).value());
}

void fill(sdk::Engine& engine) {
    const auto transaction = engine.begin();
    for (const char* key : {"b", "d", "f", "h"})
        transaction->put(key, key);
    must_commit(*transaction);
}

void scans_both_ways(EngineStore& store) {
    const auto engine = store.open();
    fill(*engine);
    const auto reader = engine->snapshot();
    CHECK(entries(*reader, {}) == "b=b d=d f=f h=h ");
    CHECK(entries(*reader, {"c", "h"}) == "d=d f=f ");
    CHECK(entries(*reader, {"d", "f"}) == "d=d ");
    CHECK(entries(*reader, {"d", ""}) == "d=d f=f h=h ");
    CHECK(entries(*reader, {"", "d"}) == "b=b ");
    CHECK(entries(*reader, {"i", ""}).empty());
    CHECK(entries(*reader, {"f", "d"}).empty());
    CHECK(entries(*reader, {}, ScanDirection::backward) == "h=h f=f d=d b=b ");
    CHECK(entries(*reader, {"c", "h"}, ScanDirection::backward) == "f=f d=d ");
    CHECK(entries(*reader, {"d", "f"}, ScanDirection::backward) == "d=d ");
    CHECK(entries(*reader, {"i", ""}, ScanDirection::backward).empty());
    CHECK(entries(*reader, {"", "b"}, ScanDirection::backward).empty());
}

/// The key that the cursor stands on; "-" when it is not valid.
std::string place(const sdk::Cursor& cursor) {
    return cursor.is_valid() ? std::string(cursor.key()) : "-";
}

void check_seeks(const sdk::Reader& reader) {
    const auto forward = reader.scan({"c", "h"}, ScanDirection::forward);
    const auto backward = reader.scan({"c", "h"}, ScanDirection::backward);
    struct Case {
        const char* key;
        const char* forward;
        const char* backward;
    };
    // In no order, so that every jump is taken in both directions.
    for (const Case& c :
         {Case{"e", "f", "d"}, Case{"d", "d", "d"}, Case{"a", "d", "-"}, Case{"f", "f", "f"},
          Case{"z", "-", "f"}, Case{"c", "d", "-"}, Case{"h", "-", "f"}, Case{"g", "-", "f"},
          Case{"cc", "d", "-"}, Case{"dd", "f", "d"}}) {
        INFO("seek " << c.key);
        forward->seek(c.key);
        CHECK(place(*forward) == c.forward);
        backward->seek(c.key);
        CHECK(place(*backward) == c.backward);
    }
    forward->seek("d");
    forward->next();
    CHECK(place(*forward) == "f");
    backward->seek("f");
    backward->next();
    CHECK(place(*backward) == "d");
}

void seeks(EngineStore& store) {
    const auto engine = store.open();
    fill(*engine);
    check_seeks(*engine->snapshot());
    check_seeks(*engine->begin());
    remove(*engine, "d");
    put(*engine, "e", "gone soon");
    const auto transaction = engine->begin();
    transaction->put("d", "own");
    transaction->remove("e");
    check_seeks(*transaction);
}

void keeps_snapshots(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "1");
    const auto early = engine->snapshot();
    put(*engine, "a", "2");
    put(*engine, "b", "2");
    CHECK(entries(*early, {}) == "a=1 ");
    CHECK(value_of(*early, "a") == "1");
    CHECK(entries(*engine, {}) == "a=2 b=2 ");
    remove(*engine, "a");
    CHECK(value_of(*early, "a") == "1");
}

void numbers_states(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "1");
    const auto early = engine->snapshot();
    const auto transaction = engine->begin();
    CHECK(transaction->state() == early->state());
    transaction->put("b", "own");
    CHECK(transaction->state() == std::nullopt);
    put(*engine, "a", "2");
    // Those that have no numbers promise nothing.
    const auto number = engine->snapshot()->state();
    if (number) CHECK(number != early->state());
    const auto cleared = engine->begin();
    cleared->remove_range({"c", "d"});
    CHECK(cleared->state() == std::nullopt);
    const auto adding = engine->begin();
    adding->add("sum", 1);
    CHECK(adding->state() == std::nullopt);
    must_commit(*adding);
    if (number) CHECK(engine->snapshot()->state() != number);
}

void lasts(EngineStore& store) {
    if (!store.is_lasting()) return;
    {
        const auto engine = store.open();
        put(*engine, "a", "1");
        put(*engine, "b", "1");
        const auto transaction = engine->begin();
        transaction->remove("b");
        transaction->add("c", 5);
        must_commit(*transaction);
    }
    {
        const auto engine = store.open();
        CHECK(value_of(*engine, "a") == "1");
        CHECK(value_of(*engine, "b") == "-");
        const auto transaction = engine->begin();
        transaction->add("c", 2);
        must_commit(*transaction);
    }
    CHECK(counter_of(*store.open(), "c") == 7);
}

void tells_observers_first(EngineStore& store) {
    const auto engine = store.open();
    std::mutex mutex;
    std::vector<std::string> log;
    engine->observe("watched/", [&](const sdk::CommitNotice& commit) {
        const std::lock_guard lock(mutex);
        for (const std::string_view key : commit.keys)
            log.emplace_back(key);
    });
    put(*engine, "watched/old", "1");
    CHECK(log == std::vector<std::string>{"watched/old"});
    log.clear();

    const auto transaction = engine->begin();
    transaction->put("a", "1");
    transaction->put("watched/put", "1");
    transaction->remove("watched/removed");
    transaction->add("watched/sum", 1);
    transaction->put("watchedx", "1");
    std::promise<void> finished;
    transaction->commit([&](sdk::Result<void> done) {
        {
            const std::lock_guard lock(mutex);
            log.emplace_back(done ? "done" : "failed");
        }
        finished.set_value();
    });
    finished.get_future().wait();
    REQUIRE(log.size() == 4);
    CHECK(log.back() == "done");
    std::sort(log.begin(), log.end());
    CHECK(log == std::vector<std::string>{"done", "watched/put", "watched/removed", "watched/sum"});
    log.clear();

    const auto clearing = engine->begin();
    clearing->remove_range({"watched/o", "watched/q"});
    must_commit(*clearing);
    std::sort(log.begin(), log.end());
    CHECK(log == std::vector<std::string>{"watched/old", "watched/put"});
}

void tells_observers_before_readers(EngineStore& store) {
    const auto engine = store.open();
    std::atomic<int> told{0};
    engine->observe("a", [&](const sdk::CommitNotice&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ++told;
    });
    constexpr int kCommits = 20;
    std::atomic<bool> is_over{false};
    std::atomic<int> early{0};
    std::atomic<int> late{0};
    std::thread readers([&] {
        const auto number = [](const sdk::Reader& reader) {
            const std::string value = value_of(reader, "a");
            return value == "-" ? 0 : std::stoi(value);
        };
        while (!is_over) {
            const int before = told;
            const int in_transaction = number(*engine->begin());
            early += in_transaction > told;
            late += in_transaction < before;
            const int in_snapshot = number(*engine->snapshot());
            early += in_snapshot > told;
        }
    });
    for (int i = 1; i <= kCommits; ++i)
        put(*engine, "a", std::to_string(i));
    is_over = true;
    readers.join();
    CHECK(told == kCommits);
    CHECK(early == 0);
    CHECK(late == 0);
}

void reads_the_state_of_its_beginning(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "before");
    const auto transaction = engine->begin();
    const auto snapshot = engine->snapshot();
    put(*engine, "a", "after");
    CHECK(value_of(*transaction, "a") == "before");
    CHECK(value_of(*snapshot, "a") == "before");
}

void does_not_tell_observers_of_failures(EngineStore& store) {
    const auto engine = store.open();
    int calls = 0;
    engine->observe("", [&](const sdk::CommitNotice&) { ++calls; });
    const auto loser = engine->begin();
    CHECK(value_of(*loser, "a") == "-");
    loser->put("a", "loser");
    put(*engine, "a", "winner");
    CHECK_FALSE(commits(*loser));
    CHECK(calls == 1);
}

}  // namespace

const std::vector<EngineCheck>& engine_checks() {
    static const std::vector<EngineCheck> checks{
        {"stores, replaces and removes values", stores_and_removes},
        {"takes keys and values of any bytes", takes_any_bytes},
        {"takes values of some megabytes", takes_large_values},
        {"reads into a buffer that was used before", reads_into_a_buffer},
        {"scans exactly the range, in both directions", scans_both_ways},
        {"seeks inside the range, in both directions", seeks},
        {"keeps a reader's state whatever is committed", keeps_snapshots},
        {"gives every state a number of its own, or none any", numbers_states},
        {"keeps what was committed when it is opened again", lasts},
        {"tells observers the keys under their prefix before `done`", tells_observers_first},
        {"hands out nothing that shows a commit before its observers know",
         tells_observers_before_readers},
        {"reads the state of its beginning, not of its first read",
         reads_the_state_of_its_beginning},
        {"tells observers nothing of what was not committed", does_not_tell_observers_of_failures},
    };
    return checks;
}

void check_engine(const std::function<std::unique_ptr<EngineStore>()>& make_store) {
    for (const auto* checks : {&engine_checks(), &engine_transaction_checks(),
                               &engine_concurrency_checks(), &engine_stamp_checks()}) {
        for (const EngineCheck& check : *checks) {
            DYNAMIC_SECTION(check.promise) {
                const auto store = make_store();
                check.run(*store);
            }
        }
    }
}

}  // namespace stele::testing
