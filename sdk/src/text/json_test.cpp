#include <stele/sdk/json.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using stele::sdk::append_json_string;
using stele::sdk::dump_json;
using stele::sdk::Json;
using stele::sdk::parse_json;

namespace {

std::string nested(int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']');
}

void check_refused(std::string_view text, std::string_view expected) {
    INFO(text.substr(0, 80));
    const auto result = parse_json(text);
    REQUIRE(result.has_error());
    CHECK(result.error().kind == stele::sdk::ErrorKind::invalid);
    CHECK(result.error().code == "json.malformed");
    CHECK_THAT(result.error().message, Catch::Contains(std::string(expected)));
}

}  // namespace

TEST_CASE("JSON text comes back as it went in, members in their order") {
    const std::string text = GENERATE(
        as<std::string>{}, R"({"z":1,"a":{"c":[1,-2,3.5,true,false,null],"b":"x"},"m":[]})", "[]",
        "{}", R"("text")", "12", "null", R"([[[]],{"a":{}}])", "18446744073709551615",
        "-9223372036854775808", R"({"ä":"€𝄞"})");
    const auto value = parse_json(text);
    REQUIRE(value.has_value());
    CHECK(dump_json(*value) == text);
}

TEST_CASE("an empty or blank text is an empty object") {
    const std::string text = GENERATE(as<std::string>{}, "", " ", "\r\n\t ");
    CHECK(parse_json(text).value() == Json::object());
}

TEST_CASE("broken syntax is refused with the place") {
    check_refused("{\"a\":}", "at byte 6");
    check_refused("[1,]", "at byte 4");
    check_refused("[1", "at byte 3");
    check_refused("{} x", "at byte 4");
    check_refused("{'a':1}", "at byte 2");
    check_refused("[01]", "malformed");
    check_refused("nul", "malformed");
    check_refused("[1] // no", "malformed");
}

TEST_CASE("bytes that are no text are refused") {
    check_refused("\"\xff\"", "UTF-8");
    check_refused("\"\xc0\xaf\"", "UTF-8");
    check_refused("\"\xed\xa0\x80\"", "UTF-8");
    check_refused(R"("\ud800")", "surrogate");
    check_refused(std::string_view("{}\0garbage", 10), "at byte 3: it contains a NUL");
    check_refused(std::string_view("\"\0\"", 3), "NUL");
    check_refused(R"({"a\u0000b":1})", "member name");
}

TEST_CASE("what the parser quotes of bad bytes stays out of the message") {
    const auto result = parse_json("\"" + std::string(100'000, 'x') + "\xff\"");
    REQUIRE(result.has_error());
    CHECK(result.error().message.size() < 200);
    CHECK(result.error().message.find('\xff') == std::string::npos);
}

TEST_CASE("a NUL inside a string value is text") {
    CHECK(parse_json(R"(["\u0000"])").value()[0].get<std::string>() == std::string(1, '\0'));
}

TEST_CASE("numbers beyond a double are refused, large integers become doubles") {
    check_refused("1e400", "range of a double");
    check_refused("[-1e999]", "range of a double");
    CHECK(parse_json("18446744073709551616").value().get<double>() == 18446744073709551616.0);
    CHECK(parse_json("1e308").value().get<double>() == 1e308);
}

TEST_CASE("a member that appears twice is refused, however many there are") {
    check_refused(R"({"a":1,"b":2,"a":3})", "'a' appears twice");
    check_refused(R"([{"x":{"a":1,"a":1}}])", "at byte 16: the member 'a'");
    std::string many = "{";
    for (int i = 0; i < 1000; ++i)
        many += "\"m" + std::to_string(i) + "\":1,";
    CHECK(parse_json(many + "\"last\":1}").has_value());
    check_refused(many + "\"m500\":1}", "'m500' appears twice");
    CHECK(parse_json(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})").has_value());
}

TEST_CASE("nesting is bounded, and far too deep texts are refused cheaply") {
    CHECK(parse_json(nested(100)).has_value());
    check_refused(nested(101), "at byte 101: it is nested deeper than 100 levels");
    check_refused(nested(20'000), "at byte 101");
    check_refused(std::string(10'000'000, '['), "at byte 101");
    std::string objects;
    for (int i = 0; i < 20'000; ++i)
        objects += "{\"a\":";
    check_refused(objects, "deeper");
    CHECK(parse_json(nested(300), {.depth = 300}).has_value());
    CHECK(parse_json("[]", {.depth = 0}).has_error());
}

TEST_CASE("writing never fails, even when text is not UTF-8") {
    const std::string text = dump_json(Json{{"a", "x\xffy"}});
    CHECK(text == "{\"a\":\"x\xef\xbf\xbdy\"}");
    std::string appended;
    append_json_string(appended, "x\xffy\xe2\x82");
    CHECK(appended == "\"x\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST_CASE("a value is written as the library writes it") {
    const Json value = {
        {"none", nullptr},
        {"flags", {true, false}},
        {"empty", {{"object", Json::object()}, {"array", Json::array()}}},
        {"integers",
         {0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::uint64_t>::max()}},
        {"reals",
         {0.0, -0.0, 1.0, 0.1, 1.0 / 3, -2.5e-300, 1e300, 1e15, 1e16,
          std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity()}},
        {"na\"me\n", "te\\xt\t"},
        {"", ""}};
    CHECK(dump_json(value) == value.dump());
    for (const Json& member : value)
        CHECK(dump_json(member) == member.dump());
}

TEST_CASE("an appended string is what the library writes") {
    std::mt19937 random(7);
    const std::vector<std::string> pieces{"a",    "seven p", "\"", "\\", "\n",          "\t",
                                          "\r",   "\b",      "\f", "/",  "\x1",         "\x1f",
                                          "\x7f", "ä",       "€",  "𝄞",  "\xed\x9f\xbf"};
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (auto n = random() % 12; n > 0; --n)
            text += pieces[random() % pieces.size()];
        std::string appended = "kept";
        append_json_string(appended, text);
        REQUIRE(appended == "kept" + Json(text).dump());
        REQUIRE(parse_json(appended.substr(4)).value().get<std::string>() == text);
    }
}
