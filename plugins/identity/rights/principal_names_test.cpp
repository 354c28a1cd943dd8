#include "principal_names.hpp"

#include <catch2/catch.hpp>

using namespace stele::identity;

TEST_CASE("names must be visible as they are") {
    for (const char* name : {"lea", "Léa Müller", "李雷", "محمد", "lea.m@example.org", "a b c",
                             "O'Neil", "Łukasz", "анна", "x"}) {
        CHECK(name_problem(name).empty());
    }
    for (const char* name :
         {"",          " lea",          "lea ",      "a  b",      "a/b",       "a\tb",
          "a\nb",      "a\x7f",         "lea\u200b", "\u200elea", "le\u00ada", "lea\u202e",
          "lea\u2060", "a\u00a0b",      "a\u3000b",  "\ufefflea", "lea\ufe0f", "\u3164",
          "lea\ue000", "lea\U000e0041", "a\u2028b",  "lea\u034f", "\xff"}) {
        CAPTURE(name);
        CHECK_FALSE(name_problem(name).empty());
    }
}

TEST_CASE("names that look alike have one skeleton, others have different ones") {
    const std::string admin = name_skeleton("admin");
    CHECK(name_skeleton("\u0430dmin") == admin);  // Cyrillic a
    CHECK(name_skeleton("adm\u0456n") == admin);  // Ukrainian i
    CHECK(name_skeleton("\uff41dmin") == admin);  // full width
    CHECK(name_skeleton("adrnin") == admin);      // r and n
    CHECK(name_skeleton("bi11") == name_skeleton("bill"));
    CHECK(name_skeleton("e\u0301mile") == name_skeleton("\u00e9mile"));
    CHECK(name_skeleton("sy\u0455tem") == name_skeleton("system"));  // Cyrillic dze
    CHECK(name_skeleton("anna") != name_skeleton("hanna"));
    CHECK(name_skeleton("admin") != name_skeleton("admin2"));
    CHECK(name_skeleton("user1") != name_skeleton("user2"));
    CHECK(name_skeleton(std::string(300, 'm')) == name_skeleton(std::string(300, 'm')));
    CHECK(name_skeleton(std::string(300, 'm')).size() > 300);
}
