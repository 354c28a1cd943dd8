#include "kernel/resource/body_bounds.hpp"

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
    CHECK(refused({{"ids", many(sdk::kMostBodyEntries)}}, parameters).empty());
    CHECK(refused({{"ids", many(sdk::kMostBodyEntries + 1)}}, parameters) == "ids");
    CHECK(refused({{"a", {{{"b", many(sdk::kMostBodyEntries + 1)}}}}}, parameters) == "a.0.b");
    CHECK(refused(many(sdk::kMostBodyEntries + 1), parameters) == "body");
    CHECK(refused(many(sdk::kMostBodyEntries), parameters).empty());
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

}  // namespace stele::kernel::resource
