#include <stele/sdk/json_difference.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

Json object_of(int count) {
    Json object = Json::object();
    for (int i = 0; i < count; ++i)
        object["member" + std::to_string(i)] = i;
    return object;
}

}  // namespace

TEST_CASE("the patch between two objects makes one of the other, however many members they have") {
    for (const int count : {3, 2000}) {
        const Json before = object_of(count);
        Json after = before;
        after["member1"] = "changed";
        after["added"] = {{"x", 1}};
        after.erase("member2");
        const Json patch = json_difference(before, after);
        CHECK(patch.size() == 3);
        CHECK(before.patch(patch) == after);
    }
}

TEST_CASE("the order of members is no difference") {
    CHECK(json_difference({{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}).empty());
}

TEST_CASE("integers of 64 bits keep their digits in a patch between wide objects") {
    Json before = object_of(1000);
    Json after = before;
    after["member0"] = 9'007'199'254'740'993;
    const Json patch = json_difference(before, after);
    REQUIRE(patch.size() == 1);
    CHECK(patch[0]["op"] == "replace");
    CHECK(patch[0]["path"] == "/member0");
    CHECK(patch[0]["value"] == 9'007'199'254'740'993);
}

}  // namespace stele::sdk
