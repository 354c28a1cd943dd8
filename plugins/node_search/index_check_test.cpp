#include "index_check.hpp"

#include <fstream>

#include <xapian.h>

#include "index_mark.hpp"
#include "search_fixture.hpp"

namespace stele::node_search {

namespace {

using Nodes = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> differences(SearchWorld& world, sdk::ContentLog& log) {
    std::vector<std::string> found;
    check_index(log, *world.engine.snapshot(), world.folder.path / "search", found);
    return found;
}

/// Two changesets; the last one is the same whether or not the first wrote `c`.
void write_history(FakeContentLog& log, bool has_another) {
    Nodes first{{"a", R"({"t":"apple"})"}, {"b", R"({"t":"apple"})"}};
    if (has_another) first.emplace_back("c", R"({"t":"apple"})");
    log.write(1, first);
    log.write(1, Nodes{{"a", R"({"t":"pear"})"}, {"b", ""}});
}

}  // namespace

TEST_CASE("an index that has what the history has is sound, also when it is behind") {
    SearchWorld world;
    CHECK(differences(world, world.log).empty());
    write_history(world.log, false);
    CHECK(world.ids("pear") == Ids{"a"});
    REQUIRE(world.feed.commit().value());
    CHECK(differences(world, world.log).empty());
    world.log.write(1, Nodes{{"d", R"({"t":"pear"})"}});
    CHECK(differences(world, world.log).empty());
    CHECK(world.ids("pear") == Ids{"a", "d"});
    CHECK(differences(world, world.log).empty());
}

TEST_CASE("an index that lacks a version, or has one too many, is told of") {
    for (const bool lacks_one : {true, false}) {
        INFO("lacks one " << lacks_one);
        SearchWorld world;
        write_history(world.log, !lacks_one);
        CHECK(world.ids("pear") == Ids{"a"});
        REQUIRE(world.feed.commit().value());
        FakeContentLog other;
        write_history(other, lacks_one);
        const auto found = differences(world, other);
        REQUIRE(found.size() == 1);
        CHECK(found.front().find(lacks_one ? "has 3 versions of nodes up to revision 2, and the "
                                             "history 4"
                                           : "has 4 versions of nodes up to revision 2, and the "
                                             "history 3") != std::string::npos);
    }
}

TEST_CASE("an index of an earlier format is left to the server") {
    SearchWorld world;
    write_history(world.log, false);
    CHECK(world.ids("pear") == Ids{"a"});
    REQUIRE(world.feed.commit().value());
    const TestFolder folder;
    std::filesystem::copy(world.folder.path / "search", folder.path / "search");
    Xapian::WritableDatabase earlier((folder.path / "search").string());
    earlier.delete_document(1);
    earlier.commit();
    std::vector<std::string> found;
    check_index(world.log, *world.engine.snapshot(), folder.path / "search", found);
    CHECK(found.size() == 1);
    earlier.set_metadata(kIndexFormatKey, "1");
    earlier.commit();
    found.clear();
    check_index(world.log, *world.engine.snapshot(), folder.path / "search", found);
    CHECK(found.empty());
}

TEST_CASE("an index of another history is left to the server, a damaged one is told of") {
    SearchWorld world;
    write_history(world.log, false);
    CHECK(world.ids("pear") == Ids{"a"});
    REQUIRE(world.feed.commit().value());
    FakeContentLog other;
    other.write(1, Nodes{{"z", R"({"t":"apple"})"}});
    other.write(1, Nodes{{"z", R"({"t":"pear"})"}});
    CHECK(differences(world, other).empty());
    for (const auto& entry : std::filesystem::directory_iterator(world.folder.path / "search"))
        std::ofstream(entry.path(), std::ios::trunc) << "no index";
    const auto found = differences(world, world.log);
    REQUIRE(found.size() == 1);
    CHECK(found.front().find("cannot be read") != std::string::npos);
}

}  // namespace stele::node_search
