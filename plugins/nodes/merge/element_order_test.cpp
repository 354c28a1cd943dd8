// Orders of elements that two sides moved, removed and added to.
#include "merge/element_order.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace stele::nodes {

namespace {

/// Each letter is an element.
std::string merged_letters(const std::string& base, const std::string& source,
                           const std::string& target) {
    const auto names_of = [](const std::string& letters) {
        std::vector<std::string_view> names;
        for (const char& letter : letters)
            names.emplace_back(&letter, 1);
        return names;
    };
    // What a side removed is gone.
    const auto stays = [&](std::string_view name) {
        return base.find(name) == std::string::npos ||
               (source.find(name) != std::string::npos && target.find(name) != std::string::npos);
    };
    std::string merged;
    for (const std::string_view name :
         merge_order(names_of(base), names_of(source), names_of(target), stays))
        merged += name;
    return merged;
}

std::string only(const std::string& letters, const std::string& of) {
    std::string kept;
    for (const char letter : letters) {
        if (of.find(letter) != std::string::npos) kept += letter;
    }
    return kept;
}

/// What a side makes of a base: small letters move and go, large ones come.
class RandomSide {
public:
    explicit RandomSide(std::mt19937& random) : random_(random) {}

    std::string of(std::string letters, const char* additions, bool moves) {
        for (unsigned i = below(3); i > 0 && !letters.empty(); --i)
            letters.erase(below(letters.size()), 1);
        for (unsigned i = moves ? below(4) : 0; i > 0 && !letters.empty(); --i) {
            const std::size_t from = below(letters.size());
            const char letter = letters[from];
            letters.erase(from, 1);
            letters.insert(below(letters.size() + 1), 1, letter);
        }
        for (unsigned i = below(3); i > 0; --i)
            letters.insert(below(letters.size() + 1), 1, *additions++);
        return letters;
    }

private:
    unsigned below(std::size_t bound) { return static_cast<unsigned>(random_() % bound); }

    std::mt19937& random_;
};

unsigned number_of_orders() {
    const char* const given = std::getenv("STELE_TEST_CASES");
    return 50 * (given == nullptr ? 40 : static_cast<unsigned>(std::atoi(given)));
}

}  // namespace

TEST_CASE("elements stand where the side that moved or added them put them") {
    struct Case {
        const char* what;
        const char* base;
        const char* source;
        const char* target;
        const char* merged;
    };
    for (const Case& c : {
             Case{"nothing", "abc", "abc", "abc", "abc"},
             Case{"a move of the source", "abcd", "bcda", "abcd", "bcda"},
             Case{"a move of the target", "abcd", "abcd", "dabc", "dabc"},
             Case{"moves of each", "abcdef", "bacdef", "abcdfe", "bacdfe"},
             Case{"one element moved to two places", "abcde", "abdec", "cabde", "cabde"},
             Case{"additions at different places", "abc", "aXbc", "abcY", "aXbcY"},
             Case{"additions at the beginning", "abc", "Xabc", "Yabc", "YXabc"},
             Case{"additions behind one element", "abc", "aXYbc", "aUVbc", "aUVXYbc"},
             Case{"additions that both have", "ab", "aZXb", "abZ", "abZX"},
             Case{"an addition behind what the other moved", "abcd", "abXcd", "acdb", "acdbX"},
             Case{"an addition behind what the other removed", "abcd", "abcXd", "abd", "abXd"},
             Case{"a move behind what the other moved", "abcde", "abdce", "acdeb", "adceb"},
             Case{"a move beside what the other removed", "abcd", "acbd", "abd", "abd"},
             Case{"a removal of each", "abcd", "bcd", "abc", "bc"},
             Case{"nothing of the base", "", "XZ", "YZ", "YZX"},
         }) {
        INFO(c.what << ": " << c.base << " became " << c.source << " and " << c.target);
        CHECK(merged_letters(c.base, c.source, c.target) == c.merged);
    }
}

TEST_CASE("what one side alone has done to an order is what comes of it") {
    std::mt19937 random(21);
    RandomSide side(random);
    for (unsigned i = 0; i < number_of_orders(); ++i) {
        const std::string base = "abcdefgh";
        const std::string changed = side.of(base, "XYZ", true);
        CAPTURE(changed);
        REQUIRE(merged_letters(base, changed, base) == changed);
        REQUIRE(merged_letters(base, base, changed) == changed);
        REQUIRE(merged_letters(base, changed, changed) == changed);
    }
}

TEST_CASE(
    "an order has each element once, the moves of a side, and additions behind what they were") {
    std::mt19937 random(22);
    RandomSide side(random);
    for (unsigned i = 0; i < number_of_orders(); ++i) {
        const std::string base = "abcdefgh";
        const bool source_moves = random() % 2 == 0;
        const bool target_moves = random() % 2 == 0;
        const bool both_add = random() % 4 == 0;
        const std::string source = side.of(base, both_add ? "ZX" : "WX", source_moves);
        const std::string target = side.of(base, both_add ? "ZY" : "UY", target_moves);
        const std::string merged = merged_letters(base, source, target);
        CAPTURE(source, target, merged);

        std::set<char> expected;
        for (const char letter : base + source + target) {
            const bool is_added = base.find(letter) == std::string::npos;
            const bool in_both = source.find(letter) != std::string::npos &&
                                 target.find(letter) != std::string::npos;
            if (is_added || in_both) expected.insert(letter);
        }
        REQUIRE(std::set<char>(merged.begin(), merged.end()) == expected);
        REQUIRE(merged.size() == expected.size());

        if (!source_moves) REQUIRE(only(merged, target) == only(target, merged));
        if (!target_moves && !both_add) REQUIRE(only(merged, source) == only(source, merged));
        for (const std::string* const of : {&source, &target}) {
            const std::string there = only(*of, merged);
            for (std::size_t place = 1; place < there.size(); ++place) {
                if (base.find(there[place]) != std::string::npos || there[place] == 'Z') continue;
                REQUIRE(merged.find(there[place - 1]) < merged.find(there[place]));
            }
        }
    }
}

TEST_CASE("orders of very many elements are merged in a moment, however they were moved") {
    std::vector<std::string> names;
    for (int i = 0; i < 200'000; ++i)
        names.push_back(std::to_string(i));
    const std::vector<std::string_view> base(names.begin(), names.begin() + 100'000);
    std::vector<std::string_view> source(base.rbegin(), base.rend());
    std::vector<std::string_view> target = base;
    std::shuffle(target.begin(), target.end(), std::mt19937(23));
    source.insert(source.begin() + 50'000, names.begin() + 100'000, names.end());
    const auto begin = std::chrono::steady_clock::now();
    const auto merged = merge_order(base, source, target, [](std::string_view) { return true; });
    CHECK(merged.size() == 200'000);
    CHECK(std::set<std::string_view>(merged.begin(), merged.end()).size() == 200'000);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

}  // namespace stele::nodes
