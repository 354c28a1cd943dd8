#include <stele/sdk/text.hpp>

#include <catch2/catch.hpp>

namespace stele::sdk {

TEST_CASE("trimming takes blanks and tabs off both ends and nothing else") {
    CHECK(trimmed(" \t a\tb \t") == "a\tb");
    CHECK(trimmed("a") == "a");
    CHECK(trimmed(" \t ").empty());
    CHECK(trimmed("").empty());
    CHECK(trimmed("\r\n a \n") == "\r\n a \n");
}

TEST_CASE("a list is taken apart piece by piece") {
    std::string_view rest = "a,,b";
    CHECK(take_until(rest, ',') == "a");
    CHECK(take_until(rest, ',').empty());
    CHECK(rest == "b");
    CHECK(take_until(rest, ',') == "b");
    CHECK(rest.empty());
}

TEST_CASE("a token character is one of RFC 9110, 5.6.2") {
    for (const char c : std::string_view("azAZ09!#$%&'*+-.^_`|~"))
        CHECK(is_token_character(c));
    for (const char c : std::string_view("\"(),/:;<=>?@[\\]{} \t\x7f\0\xc3", 22))
        CHECK_FALSE(is_token_character(c));
}

// RFC 9110, 12.4.2: a number from 0 to 1 with at most three decimals; names in any case.
TEST_CASE("the weight 0 of a header's element is seen, however it is written") {
    for (const char* parameters :
         {"q=0", "q=0.000", " q=0 ", "Q=0", "level=1;q=0", "q=0;level=1"}) {
        INFO(parameters);
        CHECK(has_zero_weight(parameters));
    }
    for (const char* parameters : {"", "q=1", "q=0.001", "q=0.5", "level=0", "xq=0", "level=1"}) {
        INFO(parameters);
        CHECK_FALSE(has_zero_weight(parameters));
    }
}

TEST_CASE("an unreserved character is one of RFC 3986, 2.3") {
    for (const char c : std::string_view("azAZ09-._~"))
        CHECK(is_unreserved(c));
    for (const char c : std::string_view("!*'();:@&=+$,/?#[]% \xc3"))
        CHECK_FALSE(is_unreserved(c));
}

TEST_CASE("a character of several bytes is one") {
    const std::string_view text = "\xE2\x82\xAC\xC3\xBC!";  // the sign for euro, u with two dots
    CHECK(first_character(text) == "\xE2\x82\xAC");
    CHECK(first_character("!a") == "!");
    CHECK(first_character("").empty());
    CHECK(character_count(text) == 3);
    CHECK(character_count("") == 0);
}

TEST_CASE("text is cut before the character that does not fit") {
    const std::string_view text = "a\xE2\x82\xAC";  // the sign for euro
    CHECK(cut_to(text, 4) == text);
    CHECK(cut_to(text, 3) == "a");
    CHECK(cut_to(text, 2) == "a");
    CHECK(cut_to(text, 1) == "a");
    CHECK(cut_to(text, 0).empty());
}

// Unicode 15, table 3-7: first and last sequence of each row, and their neighbours.
TEST_CASE("UTF-8 is what the Unicode standard lists and nothing else") {
    for (const std::string_view text :
         {"", "abcdefgh\x7f", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xE0\xBF\xBF",
          "\xE1\x80\x80", "\xEC\xBF\xBF", "\xED\x80\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
          "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF0\xBF\xBF\xBF", "\xF1\x80\x80\x80",
          "\xF3\xBF\xBF\xBF", "\xF4\x80\x80\x80", "\xF4\x8F\xBF\xBF",
          "ten bytes \xC3\xBC and more \xC3\xBC"}) {
        INFO(text);
        CHECK(is_utf8(text));
    }
    for (const std::string_view text : {"\x80",
                                        "\xBF",
                                        "\xC0\x80",
                                        "\xC1\xBF",
                                        "\xC2",
                                        "\xC2\x7F",
                                        "\xC2\xC0",
                                        "\xE0\x9F\xBF",
                                        "\xE1\x80",
                                        "\xE1\x80\xC0",
                                        "\xED\xA0\x80",
                                        "\xEF\xBF",
                                        "\xF0\x8F\xBF\xBF",
                                        "\xF0\x90\x80",
                                        "\xF4\x90\x80\x80",
                                        "\xF5\x80\x80\x80",
                                        "\xFF",
                                        "eight of\xFF",
                                        "seven o\xFF",
                                        "eight of them and \xC3"}) {
        INFO(text);
        CHECK_FALSE(is_utf8(text));
    }
    CHECK(is_utf8(std::string_view("a\0b", 3)));
}

}  // namespace stele::sdk
