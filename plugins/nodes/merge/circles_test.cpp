#include "merge/circles.hpp"

#include <map>
#include <random>
#include <set>

#include <catch2/catch.hpp>

namespace stele::nodes {

namespace {

using Places = std::map<std::string, std::vector<std::string>>;

CircleGroups groups_in(const Places& places) {
    std::vector<std::string> begin;
    for (const auto& [node, above] : places)
        begin.push_back(node);
    auto groups =
        circle_groups(begin, [&](const std::string& node) -> sdk::Result<std::vector<std::string>> {
            const auto found = places.find(node);
            return found == places.end() ? std::vector<std::string>() : found->second;
        });
    REQUIRE(groups.has_value());
    return *groups;
}

/// Everything that a node lies in.
std::set<std::string> all_above(const Places& places, const std::string& node) {
    std::set<std::string> found;
    std::vector<std::string> reached{node};
    while (!reached.empty()) {
        const auto at = places.find(reached.back());
        reached.pop_back();
        if (at == places.end()) continue;
        for (const std::string& above : at->second) {
            if (found.insert(above).second) reached.push_back(above);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("nodes have one group where each lies in the other") {
    const CircleGroups groups = groups_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {"a"}}});
    CHECK(groups.at("a") == groups.at("b"));
    CHECK(groups.at("a") == groups.at("c"));
    CHECK(groups.at("a") != groups.at("d"));
}

TEST_CASE("a node that lies in two folders of one folder closes no circle") {
    const CircleGroups groups = groups_in({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}});
    CHECK(std::set<std::size_t>{groups.at("a"), groups.at("b"), groups.at("c"), groups.at("d")}
              .size() == 4);
}

TEST_CASE("what lies deep is asked once for each node") {
    constexpr std::size_t kDepth = 100'000;
    std::size_t asked = 0;
    auto groups =
        circle_groups({"0"}, [&](const std::string& node) -> sdk::Result<std::vector<std::string>> {
            ++asked;
            const std::size_t next = std::stoul(node) + 1;
            return next == kDepth ? std::vector<std::string>()
                                  : std::vector<std::string>{std::to_string(next)};
        });
    REQUIRE(groups.has_value());
    CHECK(groups->size() == kDepth);
    CHECK(asked == kDepth);
}

TEST_CASE("groups are those of a search from each node") {
    std::mt19937 random(20'261'127);
    for (int round = 0; round < 300; ++round) {
        Places places;
        const auto count = 2 + random() % 8;
        for (unsigned i = 0; i < count * 3 / 2; ++i)
            places[std::to_string(random() % count)].push_back(std::to_string(random() % count));
        const CircleGroups groups = groups_in(places);
        for (const auto& [one, first] : groups) {
            for (const auto& [other, second] : groups) {
                const bool is_circle = all_above(places, one).contains(other) &&
                                       all_above(places, other).contains(one);
                CHECK((first == second) == (one == other || is_circle));
            }
        }
    }
}

TEST_CASE("what cannot be read ends the walk") {
    const auto groups =
        circle_groups({"a"}, [](const std::string&) -> sdk::Result<std::vector<std::string>> {
            return sdk::make_error(sdk::ErrorKind::unavailable, "engine.broken", "it is broken");
        });
    REQUIRE(groups.has_error());
    CHECK(groups.error().code == "engine.broken");
}

}  // namespace stele::nodes
