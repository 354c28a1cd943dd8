#include "placeholders.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::email_providers {
namespace {

sdk::Result<std::string> filled(const char* text, const char* model,
                                PlaceholderText kind = PlaceholderText::plain) {
    return fill_in(text, *sdk::parse_json(model), kind, "body");
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

}  // namespace
}  // namespace stele::email_providers
