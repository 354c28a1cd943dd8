// Random histories of lines against maps that are copied whole: what every line showed after every
// changeset stays so.
#include "line_writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>

#include <catch2/catch.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "sdk/testing/memory_engine.hpp"

namespace stele::nodes {

namespace {

using sdk::ScanDirection;

Keeping keeping_of_kind(std::string_view key) {
    switch (key.front()) {
        case 'e':
            return Keeping::entry;
        case 'r':
            return Keeping::record;
        case 'k':
            return Keeping::count;
        default:
            return Keeping::plain;
    }
}

using Shown = std::map<std::string, std::string>;

class History {
public:
    /// Of `forking` steps one makes a line; `is_deep`: always of the last one.
    History(sdk::Engine& engine, unsigned seed, std::size_t forking, bool is_deep)
        : engine_(engine), random_(seed), forking_(forking), is_deep_(is_deep) {
        shown_[kFirstLine][0] = {};
    }

    void step() {
        if (below(forking_) == 0) return fork();
        write(/*commits=*/below(8) != 0);
    }

    void check_some() {
        const auto reader = engine_.snapshot();
        for (const auto& [line, states] : shown_) {
            check(*reader, value(find_view(*reader, space_, line)), states.rbegin()->second);
            const auto past = std::next(states.begin(), below(states.size()));
            check(*reader, value(find_view(*reader, space_, line, past->first)), past->second);
        }
    }

private:
    template <class T>
    static T value(sdk::Result<T> result) {
        REQUIRE(result.has_value());
        return *std::move(result);
    }

    std::size_t below(std::size_t end) { return random_() % end; }

    std::string key(char kind) {
        std::string key(1, kind);
        key.push_back("\0ab\xff"[below(4)]);
        key.push_back("\0ab\xff"[below(4)]);
        return key;
    }

    /// A place in the order of keys: a key, what several begin with, or the place behind a key.
    std::string place(char kind) {
        std::string place = key(kind);
        switch (below(4)) {
            case 0:
                return place.substr(0, 2);
            case 1:
                return place.append(1, '\0');
            default:
                return place;
        }
    }

    Line any_line() { return std::next(shown_.begin(), below(shown_.size()))->first; }

    void fork() {
        const Line parent = is_deep_ ? shown_.rbegin()->first : any_line();
        const auto at = std::next(shown_[parent].begin(), below(shown_[parent].size()));
        const Line line = shown_.rbegin()->first + 1;
        const auto transaction = engine_.begin();
        const auto snapshot = engine_.snapshot();
        const sdk::Reader& from = below(2) == 0 ? *snapshot : *transaction;
        REQUIRE(put_line(*transaction, from, space_, line, {parent, at->first}).has_value());
        if (below(4) == 0) return;
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        const Shown state = at->second;
        shown_[line][at->first] = state;
    }

    struct Change {
        std::unique_ptr<LineWriter> writer;
        Shown state;
    };
    using Changes = std::map<Line, Change>;

    /// That of a line, begun where it is not written yet.
    Change& change_of(sdk::Transaction& transaction, Line line, Changes& changes) {
        Change& change = changes[line];
        if (change.writer) return change;
        change.state = shown_[line].rbegin()->second;
        const std::size_t attempt = below(4) == 0 ? below(4) : 0;
        change.writer = std::make_unique<LineWriter>(
            transaction, space_, value(find_view(transaction, space_, line)),
            LineWriter::Place{.attempt = attempt, .step = changes.size() - 1});
        return change;
    }

    /// One line, or several in turns.
    void write(bool commits) {
        const auto transaction = engine_.begin();
        Changes changes;
        const std::size_t most = below(3) == 0 ? 1 + below(4) : 1;
        Line line = any_line();
        change_of(*transaction, line, changes);
        for (std::size_t steps = below(12 * most); steps > 0; --steps) {
            if (const Line next = any_line(); changes.contains(next) || changes.size() < most)
                line = next;
            auto& [writer, state] = change_of(*transaction, line, changes);
            change(*writer, state);
            if (below(4) == 0) check(*writer, state);
            if (below(8) == 0) check_past(*transaction, line);
        }
        if (!commits) return;
        for (const auto& [written, change] : changes)
            REQUIRE(change.writer->finish("note", changes.size() - 1 - change.writer->step())
                        .has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        for (auto& [written, change] : changes) {
            const auto revision = change.writer->revision(*transaction);
            REQUIRE(revision == revision_ + 1 + change.writer->step());
            shown_[written][*revision] = std::move(change.state);
        }
        revision_ += changes.size();
    }

    void change(LineWriter& writer, Shown& state) {
        const std::string changed = key("err"[below(3)]);
        switch (below(8)) {
            case 0:
            case 1:
                writer.remove(changed);
                state.erase(changed);
                return;
            case 2:
            case 3: {
                const std::string count = key('k');
                const auto delta = static_cast<std::int64_t>(below(5)) - 2;
                writer.add(count, delta);
                const auto known = state.find(count);
                const std::int64_t sum =
                    (known == state.end() ? 0 : sdk::read_counter(known->second)) + delta;
                state.erase(count);
                if (sum != 0) state[count] = sdk::counter_bytes(sum);
                return;
            }
            case 4: {
                if (below(8) != 0) return;
                const std::string begin = key("erk"[below(3)]).substr(0, 2);
                writer.remove_range({begin, sdk::prefix_end(begin)});
                state.erase(state.lower_bound(begin), state.lower_bound(sdk::prefix_end(begin)));
                return;
            }
            default: {
                const std::string text(below(3), "xy"[below(2)]);
                writer.put(changed, text);
                state[changed] = text;
            }
        }
    }

    void check(const sdk::Reader& reader, const View& view, const Shown& state) {
        check(ViewReader(reader, space_, view), state);
    }

    /// A line that is being written tells no counts of its past.
    void check_past(const sdk::Reader& reader, Line line) {
        const auto past = std::next(shown_[line].begin(), below(shown_[line].size()));
        check(ViewReader(reader, space_, value(find_view(reader, space_, line, past->first))),
              past->second, "er");
    }

    sdk::KeyRange range_of(char kind) {
        if (below(3) == 0) {
            const std::string prefix = key(kind).substr(0, 2);
            return {prefix, sdk::prefix_end(prefix)};
        }
        sdk::KeyRange range{std::string(1, kind), std::string(1, static_cast<char>(kind + 1))};
        if (below(2) == 0) range.begin = place(kind);
        if (below(2) == 0) range.end = place(kind);
        return range;
    }

    void check(const sdk::Reader& shows, const Shown& state, std::string_view kinds = "erk") {
        for (const char kind : kinds) {
            const sdk::KeyRange range = range_of(kind);
            std::vector<std::pair<std::string, std::string>> expected;
            if (range.begin < range.end) {
                expected.assign(state.lower_bound(range.begin), state.lower_bound(range.end));
            }
            CHECK(scan(shows, range, ScanDirection::forward) == expected);
            std::reverse(expected.begin(), expected.end());
            CHECK(scan(shows, range, ScanDirection::backward) == expected);
            check_seek(shows, state, kind);
        }
        for (const char kind : kinds) {
            const std::string single = key(kind);
            const auto known = state.find(single);
            const auto found = value(shows.get(single));
            CHECK(found.has_value() == (known != state.end()));
            if (found && known != state.end()) CHECK(*found == known->second);
        }
    }

    void check_seek(const sdk::Reader& shows, const Shown& state, char kind) {
        const sdk::KeyRange range{std::string(1, kind),
                                  std::string(1, static_cast<char>(kind + 1))};
        const bool is_forward = below(2) == 0;
        const auto cursor =
            shows.scan(range, is_forward ? ScanDirection::forward : ScanDirection::backward);
        for (int times = 0; times < 2; ++times) {
            const std::string wanted = place(kind);
            cursor->seek(wanted);
            auto expected = is_forward ? state.lower_bound(wanted) : state.upper_bound(wanted);
            bool exists = expected != state.end();
            if (!is_forward) {
                exists = expected != state.begin();
                if (exists) --expected;
            }
            exists = exists && expected->first.front() == kind;
            REQUIRE(cursor->is_valid() == exists);
            if (exists) CHECK(cursor->key() == expected->first);
        }
    }

    static std::vector<std::pair<std::string, std::string>> scan(const sdk::Reader& reader,
                                                                 const sdk::KeyRange& range,
                                                                 ScanDirection direction) {
        std::vector<std::pair<std::string, std::string>> found;
        if (range.begin >= range.end) return found;
        const auto cursor = reader.scan(range, direction);
        for (; cursor->is_valid(); cursor->next())
            found.emplace_back(cursor->key(), cursor->value());
        REQUIRE(cursor->status().has_value());
        return found;
    }

    sdk::Engine& engine_;
    std::mt19937 random_;
    std::size_t forking_;
    bool is_deep_;
    VersionCache cache_;
    VersionSpace space_{"space/", keeping_of_kind, cache_};
    std::map<Line, std::map<Revision, Shown>> shown_;
    Revision revision_ = 0;
};

}  // namespace

TEST_CASE("lines show what they showed after each of their changesets") {
    const char* const given = std::getenv("STELE_TEST_CASES");
    const unsigned cases = given == nullptr ? 40 : std::atoi(given);
    for (unsigned seed = 1; seed <= cases; ++seed) {
        INFO("seed " << seed);
        sdk::testing::MemoryEngine engine;
        const bool is_deep = seed % 4 == 0;
        History history(engine, seed, is_deep ? 3 : 10, is_deep);
        for (int step = 0; step < 60; ++step) {
            history.step();
            history.check_some();
        }
    }
}

TEST_CASE("lines show what they showed many changesets ago") {
    const char* const given = std::getenv("STELE_TEST_CASES");
    const unsigned cases = (given == nullptr ? 40 : std::atoi(given)) / 10;
    for (unsigned seed = 1; seed <= cases; ++seed) {
        INFO("seed " << seed);
        sdk::testing::MemoryEngine engine;
        History history(engine, seed, 50, seed % 2 == 0);
        for (int step = 0; step < 400; ++step) {
            history.step();
            if (step % 8 == 0) history.check_some();
        }
    }
}

TEST_CASE("counts of the past are not told wrong while the line is written") {
    sdk::testing::MemoryEngine engine;
    VersionCache cache;
    const VersionSpace space("space/", keeping_of_kind, cache);
    const auto add = [&](LineWriter& writer, std::int64_t delta) { writer.add("k", delta); };
    const auto first = engine.begin();
    LineWriter one(*first, space, find_view(*first, space, kFirstLine).value());
    add(one, 5);
    REQUIRE(one.finish("").has_value());
    REQUIRE(sdk::commit_and_wait(*first).has_value());

    const auto second = engine.begin();
    LineWriter other(*second, space, find_view(*second, space, kFirstLine).value());
    add(other, 2);
    CHECK(sdk::read_counter(other.get("k").value()) == 7);
    const auto count_at_first = [&](const sdk::Reader& reader) {
        return ViewReader(reader, space, find_view(reader, space, kFirstLine, 1).value()).get("k");
    };
    const auto early = count_at_first(*second);
    REQUIRE_FALSE(early.has_value());
    CHECK(early.error().code == "nodes.branch_changes_unfinished");
    REQUIRE(other.finish("").has_value());
    CHECK(sdk::read_counter(count_at_first(*second).value()) == 5);
    CHECK(sdk::read_counter(count_at_first(*engine.snapshot()).value()) == 5);
}

TEST_CASE("a record that comes back leaves the time without it as it was") {
    sdk::testing::MemoryEngine engine;
    VersionCache cache;
    const VersionSpace space("space/", keeping_of_kind, cache);
    const std::string sequence = "0123456789";
    const std::string record = "r" + sequence;
    const std::string entry = "e-value-" + sequence;
    const auto write = [&](Line line, const std::function<void(LineWriter&)>& changes) {
        const auto transaction = engine.begin();
        LineWriter writer(*transaction, space, find_view(*transaction, space, line).value());
        changes(writer);
        REQUIRE(writer.finish("").has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        return transaction->stamp(space.revision_counter()).value();
    };
    const auto create = [&](LineWriter& writer) {
        REQUIRE_FALSE(writer.reader().contains(record).value());
        REQUIRE(writer.note_absent(record).has_value());
        writer.put(entry, "");
        writer.put(record, "{}");
    };
    const auto remove = [&](LineWriter& writer) {
        writer.remove(entry);
        writer.remove(record);
    };
    const auto shows = [&](Line line, Revision revision) {
        const auto reader = engine.snapshot();
        const ViewReader view(*reader, space, find_view(*reader, space, line, revision).value());
        const bool has_entry = view.get(entry).value().has_value();
        CHECK(view.get(record).value().has_value() == has_entry);
        return has_entry;
    };

    const Revision born = write(kFirstLine, create);
    const Line fork = kFirstLine + 1;
    const auto transaction = engine.begin();
    REQUIRE(put_line(*transaction, *transaction, space, fork, {kFirstLine, born}).has_value());
    REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    for (const Line line : {fork, kFirstLine}) {
        INFO("line " << line);
        const Revision removed = write(line, remove);
        const Revision again = write(line, create);
        CHECK(shows(line, born));
        CHECK_FALSE(shows(line, removed));
        CHECK(shows(line, again));
    }
}

TEST_CASE("a fork shows its parent as it was at the revision that it comes from, and no later") {
    sdk::testing::MemoryEngine engine;
    VersionCache cache;
    const VersionSpace space("space/", keeping_of_kind, cache);
    const auto entry_of = [](const std::string& name) { return "e-" + name + "-0123456789"; };
    const auto write = [&](Line line, const char* value) {
        const auto transaction = engine.begin();
        LineWriter writer(*transaction, space, find_view(*transaction, space, line).value());
        writer.put(entry_of(value), "");
        REQUIRE(writer.finish("").has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        return transaction->stamp(space.revision_counter()).value();
    };
    const auto fork = [&](Line line, Link from) {
        const auto transaction = engine.begin();
        REQUIRE(put_line(*transaction, *transaction, space, line, from).has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    };
    const auto shown = [&](Line line) {
        const auto reader = engine.snapshot();
        const ViewReader view(*reader, space, find_view(*reader, space, line).value());
        std::string names;
        for (const char* name : {"one", "two", "three", "own", "later", "last"}) {
            if (view.get(entry_of(name)).value()) names += std::string(" ") + name;
        }
        return names;
    };

    const Revision one = write(kFirstLine, "one");
    const Revision two = write(kFirstLine, "two");
    fork(2, {kFirstLine, one});
    fork(3, {kFirstLine, two});
    const Revision three = write(kFirstLine, "three");
    fork(4, {kFirstLine, three});
    CHECK(shown(2) == " one");
    CHECK(shown(3) == " one two");
    CHECK(shown(4) == " one two three");
    // One before the first of them there was nothing.
    fork(5, {kFirstLine, one - 1});
    CHECK(shown(5).empty());

    // A fork of a fork sees of each only what came before.
    const Revision own = write(2, "own");
    fork(6, {2, own - 1});
    fork(7, {2, own});
    write(2, "later");
    write(kFirstLine, "last");
    CHECK(shown(6) == " one");
    CHECK(shown(7) == " one own");
    const auto links = find_view(*engine.snapshot(), space, 7).value().links;
    REQUIRE(links.size() == 3);
    CHECK(links[0].line == 7);
    CHECK(links[0].is_tip());
    CHECK((links[1].line == 2 && links[1].bound == own));
    CHECK((links[2].line == kFirstLine && links[2].bound == one));
}

TEST_CASE("a changeset may come as late as its repetition says, and no later than its level goes") {
    CHECK(last_to_end(0, 0) == 64);
    CHECK(last_to_end(1000, 0) == 1000 + 64);
    CHECK(last_to_end(5000, 1) == 5000 + 4 * 64);
    CHECK(last_to_end(5000, 2) == 5000 + 16 * 64);
    CHECK(last_to_end(5000, 100) == 8191);
    CHECK(last_to_end(1983, 1) == 2047);
    CHECK(last_to_end(1984, 1) == 1984 + 4 * 64);
}

TEST_CASE("the block of an ended entry is the smallest that holds its time") {
    struct Case {
        Revision first;
        Revision last;
        int level;
        Revision number;
    };
    for (const Case& c : {Case{5, 5, 0, 5}, Case{4, 5, 1, 2}, Case{5, 6, 2, 1}, Case{7, 8, 4, 0},
                          Case{0, 0, 0, 0}, Case{1, 1000, 10, 0}}) {
        INFO(c.first << " to " << c.last);
        CHECK(Block::around(c.first, c.last).level == c.level);
        CHECK(Block::around(c.first, c.last).number == c.number);
    }
}

}  // namespace stele::nodes
