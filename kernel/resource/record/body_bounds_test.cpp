#include "kernel/resource/record/body_bounds.hpp"

#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

namespace {

sdk::Json many(std::size_t count) {
    sdk::Json array = sdk::Json::array();
    for (std::size_t i = 0; i < count; ++i)
        array.push_back(static_cast<int>(i));
    return array;
}

std::string refused(const sdk::Json& body, sdk::BodyUse use, const sdk::Bounds& bounds = {}) {
    const auto checked = check_bounds(body, use, bounds);
    if (checked) return {};
    CHECK(checked.error().kind == sdk::ErrorKind::invalid);
    REQUIRE(checked.error().violations.size() == 1);
    CHECK(checked.error().violations[0].code == "request.too_many_entries");
    return checked.error().violations[0].path;
}

}  // namespace

TEST_CASE("an array that nobody declares has the common bound, however deep it lies") {
    using enum sdk::BodyUse;
    CHECK(refused({{"ids", many(sdk::kMaxBodyEntries)}}, parameters).empty());
    CHECK(refused({{"ids", many(sdk::kMaxBodyEntries + 1)}}, parameters) == "ids");
    CHECK(refused({{"a", {{{"b", many(sdk::kMaxBodyEntries + 1)}}}}}, parameters) == "a.0.b");
    CHECK(refused(many(sdk::kMaxBodyEntries + 1), parameters) == "body");
    CHECK(refused(many(sdk::kMaxBodyEntries), parameters).empty());
}

TEST_CASE("arrays in one another have a bound together, in which no entry counts twice") {
    using enum sdk::BodyUse;
    const auto nested = [](std::size_t outer, std::size_t inner) {
        sdk::Json array = sdk::Json::array();
        for (std::size_t i = 0; i < outer; ++i)
            array.push_back(many(inner));
        return array;
    };
    CHECK(kMaxInnerEntries == 10'000);
    CHECK(refused({{"ids", nested(1000, 10)}}, parameters).empty());
    CHECK(refused({{"ids", nested(1000, 11)}}, parameters) == "ids");
    CHECK(refused({{"ids", nested(10, 1000)}, {"others", nested(10, 1000)}}, parameters).empty());
    CHECK(refused({{"a", {{"b", nested(11, 1000)}}}}, parameters) == "a");
    CHECK(refused({{"ids", nested(2000, 6)}}, parameters, {{"ids", 2000}}) == "ids");
    // Objects are what an entry consists of.
    sdk::Json rows = sdk::Json::array();
    for (int i = 0; i < 1000; ++i)
        rows.push_back({{"a", 1}, {"b", {{"c", 2}}}, {"d", {1, 2, 3}}});
    CHECK(refused({{"rows", rows}}, parameters).empty());
}

TEST_CASE("a declared bound holds in place of the common one, of arrays and of objects") {
    using enum sdk::BodyUse;
    const sdk::Bounds bounds{{"ids", 3}, {"nodes", 2, true}, {"", 4}};
    CHECK(refused({{"ids", many(3)}}, parameters, bounds).empty());
    CHECK(refused({{"ids", many(4)}}, parameters, bounds) == "ids");
    CHECK(refused({{"nodes", {{"a", 1}, {"b", 2}, {"c", 3}}}}, parameters, bounds) == "nodes");
    CHECK(refused({{"nodes", {{"a", many(5000)}}}}, parameters, bounds).empty());
    CHECK(refused(many(5), parameters, bounds) == "body");
}

TEST_CASE("arrays of records and queries are bounded only where that is declared") {
    using enum sdk::BodyUse;
    const sdk::Bounds bounds{{"groups", 3}};
    for (const auto use : {record, condition}) {
        CHECK(refused({{"ids", many(5000)}}, use).empty());
        CHECK(refused({{"groups", many(4)}}, use, bounds) == "groups");
    }
}

TEST_CASE("an object of a body has a bound of its members, however deep it lies") {
    const auto object_of = [](std::size_t count) {
        sdk::Json::object_t members;
        for (std::size_t i = 0; i < count; ++i)
            members.emplace_back(std::to_string(i), true);
        return sdk::Json(std::move(members));
    };
    CHECK(check_members(object_of(kMaxMembers)).has_value());
    const auto place_of = [](const sdk::Json& body) {
        const auto checked = check_members(body);
        REQUIRE_FALSE(checked.has_value());
        REQUIRE(checked.error().violations.size() == 1);
        CHECK(checked.error().violations[0].code == "request.too_many_members");
        return checked.error().violations[0].path;
    };
    CHECK(place_of(object_of(kMaxMembers + 1)) == "body");
    CHECK(place_of({{"a", {1, {{"b", object_of(kMaxMembers + 1)}}}}}) == "a.1.b");
}

TEST_CASE("a member of a record has a name of a bounded length, however deep it lies") {
    const std::string longest(kMaxNameBytes, 'n');
    const std::string longer = longest + "n";
    CHECK(check_names({{longest, {1, {{longest, 2}}}}, {"_system", {{longer, 1}}}}).has_value());
    const auto place_of = [](const sdk::Json& fields) {
        const auto checked = check_names(fields);
        REQUIRE_FALSE(checked.has_value());
        REQUIRE(checked.error().violations.size() == 1);
        CHECK(checked.error().violations[0].code == "field.name_too_long");
        return checked.error().violations[0].path;
    };
    CHECK(place_of({{longer, 1}}) == std::string(1021, 'n') + "\u2026");
    CHECK(place_of({{"a", {1, {{longer, 2}}}}}).starts_with("a.1.nnn"));
}

}  // namespace stele::kernel::resource
