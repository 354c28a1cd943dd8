#include "placeholders.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::email_providers {
namespace {

sdk::Result<std::string> filled(const char* text, const char* model,
                                PlaceholderText kind = PlaceholderText::plain) {
    return fill_in(text, *sdk::parse_json(model), kind, "body", 1000);
}

TEST_CASE("placeholders are replaced by the model's values") {
    struct Case {
        const char* text;
        const char* model;
        const char* wanted;
    };
    const Case cases[] = {
        {"", "{}", ""},
        {"no placeholder $ { } $x", "{}", "no placeholder $ { } $x"},
        {"Dear ${name}!", R"({"name":"Ann"})", "Dear Ann!"},
        {"${a}${a}", R"({"a":"x"})", "xx"},
        {"${a.b.c}", R"({"a":{"b":{"c":"deep"}}})", "deep"},
        {"${n} ${d} ${t}", R"({"n":12,"d":1.5,"t":true})", "12 1.5 true"},
        {"<${nothing}>", R"({"nothing":null})", "<>"},
        {"$${name}", "{}", "${name}"},
        {"$$${name}", "{}", "$${name}"},
        // A value is no text to look for placeholders in.
        {"${a}{b}", R"({"a":"$","b":"x"})", "${b}"},
        {"${a}", R"({"a":"${b}","b":"x"})", "${b}"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.text);
        const auto text = filled(one.text, one.model);
        REQUIRE(text.has_value());
        CHECK(*text == one.wanted);
    }
}

TEST_CASE("a placeholder without a value is refused and named") {
    for (const char* text : {"${b}", "${a.b}", "${o}", "${l}", "${}", "${a", "${a ?: 1}"}) {
        CAPTURE(text);
        const auto result = filled(text, R"({"a":"x","o":{},"l":[1]})");
        REQUIRE(result.has_error());
        REQUIRE(result.error().violations.size() == 1);
        CHECK(result.error().violations[0].path == "body");
        CHECK(result.error().violations[0].code == "email_providers.placeholder_unknown");
    }
}

TEST_CASE("values cannot add markup to HTML") {
    const auto text =
        filled("<p title='${a}'>${a}</p>", R"({"a":"<b>&\"'"})", PlaceholderText::html);
    REQUIRE(text.has_value());
    CHECK(*text == "<p title='&lt;b&gt;&amp;&quot;&#39;'>&lt;b&gt;&amp;&quot;&#39;</p>");
}

TEST_CASE("values cannot end a header line") {
    for (const char* model : {R"({"a":"x\r\nBcc: y@z"})", R"({"a":"x\ny"})", R"({"a":"\u0000"})"}) {
        const auto text = filled("Hello ${a}", model, PlaceholderText::header_line);
        REQUIRE(text.has_error());
        CHECK(text.error().violations.at(0).code == "email_providers.header_malformed");
    }
}

TEST_CASE("a text that its values make longer than a mail may be is given up while it grows") {
    const std::string value = R"({"a":")" + std::string(100, 'x') + R"("})";
    std::string text;
    for (int i = 0; i < 10; ++i)
        text += "${a}";
    CHECK(filled(text.c_str(), value.c_str()).has_value());
    text += "${a}";
    const auto refused = filled(text.c_str(), value.c_str());
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "email_providers.message_too_large");
}

TEST_CASE("a text with more placeholders than a mail may have is refused by name") {
    std::string text;
    for (std::size_t i = 0; i <= kMaxPlaceholders; ++i)
        text += "${a}";
    const auto refused = filled(text.c_str(), R"({"a":null})");
    REQUIRE_FALSE(refused.has_value());
    REQUIRE(refused.error().violations.size() == 1);
    CHECK(refused.error().violations[0].code == "email_providers.placeholders_too_many");
    CHECK(refused.error().violations[0].path == "body");
}

}  // namespace
}  // namespace stele::email_providers
