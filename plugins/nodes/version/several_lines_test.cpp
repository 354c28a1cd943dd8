// Several changesets of a repository that one transaction writes.
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "line_writer.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::nodes {

namespace {

Keeping keeping_by_letter(std::string_view key) {
    switch (key.front()) {
        case 'r':
            return Keeping::record;
        case 'k':
            return Keeping::count;
        default:
            return Keeping::entry;
    }
}

}  // namespace

TEST_CASE("a transaction begins a repository, and writes several of its lines") {
    sdk::testing::MemoryEngine engine;
    VersionCache cache;
    const VersionSpace space("space/", keeping_by_letter, cache);
    const auto entry_of = [](const std::string& name) { return "e-" + name + "-0123456789"; };
    const auto transaction = engine.begin();
    const auto writer_of = [&](Line line, LineWriter::Place place) {
        return std::make_unique<LineWriter>(*transaction, space,
                                            find_view(*transaction, space, line).value(), place);
    };
    const auto write = [&](LineWriter& writer, const std::string& name) {
        writer.put(entry_of(name), name);
        writer.put("r-" + name + "-0123456789", name);
        writer.add("k-number", 1);
    };
    const auto first = writer_of(kFirstLine, {.is_first = true});
    write(*first, "root");
    REQUIRE(first->finish("first").has_value());
    for (const Line line : {Line{2}, Line{3}})
        REQUIRE(put_line(*transaction, *transaction, space, line, {kFirstLine, kFirstRevision})
                    .has_value());
    std::vector<std::unique_ptr<LineWriter>> writers;
    for (const Line line : {kFirstLine, Line{2}, Line{3}}) {
        writers.push_back(writer_of(line, {.step = line - kFirstLine}));
        write(*writers.back(), "of-" + std::to_string(line));
        // What the repository begins with ends on this line only.
        if (line == 2) writers.back()->remove(entry_of("root"));
    }
    std::uint64_t later = writers.size();
    for (const auto& writer : writers)
        REQUIRE(writer->finish("note", --later).has_value());
    REQUIRE(sdk::commit_and_wait(*transaction).has_value());

    CHECK(first->revision(*transaction) == kFirstRevision);
    const auto reader = engine.snapshot();
    CHECK(read_number(reader->get(space.line_of(kFirstRevision)).value().value()) == kFirstLine);
    const ViewReader nothing(*reader, space, find_view(*reader, space, kFirstLine, 0).value());
    CHECK_FALSE(nothing.get(entry_of("root")).value().has_value());
    CHECK_FALSE(nothing.get("r-root-0123456789").value().has_value());
    CHECK(sdk::read_counter(nothing.get("k-number").value()) == 0);
    CHECK(sdk::read_counter(reader->get(space.revision_counter()).value()) == 4);
    for (const Line line : {kFirstLine, Line{2}, Line{3}}) {
        INFO("line " << line);
        const Revision revision = kFirstRevision + line;
        CHECK(writers[line - kFirstLine]->revision(*transaction) == revision);
        CHECK(read_number(reader->get(space.line_of(revision)).value().value()) == line);
        const ViewReader tip(*reader, space, find_view(*reader, space, line).value());
        for (const Line other : {kFirstLine, Line{2}, Line{3}}) {
            CHECK(tip.contains("r-of-" + std::to_string(other) + "-0123456789").value() ==
                  (other == line));
            CHECK(tip.get(entry_of("of-" + std::to_string(other))).value().has_value() ==
                  (other == line));
        }
        CHECK(tip.get(entry_of("root")).value().has_value() == (line != 2));
        CHECK(sdk::read_counter(tip.get("k-number").value()) == 2);
        const ViewReader before(*reader, space,
                                find_view(*reader, space, kFirstLine, kFirstRevision).value());
        CHECK(before.get(entry_of("root")).value() == "root");
        CHECK(before.get("r-root-0123456789").value() == "root");
        CHECK(sdk::read_counter(before.get("k-number").value()) == 1);
    }
}

}  // namespace stele::nodes
