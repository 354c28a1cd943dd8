// How many entries a range has at the tip of a line, which is remembered.
#include <cstdint>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/record_space.hpp>

#include "collection_reader.hpp"
#include "line_writer.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::nodes {

namespace {

constexpr char kTag = 'x';

/// Counts how many entries are looked at.
class Counted {
public:
    Counted() {
        write(kFirstLine, "a-1");
        write(kFirstLine, "a-2");
        const auto transaction = engine.begin();
        REQUIRE(put_line(*transaction, *transaction, space, kFork, {kFirstLine, 2}).has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    }

    static constexpr Line kFork = 2;

    void write(Line line, const std::string& name, bool is_removed = false) {
        const auto transaction = engine.begin();
        LineWriter writer(*transaction, space, find_view(*transaction, space, line).value(),
                          {.is_first = line == kFirstLine && is_new_});
        is_new_ = false;
        const std::string key = std::string{kNodeSlot, kTag} + name;
        if (is_removed) {
            writer.remove(key);
        } else {
            writer.put(key, "");
        }
        REQUIRE(writer.finish("note").has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    }

    std::uint64_t count(const sdk::Reader& reader, Line line) {
        const CollectionReader tip(reader, space, find_view(reader, space, line).value(),
                                   collection, kNodeSlot);
        const std::string begin = sdk::space_key(collection, kTag, "a-");
        steps = 0;
        return tip
            .count({begin, sdk::prefix_end(begin)},
                   [this] {
                       ++steps;
                       return sdk::Result<void>();
                   })
            .value();
    }
    std::uint64_t count(Line line) { return count(*engine.snapshot(), line); }

    std::uint64_t steps = 0;
    sdk::testing::MemoryEngine engine;

private:
    bool is_new_ = true;
    VersionCache cache_;

public:
    VersionSpace space{"space/", keeping_of, cache_};
    const sdk::SpaceCollection collection{
        .platform = 1, .number = 7, .type = "node", .container = sdk::RecordKey()};
};

}  // namespace

TEST_CASE("entries at the tip of a line are counted once for each of its states") {
    Counted lines;
    CHECK(lines.count(kFirstLine) == 2);
    CHECK(lines.steps == 2);
    CHECK(lines.count(kFirstLine) == 2);
    CHECK(lines.steps == 0);

    lines.write(kFirstLine, "a-3");
    CHECK(lines.count(kFirstLine) == 3);
    lines.write(kFirstLine, "a-1", true);
    CHECK(lines.count(kFirstLine) == 2);
    CHECK(lines.steps == 2);
}

TEST_CASE("lines of one state have counts of their own") {
    Counted lines;
    lines.write(kFirstLine, "a-3");
    CHECK(lines.count(kFirstLine) == 3);
    CHECK(lines.count(Counted::kFork) == 2);
    CHECK(lines.count(kFirstLine) == 3);
    lines.write(Counted::kFork, "a-4");
    lines.write(Counted::kFork, "a-5");
    CHECK(lines.count(Counted::kFork) == 4);
    CHECK(lines.count(kFirstLine) == 3);
}

TEST_CASE("who used a count that was remembered conflicts with who changes it") {
    for (const std::string name : {"a-9", "b-9"}) {
        Counted lines;
        REQUIRE(lines.count(kFirstLine) == 2);
        const auto transaction = lines.engine.begin();
        CHECK(lines.count(*transaction, kFirstLine) == 2);
        CHECK(lines.steps == 0);
        transaction->put("elsewhere", "2");
        lines.write(kFirstLine, name);
        CHECK(sdk::commit_and_wait(*transaction).has_value() == (name == "b-9"));
    }
}

}  // namespace stele::nodes
