#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "candidates.hpp"
#include "node_text.hpp"
#include "terms.hpp"
#include "vocabulary.hpp"
#include "words.hpp"

namespace stele::node_search {

using Words = std::vector<std::string>;

TEST_CASE("words are whole, folded and in order") {
    CHECK(words_of("War and Peace") == Words{"war", "and", "peace"});
    CHECK(words_of("  ,;!  ").empty());
    CHECK(words_of("self-hosted server") == Words{"self", "hosted", "server"});
    CHECK(words_of("3.5 kg, 1,000 m") == Words{"3.5", "kg", "1,000", "m"});
    CHECK(words_of("ÜBER Straße ΣΊΣΥΦΟΣ") == Words{"über", "strasse", "σίσυφοσ"});
    CHECK(words_of("ﬁne ｆｕｌｌ") == Words{"fine", "full"});
    CHECK(words_of("e\u0301te\u0301") == words_of("été"));
    CHECK(words_of("don't a_b") == Words{"don't", "a_b"});
    CHECK(words_of("Ab12CD") == Words{"ab12cd"});
    CHECK(words_of("my:note") == Words{"my", "note"});
}

TEST_CASE("words of plain texts are those that the rules of Unicode find") {
    std::mt19937 random(1);
    const std::string signs = "aZ09_ _  .,:;'\"!?()-+#*/\\@&%$~`|<>[]{}^=\t\n\r\v\f\x01\x7f";
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::size_t left = random() % 12; left > 0; --left)
            text += random() % 8 == 0 ? static_cast<char>(random() % 128)
                                      : signs[random() % signs.size()];
        INFO(sdk::dump_json(text));
        REQUIRE(words_of(text) == words_by_rules(text));
    }
    for (const std::string text :
         {"a b\u0301 c", " \u0301a", "x\u00ADy z", "a\u00A0b c", "\u200Da b"})
        CHECK(words_of(text) == words_by_rules(text));
}

TEST_CASE("words of languages without blanks are found by their dictionary") {
    CHECK(words_of("東京都").size() >= 1);
    CHECK(words_of("สวัสดีครับ").size() >= 2);
}

TEST_CASE("every text, number and truth value of a node has a path") {
    simdjson::dom::parser parser;
    const simdjson::dom::object node = parser.parse(
        R"({"title":"a","deep":{"list":["b",{"x":5},[true]],"none":null,"half":0.5},
            "_system":{"by":"c","year":2026,"made_on":{"timestamp":"d","iso_8601":"e"}}})"_padded);
    std::vector<std::string> seen;
    for_each_text(node, [&](const FieldText& field) {
        seen.push_back(std::string(field.path) + "=" + std::string(field.text) +
                       (field.is_in_all ? "" : " alone"));
    });
    CHECK(seen == Words{"title=a", "deep.list=b", "deep.list.x=5", "deep.list=true alone",
                        "deep.half=0.5", "_system.by=c alone", "_system.made_on.iso_8601=e alone"});
}

TEST_CASE("patterns stand for runs and single characters") {
    CHECK(fits_pattern("war", "w*r"));
    CHECK(fits_pattern("war", "w?r"));
    CHECK(fits_pattern("über", "?ber"));
    CHECK(fits_pattern("war", "*"));
    CHECK(fits_pattern("warfare", "*ar*e"));
    CHECK_FALSE(fits_pattern("war", "w?"));
    CHECK_FALSE(fits_pattern("war", "ar"));
    CHECK_FALSE(fits_pattern("war", "war?"));
    CHECK_FALSE(fits_pattern("warm", "*ar"));
}

TEST_CASE("edits are counted by characters") {
    CHECK(edit_distance("war", "war", 2) == 0);
    CHECK(edit_distance("über", "uber", 2) == 1);
    CHECK(edit_distance("kitten", "sitting", 3) == 3);
    CHECK(edit_distance("a", "abcd", 2) > 2);
}

TEST_CASE("terms are as short as the index wants and differ where their texts do") {
    const Terms terms({3, 7});
    const std::string path(300, 'p');
    const std::string word(300, 'w');
    CHECK(terms.word(path, word).size() <= 245);
    CHECK(terms.word(path, word) != terms.word(path, word + "w"));
    CHECK(terms.word(path, word) != terms.word(path + "p", word));
    CHECK(terms.word("a", "b") != terms.word("", "b"));
    CHECK(terms.word("_system.created_by", "b") != terms.word("_system.edited_by", "b"));
    CHECK(terms.word("_type", "b") != terms.word("#B", "b"));
    CHECK(terms.version(1, std::string(300, 'n'), 1).size() <= 245);
    CHECK(read_space_name(space_name({3, 7})) == sdk::ContentSpace{3, 7});
    CHECK_FALSE(read_space_name("3.7x").has_value());
}

TEST_CASE("the value of a document tells its version and sorts by nodes") {
    std::string former;
    for (const std::string node : {"", "0199aa00ff1234567890", "0199aa0100000000000a", "A1", "a"}) {
        const std::string value = version_value({0, 3, 1'000'000, node});
        const auto read = read_version_value(value);
        REQUIRE(read.has_value());
        CHECK(read->line == 3);
        CHECK(read->revision == 1'000'000);
        CHECK(read->node == node);
        CHECK(former < value);
        former = value;
    }
    CHECK_FALSE(read_version_value("").has_value());
    CHECK_FALSE(read_version_value(former.substr(0, 1)).has_value());
    CHECK_FALSE(read_version_value(former.substr(0, former.size() - 1)).has_value());
}

}  // namespace stele::node_search
