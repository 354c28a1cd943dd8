#include "transfer/record_parts.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

/// Gives these pieces, then the end.
sdk::PieceSource source_of(std::vector<std::string> pieces) {
    return [pieces = std::move(pieces),
            next = std::size_t{0}](std::string& piece) mutable -> sdk::Result<void> {
        piece = next < pieces.size() ? pieces[next++] : std::string();
        return {};
    };
}

bool are_same(std::vector<std::string> one, std::vector<std::string> other) {
    auto found = are_same_bytes(source_of(std::move(one)), source_of(std::move(other)));
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("bytes are the same in whatever pieces they come") {
    CHECK(are_same({}, {}));
    CHECK(are_same({"abcdef"}, {"a", "bcd", "ef"}));
    CHECK(are_same({"ab", "cdef"}, {"abcd", "ef"}));
    CHECK_FALSE(are_same({"abcdef"}, {"abc", "deg"}));
    CHECK_FALSE(are_same({"abc"}, {"abc", "d"}));
    CHECK_FALSE(are_same({"abc", "d"}, {"abc"}));
    CHECK_FALSE(are_same({}, {"a"}));
}

TEST_CASE("bytes that cannot be read are neither the same nor others") {
    const sdk::PieceSource broken = [](std::string&) -> sdk::Result<void> {
        return sdk::make_error(sdk::ErrorKind::internal, "test.broken", "cannot be read");
    };
    CHECK_FALSE(are_same_bytes(source_of({"a"}), broken));
    CHECK_FALSE(are_same_bytes(broken, source_of({"a"})));
}

TEST_CASE("what clients say of roles and teams is all but what the server keeps") {
    const sdk::Json role{{"_doc", "1"},   {"roleKey", "r"},          {"permissions", {"READ"}},
                         {"colour", "x"}, {"_system", {{"a", "b"}}}, {"title", "R"}};
    CHECK(said_of_role(role) ==
          sdk::Json{{"roleKey", "r"}, {"permissions", {"READ"}}, {"colour", "x"}, {"title", "R"}});
    const sdk::Json team{{"_doc", "t"},       {"key", "t"},
                         {"groupId", "g"},    {"groupDomainId", "d"},
                         {"teamId", "t"},     {"teamableObjectId", "o"},
                         {"title", "T"},      {"teamableObjectTypeId", "stack"},
                         {"colour", {1, 2}},  {"roleKeys", {"consumer"}},
                         {"members", nullptr}};
    CHECK(said_of_team(team) == sdk::Json{{"title", "T"}, {"colour", {1, 2}}});
}

TEST_CASE("what an archive does not say stays") {
    CHECK(brought_up_to_date({{"a", 1}, {"b", 2}}, {{"b", 3}, {"c", 4}}) ==
          sdk::Json{{"a", 1}, {"b", 3}, {"c", 4}});
}

}  // namespace stele::archives
