#include <catch2/catch.hpp>

#include "expression_text.hpp"
#include "query_syntax.hpp"

namespace stele::node_search {

namespace {

struct SyntaxCase {
    const char* text;
    const char* wanted;
};

std::string syntax_outcome(std::string_view text, const SyntaxOptions& options = {}) {
    const auto parsed = parse_query_text(text, "search", options);
    if (parsed) return expression_text(*parsed);
    REQUIRE(parsed.error().kind == sdk::ErrorKind::invalid);
    REQUIRE(parsed.error().violations.size() == 1);
    REQUIRE(parsed.error().violations[0].path == "search");
    REQUIRE(parsed.error().violations[0].code == "node_search.text_invalid");
    return parsed.error().violations[0].message;
}

}  // namespace

TEST_CASE("texts mean what query strings mean elsewhere") {
    const SyntaxCase cases[] = {
        {"war", "[war]"},
        {"  war  ", "[war]"},
        {"War AND Peace", "(+[war] +[peace])"},
        {"War and Peace", "([war] [and] [peace])"},
        {"War or Peace", "([war] [or] [peace])"},
        {"War OR Peace", "([war] [peace])"},
        {"War || Peace && War", "([war] (+[peace] +[war]))"},
        {"a b AND c d", "([a] (+[b] +[c]) [d])"},
        {"a AND NOT b", "(+[a] -[b])"},
        {"a AND -b AND c", "(+[a] +[c] -[b])"},
        {"NOT a", "(-[a])"},
        {"NOT NOT a", "[a]"},
        {"!a b", "([b] -[a])"},
        {"+a -b c", "(+[a] [c] -[b])"},
        {"(a OR b) AND c", "(+([a] [b]) +[c])"},
        {"title:War and Peace", "(title:[war] [and] [peace])"},
        {"title: War", "title:[war]"},
        {"title:\"War and Peace\"", "title:[war and peace]"},
        {"\"war peace\"~3", "[war peace]~3"},
        {"\"say \\\"no\\\"\"", "[say no]"},
        {"title:(war peace)", "(title:[war] title:[peace])"},
        {"title:(war author:leo)", "(title:[war] author:[leo])"},
        {"a.b:c", "a.b:[c]"},
        {"war^2 peace^0.5", "([war]^2 [peace]^0.5)"},
        {"(a b)^3", "([a] [b])^3"},
        {"wa*", "/wa*/"},
        {"W?r", "/w?r/"},
        {"title:*ar", "title:/*ar/"},
        {"*", "*"},
        {"title:*", "title:present"},
        {"_exists_:title", "title:present"},
        {"wra~", "[wra]~0"},
        {"wra~1", "[wra]~1"},
        {"self-hosted", "[self hosted]"},
        {"war\\*", "[war]"},
        {"war\\:peace", "[war peace]"},
        {"\\AND", "[and]"},
        {"http://example.com", "[http example.com]"},
        {"a - b", "([a] [] [b])"},
        {"rock'n'roll", "[rock'n'roll]"},
        {"Straße", "[strasse]"},
        {"andor", "[andor]"},
        {"ANDOR", "[andor]"},
    };
    for (const SyntaxCase& each : cases) {
        CAPTURE(each.text);
        CHECK(syntax_outcome(each.text) == each.wanted);
    }
}

TEST_CASE("wrong texts are refused with the place") {
    const SyntaxCase cases[] = {
        {"", "must not be empty"},
        {"  ", "must not be empty"},
        {"\"war", "at character 5: a quotation mark is not closed"},
        {"\"war\\", "at character 6: a quotation mark is not closed"},
        {"(war", "at character 5: a parenthesis is not closed"},
        {"()", "at character 2: a term is missing"},
        {"war)", "at character 4: a parenthesis is closed that was not opened"},
        {"ü)", "at character 2: a parenthesis is closed that was not opened"},
        {"AND war", "at character 4: AND needs a term on both sides"},
        {"war AND", "at character 8: AND needs a term on both sides"},
        {"OR war", "at character 4: OR needs a term on both sides"},
        {"war OR", "at character 7: OR needs a term on both sides"},
        {"war OR OR peace", "at character 10: OR needs a term on both sides"},
        {"title:", "at character 7: nothing stands behind 'title:'"},
        {"(title:)", "at character 8: nothing stands behind 'title:'"},
        {"ti*le:war", "at character 7: the name of a field has no wildcards"},
        {"year:[1 TO 2]", "at character 6: ranges are not searched; queries have them"},
        {"war^", "at character 5: ^ needs a number above 0, at most 1000"},
        {"war^0", "at character 6: ^ needs a number above 0, at most 1000"},
        {"war^nan", "at character 5: ^ needs a number above 0, at most 1000"},
        {"war~3", "at character 6: ~ behind a word takes 1 or 2 edits"},
        {"wa*~", "at character 5: ~ stands behind a single word without wildcards"},
        {"\"war\"~", "at character 7: ~ behind a phrase needs a number from 0 to 1000"},
    };
    for (const SyntaxCase& each : cases) {
        CAPTURE(each.text);
        CHECK(syntax_outcome(each.text) == each.wanted);
    }
}

TEST_CASE("a default field and operator take the place of all fields and OR") {
    const SyntaxOptions options{.field = "title", .is_and = true};
    CHECK(syntax_outcome("a b", options) == "(+title:[a] +title:[b])");
    CHECK(syntax_outcome("a OR b", options) == "(+title:[a] title:[b])");
    CHECK(syntax_outcome("x:a -b", options) == "(+x:[a] -title:[b])");
}

TEST_CASE("texts are bounded in size, terms and depth") {
    CHECK(syntax_outcome(std::string(20'000, 'a')) == "must not have more than 16384 bytes");
    std::string terms;
    for (int i = 0; i < 1001; ++i)
        terms += "a ";
    CHECK(syntax_outcome(terms) == "must not have more than 1000 terms");
    CHECK(syntax_outcome(std::string(60, '(') + "a") == "at character 51: nested deeper than 50");
    // At each bound, and one beyond (docs/reference/search.md).
    const auto nested = [](std::size_t deep) {
        return syntax_outcome(std::string(deep, '(') + "a" + std::string(deep, ')'));
    };
    CHECK(nested(50) == nested(1));
    CHECK(nested(51) == "at character 51: nested deeper than 50");
    const auto words = [](int count) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += "a ";
        return syntax_outcome(text);
    };
    CHECK(words(1000).find("must not") == std::string::npos);
    CHECK(words(1001) == "must not have more than 1000 terms");
    const auto bytes = [](std::size_t count) {
        return syntax_outcome("a" + std::string(count - 1, ' '));
    };
    CHECK(bytes(16'384) == bytes(1));
    CHECK(bytes(16'385) == "must not have more than 16384 bytes");
}

}  // namespace stele::node_search
