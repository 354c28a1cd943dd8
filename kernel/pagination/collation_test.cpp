#include "kernel/pagination/collation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <stele/sdk/json.hpp>
#include <vector>

#include "kernel/pagination/sort_order.hpp"

namespace stele::kernel::pagination {
namespace {

using sdk::SortOptions;
using Words = std::vector<std::string>;

constexpr std::size_t kPadding = 64;

std::string key_of(SortOrder& order, const std::string& word) {
    std::string text = "{\"t\":";
    sdk::append_json_string(text, word);
    text += '}';
    const std::size_t size = text.size();
    text.append(kPadding, '\0');
    std::string key;
    order.key_of(std::string_view(text).substr(0, size), key);
    return key;
}

Words sorted(Words words, const SortOptions& options) {
    auto order = SortOrder::make({{"t", true}}, options, false);
    REQUIRE(order.has_value());
    std::stable_sort(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
        return key_of(*order, a) < key_of(*order, b);
    });
    return words;
}

/// The list stands as a native reader would write it; no two of its words count as equal.
void check_order(const Words& expected, const SortOptions& options) {
    for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
        INFO(options.locale << ", seed " << seed);
        Words words = expected;
        std::shuffle(words.begin(), words.end(), std::mt19937(seed));
        CHECK(sorted(words, options) == expected);
    }
}

TEST_CASE("German dictionaries put an umlaut beside its vowel") {
    check_order({"Adler", "Apfel",    "Äpfel", "Apfelbaum", "Azur", "bad",   "Goethe",
                 "Gold",  "Goldmann", "Göthe", "Götz",      "Maß",  "Masse", "Mast",
                 "Ofen",  "Öl",       "Opa",   "Übel",      "Uhr",  "Zahl"},
                {.locale = "de"});
}

TEST_CASE("German phone books read an umlaut as the vowel with e") {
    check_order({"Adler", "Äpfel", "Affe", "Apfel", "Apfelbaum", "Azur", "Goethe", "Göthe", "Götz",
                 "Gold", "Goldmann", "Öl", "Ofen", "Opa", "Übel", "Uhr", "Zahl"},
                {.locale = "de@collation=phonebook"});
}

TEST_CASE("Swedish has å, ä and ö after z") {
    check_order({"Adam", "Anna", "Orm", "Zebra", "Åland", "Ångström", "Älg", "Ärla", "Ö", "Öland"},
                {.locale = "sv"});
}

TEST_CASE("Czech has ch after h, and č, ř, š and ž as letters of their own") {
    check_order({"cena", "cukr", "čaj", "čert", "dům", "had", "husa", "chata", "chléb", "ihned",
                 "jaro", "ruka", "řeka", "sen", "šaty", "zima", "žába"},
                {.locale = "cs"});
}

TEST_CASE("Canadian French looks at accents from the end, French from the beginning") {
    check_order({"cote", "côte", "coté", "côté"}, {.locale = "fr_CA"});
    check_order({"cote", "coté", "côte", "côté"}, {.locale = "fr"});
}

TEST_CASE("Japanese follows the kana, voiced after voiceless, and JIS order for kanji") {
    check_order({"アイス", "あお", "いえ", "うみ", "えき", "おか", "かき", "かぎ", "がき", "かに",
                 "さくら", "シロ", "は", "ば", "ぱ", "はな", "亜", "阿", "愛"},
                {.locale = "ja"});
}

TEST_CASE("with only a locale case does not count, accents do") {
    CHECK(sorted({"b", "A", "B", "a"}, {.locale = "en"}) == Words{"A", "a", "b", "B"});
    CHECK(sorted({"A", "a"}, {.locale = "en"}) == Words{"A", "a"});
    CHECK(sorted({"a", "A"}, {.locale = "en"}) == Words{"a", "A"});
    check_order({"resume", "résumé"}, {.locale = "en"});
}

TEST_CASE("caseFirst decides among strings that are equal apart from case") {
    using sdk::CaseFirst;
    check_order({"Ab", "ab", "AC", "Ac", "aC", "ac", "B", "b"},
                {.locale = "en", .case_first = CaseFirst::upper});
    check_order({"ab", "Ab", "ac", "aC", "Ac", "AC", "b", "B"},
                {.locale = "en", .case_first = CaseFirst::lower});
}

TEST_CASE("numericOrdering compares digits inside strings as numbers") {
    check_order({"1 X", "2 X", "10 X", "Kapitel 9", "Kapitel 10", "v1a", "v01b", "v2"},
                {.locale = "de", .numeric_ordering = true});
    check_order({"1 X", "10 X", "2 X"}, {.locale = "de"});
}

TEST_CASE("an unknown locale falls back to its language, then to the root collation") {
    check_order({"zebra", "ångström"}, {.locale = "sv_XX"});
    check_order({"zebra", "ångström"}, {.locale = "sv-SE"});
    check_order({"ångström", "zebra"}, {.locale = "xx_YY"});
    check_order({"ångström", "zebra"}, {.locale = "nonsense-that-is-no-locale"});
    check_order({"Affe", "Äpfel"}, {.locale = "de@collation=nosuchthing"});
    check_order({"a", "b"}, {.locale = "@@==;;--__"});
}

TEST_CASE("a text that cannot name a locale is refused") {
    for (const std::string& locale : {std::string("de DE"), std::string("../de"),
                                      std::string(65, 'a'), std::string("d\0e", 3)}) {
        const auto order = SortOrder::make({{"t", true}}, {.locale = locale}, false);
        REQUIRE(order.has_error());
        CHECK(order.error().kind == sdk::ErrorKind::invalid);
    }
}

TEST_CASE("more locales than are kept still work") {
    for (int i = 0; i < 200; ++i)
        check_order({"a", "b"}, {.locale = "de_X" + std::to_string(i)});
}

}  // namespace
}  // namespace stele::kernel::pagination
