#include <stele/sdk/json_difference.hpp>

#include <functional>
#include <random>
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
        const Json patch = json_difference(before, after).value();
        CHECK(patch.size() == 3);
        CHECK(before.patch(patch) == after);
    }
}

TEST_CASE("the order of members is no difference") {
    CHECK(json_difference({{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}).value().empty());
    CHECK(is_same_json({{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1.0}}));
    CHECK_FALSE(is_same_json({{"a", 1}}, {{"a", "1"}}));
    CHECK_FALSE(is_same_json({{"a", 1}}, {{"a", 1}, {"b", nullptr}}));
}

TEST_CASE("whatever changed in values of any kind, the patch makes one of the other") {
    std::mt19937 random(7);
    const auto below = [&](unsigned bound) { return random() % bound; };
    const std::function<Json(int)> any = [&](int depth) -> Json {
        const unsigned kind = below(depth == 0 ? 4 : 6);
        if (kind == 0) return nullptr;
        if (kind == 1) return static_cast<int>(below(3));
        if (kind == 2) return below(2) == 0;
        if (kind == 3) return std::string(below(3), 'x');
        Json value = kind == 4 ? Json::array() : Json::object();
        for (unsigned i = below(5); i > 0; --i) {
            if (kind == 4) {
                value.push_back(any(depth - 1));
            } else {
                const char* const names[] = {"a", "b/c", "~", "", "d"};
                value[names[below(5)]] = any(depth - 1);
            }
        }
        return value;
    };
    for (int i = 0; i < 2000; ++i) {
        const Json before = any(4);
        const Json after = any(4);
        CAPTURE(before, after);
        const Json patch = json_difference(before, after).value();
        REQUIRE(is_same_json(before.patch(patch), after));
        REQUIRE(patch.empty() == is_same_json(before, after));
    }
}

TEST_CASE("a patch that would be larger than its bound is refused before it is made") {
    Json before = {{std::string(1000, 'k'), Json::array()}};
    Json after = before;
    for (int i = 0; i < 20'000; ++i) {
        before.begin()->push_back(i);
        after.begin()->push_back(-i - 1);
    }
    const auto refused = json_difference(before, after);
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == ErrorKind::too_large);
    CHECK(refused.error().code == "json.difference_too_large");
    const Json values = {{"a", std::string(2000, 'x')}};
    CHECK(json_difference(Json::object(), values, 2000).has_error());
    CHECK(dump_json(json_difference(Json::object(), values, 2100).value()).size() <= 2100);
}

TEST_CASE("patches of a page have a bound together") {
    const Json after = {{"a", std::string(1000, 'x')}};
    std::size_t left = 2500;
    CHECK(take_json_difference({{"a", 1}}, after, left).has_value());
    CHECK(take_json_difference({{"a", 1}}, after, left).has_value());
    CHECK(left < 500);
    CHECK(take_json_difference({{"a", 1}}, after, left).has_error());
    CHECK(take_json_difference(after, after, left).has_value());
}

TEST_CASE("integers of 64 bits keep their digits in a patch between wide objects") {
    Json before = object_of(1000);
    Json after = before;
    after["member0"] = 9'007'199'254'740'993;
    const Json patch = json_difference(before, after).value();
    REQUIRE(patch.size() == 1);
    CHECK(patch[0]["op"] == "replace");
    CHECK(patch[0]["path"] == "/member0");
    CHECK(patch[0]["value"] == 9'007'199'254'740'993);
}

}  // namespace stele::sdk
