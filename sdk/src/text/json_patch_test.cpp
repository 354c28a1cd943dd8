#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json_patch.hpp>

namespace stele::sdk {

namespace {

/// An array in an array and so on.
Json nested(int depth) {
    Json value = Json::array();
    for (int i = 1; i < depth; ++i)
        value = Json::array({std::move(value)});
    return value;
}

Json add(const std::string& path, Json value) {
    return Json::array({{{"op", "add"}, {"path", path}, {"value", std::move(value)}}});
}

}  // namespace

TEST_CASE("a patch nests values as deeply as a body may, and no deeper") {
    const int most = JsonLimits{}.depth;
    const Json before = {{"a", Json::object()}};
    CHECK(patched(before, add("/b", nested(most - 1))).has_value());
    CHECK(patched(before, add("/a/b", nested(most - 2))).has_value());
    for (const Json& patch : {add("/b", nested(most)), add("/a/b", nested(most - 1))}) {
        const auto refused = patched(before, patch);
        REQUIRE(refused.has_error());
        CHECK(refused.error().violations.at(0).code == "json.patch_too_costly");
    }
    // What is copied counts like what is sent.
    const Json deep = {{"a", nested(most - 1)}, {"b", Json::array()}};
    CHECK(
        patched(deep, Json::array({{{"op", "copy"}, {"from", "/a"}, {"path", "/c"}}})).has_value());
    CHECK(patched(deep, Json::array({{{"op", "copy"}, {"from", "/a"}, {"path", "/b/0"}}}))
              .has_error());
}

TEST_CASE("a patch has at most a thousand operations") {
    Json operations = Json::array();
    for (int i = 0; i < 1000; ++i)
        operations.push_back({{"op", "add"}, {"path", "/n"}, {"value", i}});
    CHECK(patched(Json::object(), operations).value() == Json{{"n", 999}});
    operations.push_back({{"op", "remove"}, {"path", "/n"}});
    CHECK(patched(Json::object(), operations).has_error());
}

}  // namespace stele::sdk
