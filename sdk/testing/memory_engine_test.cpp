#include "sdk/testing/memory_engine.hpp"

#include <catch2/catch.hpp>

using stele::sdk::commit_and_wait;
using stele::sdk::counter_bytes;
using stele::sdk::KeyRange;
using stele::sdk::read_counter;
using stele::sdk::Reader;
using stele::sdk::ScanDirection;
using stele::sdk::Transaction;
using stele::sdk::testing::MemoryEngine;

namespace {

void put(MemoryEngine& engine, const std::string& key, const std::string& value) {
    const auto transaction = engine.begin();
    transaction->put(key, value);
    REQUIRE(commit_and_wait(*transaction).has_value());
}

std::string keys_of(const Reader& reader, KeyRange range,
                    ScanDirection direction = ScanDirection::forward) {
    std::string keys;
    for (auto cursor = reader.scan(std::move(range), direction); cursor->is_valid();
         cursor->next()) {
        keys += std::string(cursor->key()) + "=" + std::string(cursor->value()) + " ";
    }
    return keys;
}

bool commits(Transaction& transaction) {
    const auto result = commit_and_wait(transaction);
    if (result.has_error()) CHECK(result.error().code == "engine.conflict");
    return result.has_value();
}

}  // namespace

TEST_CASE("a committed value is there for later readers and not for earlier ones") {
    MemoryEngine engine;
    const auto before = engine.snapshot();
    put(engine, "a", "1");
    const auto between = engine.snapshot();
    put(engine, "a", "2");
    CHECK_FALSE(before->get("a").value().has_value());
    CHECK(between->get("a").value() == "1");
    CHECK(engine.snapshot()->get("a").value() == "2");
    CHECK(keys_of(*before, {}).empty());
    CHECK(keys_of(*between, {}) == "a=1 ");
}

TEST_CASE("a dropped transaction leaves nothing") {
    MemoryEngine engine;
    engine.begin()->put("a", "1");
    CHECK_FALSE(engine.snapshot()->get("a").value().has_value());
}

TEST_CASE("scans go both ways, keep to their range and can be moved") {
    MemoryEngine engine;
    for (const char* key : {"a", "b", "c", "d"})
        put(engine, key, "1");
    const auto reader = engine.snapshot();
    CHECK(keys_of(*reader, {"b", "d"}) == "b=1 c=1 ");
    CHECK(keys_of(*reader, {"b", "d"}, ScanDirection::backward) == "c=1 b=1 ");
    CHECK(keys_of(*reader, {"", ""}, ScanDirection::backward) == "d=1 c=1 b=1 a=1 ");

    const auto forward = reader->scan({"a", "d"}, ScanDirection::forward);
    forward->seek("bb");
    CHECK(forward->key() == "c");
    forward->seek("d");
    CHECK_FALSE(forward->is_valid());
    const auto backward = reader->scan({"b", ""}, ScanDirection::backward);
    backward->seek("cc");
    CHECK(backward->key() == "c");
    backward->seek("c");
    CHECK(backward->key() == "c");
    backward->seek("a");
    CHECK_FALSE(backward->is_valid());
}

TEST_CASE("a transaction sees its own writes") {
    MemoryEngine engine;
    for (const char* key : {"a", "b", "c"})
        put(engine, key, "old");
    const auto transaction = engine.begin();
    transaction->put("bb", "new");
    transaction->remove("a");
    transaction->put("c", "new");
    CHECK(keys_of(*transaction, {}) == "b=old bb=new c=new ");
    CHECK(keys_of(*transaction, {}, ScanDirection::backward) == "c=new bb=new b=old ");
    transaction->remove_range({"b", "c"});
    CHECK(keys_of(*transaction, {}) == "c=new ");
    transaction->put("b", "again");
    CHECK(keys_of(*transaction, {}) == "b=again c=new ");
    REQUIRE(commits(*transaction));
    CHECK(keys_of(*engine.snapshot(), {}) == "b=again c=new ");
}

TEST_CASE("a commit conflicts when something that it read has changed") {
    MemoryEngine engine;
    put(engine, "a", "1");
    put(engine, "m", "1");
    const auto transaction = engine.begin();
    transaction->put("result", "x");

    SECTION("a key") {
        REQUIRE(transaction->get("a").has_value());
    }
    SECTION("a range that it scanned") {
        keys_of(*transaction, {"", "b"});
    }
    SECTION("a range that it scanned backward") {
        keys_of(*transaction, {"", "b"}, ScanDirection::backward);
    }
    put(engine, "a", "2");
    CHECK_FALSE(commits(*transaction));
    CHECK_FALSE(engine.snapshot()->get("result").value().has_value());
}

TEST_CASE("a new or removed key in a scanned range is a conflict") {
    MemoryEngine engine;
    put(engine, "a", "1");
    const auto appeared = engine.begin();
    keys_of(*appeared, {"a", "c"});
    appeared->put("x", "1");
    put(engine, "b", "1");
    CHECK_FALSE(commits(*appeared));

    const auto vanished = engine.begin();
    keys_of(*vanished, {"a", "c"});
    vanished->put("x", "1");
    const auto remover = engine.begin();
    remover->remove("b");
    REQUIRE(commits(*remover));
    CHECK_FALSE(commits(*vanished));
}

TEST_CASE("what was not read is no conflict") {
    MemoryEngine engine;
    for (const char* key : {"a", "b", "c"})
        put(engine, key, "1");
    const auto transaction = engine.begin();
    transaction->put("a", "blind");
    REQUIRE(transaction->peek("b").has_value());
    {
        const auto cursor = transaction->scan({"a", ""}, ScanDirection::forward);
        CHECK(cursor->key() == "a");
    }
    put(engine, "b", "2");
    put(engine, "c", "2");
    CHECK(commits(*transaction));

    const auto blind = engine.begin();
    blind->put("a", "first");
    put(engine, "a", "second");
    REQUIRE(commits(*blind));
    CHECK(engine.snapshot()->get("a").value() == "first");
}

TEST_CASE("additions to one counter never conflict and add up") {
    MemoryEngine engine;
    const auto one = engine.begin();
    const auto two = engine.begin();
    one->add("n", 3);
    two->add("n", -1);
    CHECK(read_counter(two->peek("n").value()) == -1);
    REQUIRE(commits(*one));
    REQUIRE(commits(*two));
    CHECK(read_counter(engine.snapshot()->get("n").value()) == 2);

    const auto reader = engine.begin();
    CHECK(read_counter(reader->get("n").value()) == 2);
    reader->put("x", "1");
    const auto adder = engine.begin();
    adder->add("n", 1);
    REQUIRE(commits(*adder));
    CHECK_FALSE(commits(*reader));
}

TEST_CASE("additions mix with writes and removals of the same transaction") {
    MemoryEngine engine;
    put(engine, "n", counter_bytes(10));
    const auto transaction = engine.begin();
    transaction->put("m", counter_bytes(5));
    transaction->add("m", 1);
    transaction->remove_range({"n", "o"});
    transaction->add("n", 2);
    transaction->add("k", 4);
    transaction->remove("k");
    REQUIRE(commits(*transaction));
    const auto reader = engine.snapshot();
    CHECK(read_counter(reader->get("m").value()) == 6);
    CHECK(read_counter(reader->get("n").value()) == 2);
    CHECK_FALSE(reader->get("k").value().has_value());
}

TEST_CASE("a removed range takes along what others put into it meanwhile") {
    MemoryEngine engine;
    const auto transaction = engine.begin();
    transaction->remove_range({"a", "b"});
    put(engine, "ab", "late");
    REQUIRE(commits(*transaction));
    CHECK_FALSE(engine.snapshot()->get("ab").value().has_value());
}

TEST_CASE("observers hear of the keys under their prefix before the commit is acknowledged") {
    MemoryEngine engine;
    std::vector<std::string> heard;
    engine.observe("p", [&](const stele::sdk::CommitNotice& commit) {
        heard.insert(heard.end(), commit.keys.begin(), commit.keys.end());
    });
    const auto transaction = engine.begin();
    transaction->put("p1", "");
    transaction->put("q", "");
    transaction->add("p2", 1);
    transaction->remove("p3");
    REQUIRE(commits(*transaction));
    CHECK(heard == std::vector<std::string>{"p1", "p2", "p3"});
    put(engine, "q", "");
    CHECK(heard.size() == 3);
}

TEST_CASE("commits can be refused on purpose") {
    MemoryEngine engine;
    engine.refuse_commits(
        1, stele::sdk::make_error(stele::sdk::ErrorKind::storage_full, "engine.full", "full"));
    const auto refused = engine.begin();
    refused->put("a", "1");
    const auto result = commit_and_wait(*refused);
    REQUIRE(result.has_error());
    CHECK(result.error().code == "engine.full");
    put(engine, "b", "1");
    CHECK(keys_of(*engine.snapshot(), {}) == "b=1 ");
}
