// Differences of random lines against maps that are copied whole, and what counts as one.
#include "history/difference.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include <stele/sdk/record_space.hpp>

#include "sdk/testing/memory_engine.hpp"
#include "version/collection_keys.hpp"
#include "version/line_writer.hpp"

namespace stele::nodes {

namespace {

constexpr DifferenceBounds kEverything{.nodes = 1000, .writes = 1000};

/// Titles of nodes by the keys of their records.
using Titles = std::map<std::string, std::string>;
using Found = std::map<std::string, std::tuple<std::string, std::string, bool>>;

std::string operation_in(const Titles& before, const Titles& after, const std::string& key) {
    const auto was = before.find(key);
    const auto is = after.find(key);
    if (was == before.end()) return is == after.end() ? "none" : "create";
    if (is == after.end()) return "delete";
    return was->second == is->second ? "none" : "update";
}

/// Lines with all of their states.
class Lines {
public:
    explicit Lines(unsigned seed) : random_(seed) { revisions_[kFirstLine] = {}; }

    void step() { below(4) == 0 ? fork() : write(); }

    void check() {
        const Line source = any();
        const Line target = any();
        INFO("line " << source << " against line " << target);
        const auto store = engine_.snapshot();
        const Difference difference(*store, space_, find_view(*store, space_, source).value(),
                                    find_view(*store, space_, target).value());
        const auto written = difference.written(kEverything).value();
        CHECK(written.truncated_by.empty());
        const std::set<std::string> keys(written.keys.begin(), written.keys.end());
        CHECK(keys.size() == written.keys.size());
        const std::set<std::string> expected_keys = written_since(source, target);
        CHECK(keys == expected_keys);
        check_bounds(difference, expected_keys);
        Found found;
        for (const std::string& key : written.keys) {
            const auto states = difference.states(key).value();
            if (!states) continue;
            const NodeDifference one = compare(*states);
            if (one.on_source == NodeOperation::none && one.on_target == NodeOperation::none)
                continue;
            found[key] = {std::string(operation_name(one.on_source)),
                          std::string(operation_name(one.on_target)), one.is_conflict};
        }
        CHECK(found == expected(source, target));
    }

private:
    std::size_t below(std::size_t end) { return random_() % end; }
    Line any() { return std::next(revisions_.begin(), below(revisions_.size()))->first; }
    /// After the changesets of a line, or of the first of them.
    const Titles& state(const std::vector<Revision>& revisions) {
        return states_[revisions.empty() ? 0 : revisions.back()];
    }

    void fork() {
        const Line parent = any();
        std::vector<Revision> shown = revisions_[parent];
        shown.resize(below(shown.size() + 1));
        if (shown.empty()) return;
        const auto transaction = engine_.begin();
        const Line line = revisions_.rbegin()->first + 1;
        // The line that the last of these was written on, as a view of it begins there.
        const Link from{line_of_[shown.back()], shown.back()};
        REQUIRE(put_line(*transaction, *transaction, space_, line, from).has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        revisions_[line] = shown;
    }

    void write() {
        const Line line = any();
        Titles titles = state(revisions_[line]);
        std::set<std::string> written;
        const auto transaction = engine_.begin();
        LineWriter writer(*transaction, space_, find_view(*transaction, space_, line).value());
        for (std::size_t count = 1 + below(3); count > 0; --count) {
            const std::string key = std::string{kNodeSlot, 'd'} + static_cast<char>('a' + below(9));
            if (below(3) == 0) {
                if (titles.erase(key) == 0) continue;
                writer.remove(key);
            } else {
                const std::string title(1, static_cast<char>('0' + below(3)));
                titles[key] = title;
                const sdk::Json record = {{"title", title},
                                          {"_system", {{"changeset", std::to_string(random_())}}}};
                writer.put(key, sdk::StoredRecord::with({}, 1, record.dump()));
            }
            written.insert(key);
        }
        writer.put(std::string{kDeletionSlot, 'd', 'x'}, sdk::StoredRecord::with({}, 1, "{}"));
        REQUIRE(writer.finish("note").has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        const Revision revision = transaction->stamp(space_.revision_counter()).value();
        revisions_[line].push_back(revision);
        line_of_[revision] = line;
        states_[revision] = std::move(titles);
        written_[revision] = std::move(written);
    }

    std::vector<Revision> common(Line one, Line other) {
        std::vector<Revision> both = revisions_[one];
        const std::vector<Revision>& others = revisions_[other];
        std::erase_if(both, [&](Revision revision) {
            return std::find(others.begin(), others.end(), revision) == others.end();
        });
        return both;
    }

    std::set<std::string> written_since(Line one, Line other) {
        const std::vector<Revision> both = common(one, other);
        std::set<std::string> keys;
        for (const Line line : {one, other}) {
            for (const Revision revision : revisions_[line]) {
                if (std::find(both.begin(), both.end(), revision) == both.end())
                    keys.insert(written_[revision].begin(), written_[revision].end());
            }
        }
        return keys;
    }

    Found expected(Line source, Line target) {
        const Titles& before = state(common(source, target));
        const Titles& on_source = state(revisions_[source]);
        const Titles& on_target = state(revisions_[target]);
        Found found;
        for (const std::string& key : written_since(source, target)) {
            const std::string one = operation_in(before, on_source, key);
            const std::string other = operation_in(before, on_target, key);
            if (one == "none" && other == "none") continue;
            const bool is_conflict = one != "none" && other != "none" &&
                                     operation_in(on_source, on_target, key) != "none";
            found[key] = {one, other, is_conflict};
        }
        return found;
    }

    void check_bounds(const Difference& difference, const std::set<std::string>& keys) {
        if (keys.empty()) return;
        const auto fewer =
            difference.written({.nodes = keys.size() - 1, .writes = kEverything.writes}).value();
        CHECK(fewer.keys.size() == keys.size() - 1);
        CHECK(fewer.truncated_by == "nodes");
        const auto enough =
            difference.written({.nodes = keys.size(), .writes = kEverything.writes}).value();
        CHECK(enough.truncated_by.empty());
        const auto shorter = difference.written({.nodes = kEverything.nodes, .writes = 1}).value();
        CHECK(shorter.keys.size() <= 1);
        CHECK(shorter.truncated_by == "writes");
    }

    std::mt19937 random_;
    sdk::testing::MemoryEngine engine_;
    VersionCache cache_;
    VersionSpace space_{"space/", keeping_of, cache_};
    /// What each line shows, in order.
    std::map<Line, std::vector<Revision>> revisions_;
    std::map<Revision, Line> line_of_;
    std::map<Revision, Titles> states_;
    std::map<Revision, std::set<std::string>> written_;
};

}  // namespace

TEST_CASE("the difference of two lines is what was written since their common ancestor") {
    const char* const given = std::getenv("STELE_TEST_CASES");
    const unsigned cases = given == nullptr ? 40 : std::atoi(given);
    for (unsigned seed = 1; seed <= cases; ++seed) {
        INFO("seed " << seed);
        Lines lines(seed);
        for (int step = 0; step < 40; ++step) {
            lines.step();
            lines.check();
        }
    }
}

TEST_CASE("the common ancestor is the nearest line at the revision that both show") {
    struct Case {
        std::vector<Link> one;
        std::vector<Link> other;
        Link ancestor;
    };
    const Link tip{1};
    for (const Case& c : {Case{{tip}, {tip}, tip}, Case{{{2}, {1, 5}}, {tip}, {1, 5}},
                          Case{{{2}, {1, 5}}, {{3}, {1, 7}}, {1, 5}},
                          Case{{{4}, {2, 9}, {1, 5}}, {{2}, {1, 5}}, {2, 9}},
                          Case{{{4}, {2, 9}, {1, 5}}, {{5}, {2, 8}, {1, 5}}, {2, 8}},
                          Case{{{4}, {2, 9}, {1, 5}}, {{5}, {3, 8}, {1, 3}}, {1, 3}}}) {
        for (const auto& [one, other] : {std::pair(c.one, c.other), std::pair(c.other, c.one)}) {
            const Link found = common_ancestor({one}, {other});
            CHECK(found.line == c.ancestor.line);
            CHECK(found.bound == c.ancestor.bound);
        }
    }
}

TEST_CASE("both sides conflict where they have made different content of a node") {
    struct Case {
        const char* ancestor;
        const char* source;
        const char* target;
        NodeDifference expected;
    };
    using enum NodeOperation;
    const auto state = [](const char* text) {
        return *text == '\0' ? std::optional<sdk::Json>() : sdk::parse_json(text).value();
    };
    for (const Case& c : {
             Case{"", R"({"a":1})", "", {create, none, false}},
             Case{R"({"a":1})", R"({"a":2})", R"({"a":1})", {update, none, false}},
             Case{R"({"a":1})", R"({"a":1})", "", {none, remove, false}},
             Case{R"({"a":1})", R"({"a":2})", R"({"a":3})", {update, update, true}},
             Case{R"({"a":1})", R"({"a":2})", "", {update, remove, true}},
             Case{R"({"a":1})", "", "", {remove, remove, false}},
             Case{"", R"({"a":1})", R"({"a":1})", {create, create, false}},
             Case{"", R"({"a":1})", R"({"a":2})", {create, create, true}},
             Case{R"({})", R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})", {update, update, false}},
             Case{R"({"_system":{"changeset":"1:a"}})",
                  R"({"_system":{"changeset":"2:b"}})",
                  R"({"_system":{"changeset":"1:a"},"_statistics":{"n":1}})",
                  {none, none, false}},
             Case{R"({"_system":{"attachments":{"x":{"objectId":"1"}}}})",
                  R"({"_system":{"attachments":{"x":{"objectId":"2"}}}})",
                  R"({"_system":{}})",
                  {update, update, true}},
         }) {
        INFO(c.ancestor << " became " << c.source << " and " << c.target);
        const NodeDifference found = compare({state(c.ancestor), state(c.source), state(c.target)});
        CHECK(found.on_source == c.expected.on_source);
        CHECK(found.on_target == c.expected.on_target);
        CHECK(found.is_conflict == c.expected.is_conflict);
    }
}

}  // namespace stele::nodes
