// Texts merged by lines, and what the differences that this is made of must be.
#include "merge/text_merge.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "merge/line_difference.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kManySteps = 1'000'000;

std::optional<std::string> merged_text(std::string_view base, std::string_view source,
                                       std::string_view target) {
    TextMergeBounds left;
    return merge_texts(base, source, target, left);
}

unsigned number_of_texts() {
    const char* const given = std::getenv("STELE_TEST_CASES");
    return 20 * (given == nullptr ? 40 : static_cast<unsigned>(std::atoi(given)));
}

TextLines random_lines(std::mt19937& random, std::size_t most, std::uint32_t distinct) {
    TextLines lines(random() % (most + 1));
    for (std::uint32_t& line : lines)
        line = static_cast<std::uint32_t>(random() % distinct);
    return lines;
}

TextLines lines_of(std::string_view letters) {
    TextLines lines;
    for (const char letter : letters)
        lines.push_back(static_cast<std::uint32_t>(letter - 'A'));
    return lines;
}

/// The base with its changed lines replaced; what lies between two changes must be equal.
TextLines changed_base(const TextLines& base, const TextLines& other,
                       const std::vector<ChangedLines>& changes) {
    TextLines made;
    std::size_t done = 0;
    const auto at = [](const TextLines& lines, std::size_t place) {
        return lines.begin() + static_cast<std::ptrdiff_t>(place);
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const ChangedLines& change = changes[i];
        REQUIRE((i == 0 || change.base_begin > done));
        REQUIRE((change.base_begin < change.base_end || change.begin < change.end));
        made.insert(made.end(), at(base, done), at(base, change.base_begin));
        REQUIRE(made.size() == change.begin);
        made.insert(made.end(), at(other, change.begin), at(other, change.end));
        done = change.base_end;
    }
    made.insert(made.end(), at(base, done), base.end());
    return made;
}

std::size_t size_of(const std::vector<ChangedLines>& changes) {
    std::size_t size = 0;
    for (const ChangedLines& change : changes)
        size += change.base_end - change.base_begin + change.end - change.begin;
    return size;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + '\n';
    return text;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("changes of different lines of a text hold together") {
    struct Case {
        const char* base;
        const char* source;
        const char* target;
        const char* merged;
    };
    for (const Case& c : {
             Case{"a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"},
             Case{"a\nb\nc", "a\nb\nc\nd", "0\na\nb\nc", "0\na\nb\nc\nd"},
             Case{"a\nb\nc\nd\n", "a\nc\nd\n", "a\nb\nc\nnew\nd\n", "a\nc\nnew\nd\n"},
             Case{"a\nb\nc\n", "b\nc\n", "a\nb\n", "b\n"},
             Case{"a\nb\nc\n", "same\nb\nc\n", "same\nb\nC\n", "same\nb\nC\n"},
             Case{"a\nb", "a\nb\n", "A\nb", "A\nb\n"},
             Case{"a", "b", "b", "b"},
             Case{"", "a\nb", "", "a\nb"},
         }) {
        INFO(c.base << " became " << c.source << " and " << c.target);
        CHECK(merged_text(c.base, c.source, c.target) == std::string(c.merged));
        CHECK(merged_text(c.base, c.target, c.source) == std::string(c.merged));
    }
}

TEST_CASE("changes of the same lines, or of lines beside one another, are not merged") {
    struct Case {
        const char* base;
        const char* source;
        const char* target;
    };
    for (const Case& c : {
             Case{"a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n"},
             Case{"a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n"},
             Case{"a\nb\n", "a\nb\nc\n", "a\nb\nd\n"},
             Case{"a\nb\nc\n", "a\nc\n", "a\nB\nc\n"},
             Case{"a\nb\nc\nd\ne\n", "a\nX\nX\nX\ne\n", "a\nb\nC\nd\ne\n"},
             Case{"a\nb\nc\nd\ne\n", "a\nX\nc\nX\ne\n", "a\nb\nY\nd\ne\n"},
             Case{"a\nb\nc\n", "A\nb\nc\n", "A\nc\n"},
             Case{"", "a", "b"},
         }) {
        INFO(c.base << " became " << c.source << " and " << c.target);
        CHECK_FALSE(merged_text(c.base, c.source, c.target).has_value());
        CHECK_FALSE(merged_text(c.base, c.target, c.source).has_value());
    }
}

TEST_CASE("a difference of lines makes one text of the other, with as few steps as there may be") {
    std::mt19937 random(11);
    for (unsigned i = 0; i < number_of_texts(); ++i) {
        const auto distinct = static_cast<std::uint32_t>(1 + random() % 12);
        const TextLines base = random_lines(random, 30, distinct);
        const TextLines other = random_lines(random, 30, distinct);
        for (std::size_t steps : {std::size_t{0}, std::size_t{random() % 100}, kManySteps}) {
            CAPTURE(base, other, steps);
            const std::size_t given = steps;
            const auto changes = changed_lines(base, other, distinct, steps);
            REQUIRE(changed_base(base, other, changes) == other);
            REQUIRE(steps <= given);
            REQUIRE(changes.empty() == (base == other));
        }
    }
}

TEST_CASE("where all lines repeat the difference is the shortest, as long as there are steps") {
    const TextLines base = lines_of("ABCABBA");
    const TextLines other = lines_of("CBABAC");
    std::size_t steps = kManySteps;
    CHECK(size_of(changed_lines(base, other, 3, steps)) == 5);
    CHECK(steps < kManySteps);
    steps = 4;
    CHECK(size_of(changed_lines(base, other, 3, steps)) == base.size() + other.size());
    CHECK(steps == 0);
}

TEST_CASE("lines that are there once hold a difference together without any step") {
    std::size_t steps = 0;
    const auto changes = changed_lines(lines_of("AAXAAYAA"), lines_of("AXAAAYA"), 26, steps);
    REQUIRE(changes.size() == 3);
    CHECK(changes[1].base_begin == 5);
    CHECK(changes[1].base_end == 5);
}

TEST_CASE("a side that left a text as it was takes what the other made, whatever that is") {
    std::mt19937 random(12);
    const auto text = [&] {
        std::string made;
        for (const std::uint32_t line : random_lines(random, 12, 3))
            made += std::string(1, static_cast<char>('a' + line)) + (random() % 8 ? "\n" : "");
        return made;
    };
    for (unsigned i = 0; i < number_of_texts(); ++i) {
        const std::string base = text();
        const std::string source = text();
        const std::string target = text();
        CAPTURE(base, source, target);
        REQUIRE(merged_text(base, source, base) == source);
        REQUIRE(merged_text(base, base, target) == target);
        REQUIRE(merged_text(base, source, source) == source);
        REQUIRE(merged_text(base, source, target) == merged_text(base, target, source));
    }
}

TEST_CASE("changes with an unchanged line between them commute") {
    std::mt19937 random(13);
    for (unsigned i = 0; i < number_of_texts(); ++i) {
        std::vector<std::string> base;
        std::vector<std::string> source;
        std::vector<std::string> target;
        std::vector<std::string> merged;
        for (unsigned block = 0; block < 12; ++block) {
            const std::string name = "line " + std::to_string(block);
            // A line that stays, and one that one side, or nobody, changes to up to two.
            for (auto* const lines : {&base, &source, &target, &merged})
                lines->push_back(name);
            const bool is_there = random() % 3 != 0;
            const std::vector<std::string> before(is_there ? 1 : 0, name + " before");
            std::vector<std::string> after;
            for (auto count = random() % 3; count > 0; --count)
                after.push_back(name + " after " + std::to_string(count));
            const auto by = random() % 3;
            const auto append = [](std::vector<std::string>& to, const auto& lines) {
                to.insert(to.end(), lines.begin(), lines.end());
            };
            append(base, before);
            append(source, by == 0 ? after : before);
            append(target, by == 1 ? after : before);
            append(merged, by == 2 ? before : after);
        }
        CAPTURE(base, source, target);
        REQUIRE(merged_text(joined(base), joined(source), joined(target)) == joined(merged));
        REQUIRE(merged_text(joined(base), joined(target), joined(source)) == joined(merged));
    }
}

TEST_CASE("beyond their bounds texts are not merged") {
    const std::string base = "a\nb\nc\n";
    const auto merged = [&](TextMergeBounds left) {
        return merge_texts(base, "A\nb\nc\n", "a\nb\nC\n", left).has_value();
    };
    CHECK(merged({.bytes = 18, .lines = 12, .steps = 0}));
    CHECK_FALSE(merged({.bytes = 17}));
    CHECK_FALSE(merged({.lines = 11}));
}

TEST_CASE("large texts are merged in a moment, and those that are made to be slow come to an end") {
    std::vector<std::string> lines;
    for (int i = 0; i < 20'000; ++i)
        lines.push_back("line " + std::to_string(i) + std::string(40, 'x'));
    auto source = lines;
    auto target = lines;
    for (std::size_t i = 0; i < lines.size(); i += 100) {
        source[i] = "of the source";
        target[i + 50] = "of the target";
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto merged = merged_text(joined(lines), joined(source), joined(target));
    REQUIRE(merged.has_value());
    CHECK(std::count(merged->begin(), merged->end(), '\n') == 20'000);

    // Lines of one letter in an order of chance, all of which repeat.
    std::mt19937 random(14);
    const auto letters = [&] {
        std::string text;
        for (int i = 0; i < 80'000; ++i)
            text += {static_cast<char>('a' + random() % 2), '\n'};
        return text;
    };
    merged_text(letters(), letters(), letters());
    CHECK(seconds_since(begin) < 20);
}

}  // namespace stele::nodes
