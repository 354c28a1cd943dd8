#include "kernel/resource/registration/seed_members.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

namespace {

using sdk::Json;

/// Two plugins, one of which makes up what the seed leaves open.
SeedMembers two_plugins() {
    SeedMembers members;
    const auto complete = [](Json& lamp) -> std::vector<sdk::LoginLine> {
        const bool is_new = !lamp.contains("oil");
        if (is_new) lamp["oil"] = "made up";
        return {{"oil", lamp["oil"].get<std::string>(), is_new}};
    };
    REQUIRE(members.add("light", {"lamp", {"oil", "wick"}, complete}).has_value());
    REQUIRE(members.add("light", {"torch", {"pitch"}}).has_value());
    REQUIRE(members.add("stone", {"wall", {"height"}}).has_value());
    return members;
}

std::vector<std::string> complaints(const SeedMembers& members, const Json& seed) {
    std::vector<std::string> texts;
    const auto checked = members.check(seed);
    if (checked) return texts;
    CHECK(checked.error().kind == sdk::ErrorKind::invalid);
    for (const sdk::Violation& violation : checked.error().violations) {
        CHECK(violation.code == "instance.seed_invalid");
        texts.push_back(violation.message);
    }
    return texts;
}

}  // namespace

TEST_CASE("a seed says what plugins take of it, and the platform's title") {
    const SeedMembers members = two_plugins();
    CHECK(complaints(members, Json::object()).empty());
    CHECK(complaints(members, {{"lamp", {{"wick", "w"}}},
                               {"wall", {{"height", "3"}}},
                               {"platform", {{"title", "t"}}}})
              .empty());
    using Texts = std::vector<std::string>;
    CHECK(complaints(members, {{"lamp", {{"shade", "s"}}}}) == Texts{"lamp.shade is no seed"});
    CHECK(complaints(members, {{"lamp", {{"oil", ""}, {"wick", 1}}}}) ==
          Texts{"lamp.oil must be a text that is not empty",
                "lamp.wick must be a text that is not empty"});
    CHECK(complaints(members, {{"lamp", "oil"}}) == Texts{"lamp must be an object"});
    CHECK(complaints(members, {{"door", {{"key", "k"}}}}) ==
          Texts{"door.key is no seed of the enabled plugins"});
}

TEST_CASE("what nobody chose is made up, kept and told") {
    const SeedMembers members = two_plugins();
    for (const bool is_chosen : {false, true}) {
        Json seed = {{"wall", {{"height", "3"}}}};
        if (is_chosen) seed["lamp"] = {{"oil", "chosen"}};
        const auto lines = members.complete(seed);
        REQUIRE(lines.has_value());
        REQUIRE(lines->size() == 1);
        const std::string expected = is_chosen ? "chosen" : "made up";
        CHECK((*lines)[0].label == "oil");
        CHECK((*lines)[0].value == expected);
        CHECK((*lines)[0].is_shown_once == !is_chosen);
        CHECK(seed["lamp"]["oil"] == expected);
        CHECK(seed["wall"]["height"] == "3");
    }
}

TEST_CASE("each plugin is given its own members of the seed only") {
    const PluginSeeds seeds = two_plugins().by_plugin(
        {{"torch", {{"pitch", "p"}}}, {"lamp", {{"oil", "o"}}}, {"wall", {{"height", "3"}}}});
    CHECK(seeds.size() == 2);
    CHECK(seeds.at("light") == Json({{"lamp", {{"oil", "o"}}}, {"torch", {{"pitch", "p"}}}}));
    CHECK(seeds.at("stone") == Json({{"wall", {{"height", "3"}}}}));
}

TEST_CASE("a member of the seed belongs to one plugin, and has texts") {
    SeedMembers members = two_plugins();
    for (const char* taken : {"lamp", "platform"}) {
        const auto added = members.add("stone", {taken, {"text"}});
        REQUIRE_FALSE(added);
        CHECK(added.error().code == "plugin.seed_duplicate");
    }
    for (const sdk::SeedMember& member :
         {sdk::SeedMember{"", {"text"}}, {"empty", {}}, {"nameless", {"text", ""}}}) {
        const auto added = members.add("stone", member);
        REQUIRE_FALSE(added);
        CHECK(added.error().code == "plugin.descriptor_incomplete");
    }
}

TEST_CASE("an exception from whoever completes a seed stops the preparation") {
    SeedMembers members;
    const auto complete = [](Json&) -> std::vector<sdk::LoginLine> {
        throw std::runtime_error("no");
    };
    REQUIRE(members.add("rude", {"door", {"key"}, complete}).has_value());
    Json seed = Json::object();
    const auto lines = members.complete(seed);
    REQUIRE_FALSE(lines.has_value());
    CHECK(lines.error().code == "plugin.threw");
}

}  // namespace stele::kernel::resource
