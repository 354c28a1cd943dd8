#include "kernel/storage/record/name_table.hpp"

#include <catch2/catch.hpp>

#include "sdk/testing/memory_engine.hpp"

using stele::kernel::storage::NameTable;
using stele::sdk::commit_and_wait;
using stele::sdk::testing::MemoryEngine;

namespace {

std::uint64_t intern(MemoryEngine& engine, NameTable& names, const char* name) {
    const auto transaction = engine.begin();
    const std::uint64_t number = names.intern(*transaction, name).value();
    REQUIRE(commit_and_wait(*transaction).has_value());
    return number;
}

}  // namespace

TEST_CASE("a name has one number, and other names have others") {
    MemoryEngine engine;
    NameTable names(engine);
    CHECK(names.find(*engine.snapshot(), "a").value() == std::nullopt);
    const std::uint64_t a = intern(engine, names, "a");
    const std::uint64_t b = intern(engine, names, "b");
    CHECK(a != b);
    CHECK(intern(engine, names, "a") == a);
    CHECK(names.find(*engine.snapshot(), "b").value() == b);
    CHECK(names.find(*engine.snapshot(), "c").value() == std::nullopt);
    NameTable later(engine);
    CHECK(later.find(*engine.snapshot(), "a").value() == a);
    CHECK(intern(engine, later, "b") == b);
}

TEST_CASE("a transaction gives several names their numbers and sees them itself") {
    MemoryEngine engine;
    NameTable names(engine);
    const auto transaction = engine.begin();
    const std::uint64_t a = names.intern(*transaction, "a").value();
    const std::uint64_t b = names.intern(*transaction, "b").value();
    CHECK(a != b);
    CHECK(names.intern(*transaction, "a").value() == a);
    CHECK(names.find(*transaction, "b").value() == b);
    CHECK(names.find(*engine.snapshot(), "a").value() == std::nullopt);
    REQUIRE(commit_and_wait(*transaction).has_value());
    CHECK(names.find(*engine.snapshot(), "a").value() == a);
}

TEST_CASE("a number that was not committed is not remembered") {
    MemoryEngine engine;
    NameTable names(engine);
    {
        const auto dropped = engine.begin();
        CHECK(names.intern(*dropped, "dropped").has_value());
        CHECK(names.find(*dropped, "dropped").value().has_value());
        CHECK(names.intern(*dropped, "dropped").has_value());
    }
    const std::uint64_t other = intern(engine, names, "other");
    CHECK(names.find(*engine.snapshot(), "dropped").value() == std::nullopt);
    CHECK(intern(engine, names, "dropped") != other);
}

TEST_CASE("two that give numbers at once conflict") {
    MemoryEngine engine;
    NameTable names(engine);
    const auto one = engine.begin();
    const auto other = engine.begin();
    REQUIRE(names.intern(*one, "a").has_value());
    REQUIRE(names.intern(*other, "b").has_value());
    CHECK(commit_and_wait(*one).has_value());
    CHECK(commit_and_wait(*other).has_error());
}

TEST_CASE("a known name costs no read of the store") {
    MemoryEngine engine;
    NameTable names(engine);
    const std::uint64_t a = intern(engine, names, "a");
    const auto reader = engine.snapshot();
    REQUIRE(names.find(*reader, "a").value() == a);
    const auto transaction = engine.begin();
    const std::uint64_t before = engine.begun_count();
    CHECK(names.intern(*transaction, "a").value() == a);
    CHECK(engine.begun_count() == before);
}

TEST_CASE("a transaction may use a number that was committed after it began") {
    MemoryEngine engine;
    NameTable names(engine);
    const auto early = engine.begin();
    CHECK(early->peek("x").value() == std::nullopt);
    const std::uint64_t a = intern(engine, names, "a");
    NameTable elsewhere(engine);
    CHECK(elsewhere.intern(*early, "a").value() == a);
}
