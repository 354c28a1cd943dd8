#include <map>
#include <random>

#include <catch2/catch.hpp>

#include "tests/storage/engine_access.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

using sdk::KeyRange;
using sdk::ScanDirection;

void sees_own_writes(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "b", "stored");
    put(*engine, "d", "stored");
    put(*engine, "f", "stored");
    const auto transaction = engine->begin();
    CHECK_FALSE(transaction->has_writes());
    transaction->put("a", "own");
    transaction->put("d", "own");
    transaction->remove("f");
    transaction->put("g", "own");
    transaction->remove("absent");
    CHECK(transaction->has_writes());
    CHECK(value_of(*transaction, "a") == "own");
    CHECK(value_of(*transaction, "d") == "own");
    CHECK(value_of(*transaction, "f") == "-");
    CHECK(transaction->peek("g").value() == std::optional<std::string>("own"));
    CHECK(transaction->peek("f").value() == std::nullopt);
    CHECK(entries(*transaction, {}) == "a=own b=stored d=own g=own ");
    CHECK(entries(*transaction, {}, ScanDirection::backward) == "g=own d=own b=stored a=own ");
    CHECK(entries(*transaction, {"b", "g"}) == "b=stored d=own ");
    CHECK(entries(*engine, {}) == "b=stored d=stored f=stored ");
    must_commit(*transaction);
    CHECK(entries(*engine, {}) == "a=own b=stored d=own g=own ");
}

void drops_what_is_not_committed(EngineStore& store) {
    const auto engine = store.open();
    { engine->begin()->put("a", "1"); }
    CHECK(entries(*engine, {}).empty());
}

void removes_while_it_scans(EngineStore& store) {
    const auto engine = store.open();
    for (const char* key : {"a", "b", "c", "d"})
        put(*engine, key, "1");
    const auto transaction = engine->begin();
    std::string seen;
    const auto cursor = transaction->scan({"", "d"}, ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        seen.append(cursor->key());
        transaction->remove(std::string(cursor->key()));
    }
    CHECK(seen == "abc");
    must_commit(*transaction);
    CHECK(entries(*engine, {}) == "d=1 ");
}

void removes_ranges(EngineStore& store) {
    const auto engine = store.open();
    for (const char* key : {"a", "b", "c", "d", "e"})
        put(*engine, key, "1");
    const auto transaction = engine->begin();
    transaction->put("bb", "before the removal");
    transaction->remove_range({"b", "e"});
    transaction->put("c", "behind the removal");
    transaction->add("d", 3);
    CHECK(value_of(*transaction, "b") == "-");
    CHECK(value_of(*transaction, "bb") == "-");
    CHECK(value_of(*transaction, "c") == "behind the removal");
    CHECK(sdk::read_counter(transaction->get("d").value()) == 3);
    CHECK(entries(*transaction, {"", "d"}) == "a=1 c=behind the removal ");
    CHECK(entries(*transaction, {"", "d"}, ScanDirection::backward) == "c=behind the removal a=1 ");
    CHECK(entries(*transaction, {"dd", ""}) == "e=1 ");
    must_commit(*transaction);
    CHECK(counter_of(*engine, "d") == 3);
    remove(*engine, "d");
    CHECK(entries(*engine, {}) == "a=1 c=behind the removal e=1 ");

    const auto everything = engine->begin();
    everything->remove_range({});
    everything->remove_range({"z", "a"});
    CHECK(entries(*everything, {}).empty());
    must_commit(*everything);
    CHECK(entries(*engine, {}).empty());
}

void removes_what_came_into_a_range(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "b1", "1");
    const auto transaction = engine->begin();
    CHECK(value_of(*transaction, "a") == "-");
    transaction->remove_range({"b", "c"});
    put(*engine, "b2", "came later");
    must_commit(*transaction);
    CHECK(entries(*engine, {}).empty());
}

void removes_ranges_of_commits_at_once(EngineStore& store) {
    constexpr char kFirst = 'a';
    constexpr char kLast = 'p';
    const auto engine = store.open();
    std::vector<std::unique_ptr<sdk::Transaction>> rivals;
    for (char name = kFirst; name <= kLast; ++name) {
        const std::string range(1, name);
        put(*engine, range + "1", "old");
        put(*engine, range + "2", "old");
        // Every third one removes two, and those between them none.
        auto& transaction = rivals.emplace_back(engine->begin());
        if (name % 3 == 0) transaction->remove_range({range + "1", range + "2"});
        if (name % 3 != 1) transaction->remove_range({range + "2", range + "3"});
        transaction->put(range + "3", "new");
    }
    CHECK(commit_all(rivals) == static_cast<int>(rivals.size()));
    std::string expected;
    for (char name = kFirst; name <= kLast; ++name) {
        const std::string range(1, name);
        if (name % 3 != 0) expected += range + "1=old ";
        if (name % 3 == 1) expected += range + "2=old ";
        expected += range + "3=new ";
    }
    CHECK(entries(*engine, {"a", "q"}) == expected);
}

void removed_range_conflicts_with_readers(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "b", "1");
    const auto reader = engine->begin();
    CHECK(value_of(*reader, "b") == "1");
    reader->put("x", "1");
    const auto removal = engine->begin();
    removal->remove_range({"a", "c"});
    must_commit(*removal);
    CHECK_FALSE(commits(*reader));
}

void adds(EngineStore& store) {
    const auto engine = store.open();
    const auto first = engine->begin();
    first->add("n", 5);
    first->add("n", -2);
    CHECK(sdk::read_counter(first->get("n").value()) == 3);
    CHECK(sdk::read_counter(first->peek("n").value()) == 3);
    must_commit(*first);
    CHECK(counter_of(*engine, "n") == 3);

    const auto second = engine->begin();
    second->add("n", 10);
    CHECK(sdk::read_counter(second->get("n").value()) == 13);
    CHECK(entries(*second, {}) == "n=" + sdk::counter_bytes(13) + " ");
    CHECK(entries(*second, {}, ScanDirection::backward) == "n=" + sdk::counter_bytes(13) + " ");
    must_commit(*second);
    CHECK(value_of(*engine, "n") == sdk::counter_bytes(13));

    const auto mixed = engine->begin();
    mixed->put("n", sdk::counter_bytes(100));
    mixed->add("n", 1);
    mixed->remove("m");
    mixed->add("m", 7);
    mixed->add("gone", 7);
    mixed->remove("gone");
    must_commit(*mixed);
    CHECK(counter_of(*engine, "n") == 101);
    CHECK(counter_of(*engine, "m") == 7);
    CHECK(value_of(*engine, "gone") == "-");
    const auto negative = engine->begin();
    negative->add("n", -200);
    must_commit(*negative);
    CHECK(counter_of(*engine, "n") == -99);
}

bool adds_within(sdk::Engine& engine, std::int64_t delta, std::int64_t most) {
    const auto transaction = engine.begin();
    const auto added = transaction->add_within("n", delta, most);
    if (!added) CHECK(added.error().code == "engine.conflict");
    return added && commits(*transaction);
}

void keeps_counters_within_bounds(EngineStore& store) {
    const auto engine = store.open();
    CHECK(adds_within(*engine, 5, 10));
    std::vector<std::unique_ptr<sdk::Transaction>> rivals;
    for (int i = 0; i < 2; ++i) {
        rivals.push_back(engine->begin());
        CHECK(rivals.back()->add_within("n", 4, 10).has_value());
    }
    CHECK(commit_all(rivals) == 1);
    CHECK(counter_of(*engine, "n") == 9);
    CHECK_FALSE(adds_within(*engine, 2, 10));
    CHECK(adds_within(*engine, 1, 10));

    // Of two bounds in one transaction both hold.
    const auto twice = engine->begin();
    CHECK(twice->add_within("n", 1, 100).has_value());
    const auto second = twice->add_within("n", 1, 11);
    CHECK_FALSE((second && commits(*twice)));
    // What does not grow is not bounded.
    CHECK(adds_within(*engine, -3, 1));
    CHECK(adds_within(*engine, 0, 1));
    CHECK(counter_of(*engine, "n") == 7);
}

/// Half of them begin before the others have committed, and all see the same counter.
void adding_within_bounds_never_conflicts(EngineStore& store) {
    if (!store.checks_bounds_at_commit()) return;
    constexpr int kRivals = 20;
    constexpr std::int64_t kMax = 1000;
    const auto engine = store.open();
    for (int round = 1; round <= 3; ++round) {
        std::vector<std::unique_ptr<sdk::Transaction>> early;
        std::vector<std::unique_ptr<sdk::Transaction>> late;
        for (int i = 0; i < kRivals; ++i) {
            auto& rivals = i % 2 == 0 ? early : late;
            rivals.push_back(engine->begin());
            CHECK(rivals.back()->add_within("n", 1 + i, kMax).has_value());
            rivals.back()->put("own" + std::to_string(i), "1");
        }
        const int conflicts = kRivals - commit_all(early) - commit_all(late);
        CHECK(conflicts == 0);
        CHECK(counter_of(*engine, "n") == round * (kRivals * (kRivals + 1) / 2));
    }
    // Who has read the counter conflicts with those who add to it, within bounds or not.
    const auto reader = engine->begin();
    CHECK(sdk::read_counter(reader->get("n").value()) == 630);
    reader->put("copy", "630");
    CHECK(adds_within(*engine, 1, kMax));
    CHECK_FALSE(commits(*reader));
}

void adding_never_conflicts_with_adding(EngineStore& store) {
    const auto engine = store.open();
    const auto one = engine->begin();
    const auto other = engine->begin();
    CHECK(value_of(*one, "x") == "-");
    CHECK(value_of(*other, "x") == "-");
    one->add("n", 1);
    other->add("n", 2);
    must_commit(*one);
    must_commit(*other);
    CHECK(counter_of(*engine, "n") == 3);

    const auto reader = engine->begin();
    CHECK(sdk::read_counter(reader->get("n").value()) == 3);
    reader->put("copy", "3");
    const auto third = engine->begin();
    third->add("n", 1);
    must_commit(*third);
    CHECK_FALSE(commits(*reader));
}

void conflicts_on_keys(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "1");
    const auto on_present = engine->begin();
    CHECK(value_of(*on_present, "a") == "1");
    on_present->put("b", "from a");
    const auto on_absent = engine->begin();
    CHECK(value_of(*on_absent, "new") == "-");
    on_absent->put("c", "new was absent");
    const auto untouched = engine->begin();
    CHECK(value_of(*untouched, "other") == "-");
    untouched->put("d", "1");
    const auto blind = engine->begin();
    blind->put("a", "blind");

    put(*engine, "a", "2");
    put(*engine, "new", "1");
    CHECK_FALSE(commits(*on_present));
    CHECK_FALSE(commits(*on_absent));
    CHECK(commits(*untouched));
    CHECK(commits(*blind));
    CHECK(entries(*engine, {}) == "a=blind d=1 new=1 ");
}

void conflicts_on_removal(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "1");
    const auto transaction = engine->begin();
    CHECK(value_of(*transaction, "a") == "1");
    transaction->put("b", "from a");
    remove(*engine, "a");
    CHECK_FALSE(commits(*transaction));
}

void detects_phantoms(EngineStore& store) {
    struct Case {
        KeyRange range;
        ScanDirection direction;
        const char* written;
        bool conflicts;
    };
    using enum ScanDirection;
    for (const Case& c :
         {Case{{"b", "d"}, forward, "bb", true}, Case{{"b", "d"}, forward, "d", false},
          Case{{"b", "d"}, forward, "a", false}, Case{{"b", "d"}, forward, "b", true},
          Case{{"b", ""}, forward, "zz", true}, Case{{"b", "d"}, backward, "bb", true},
          Case{{"b", "d"}, backward, "d", false}, Case{{"b", "d"}, backward, "a", false},
          Case{{"", "d"}, backward, "a", true}}) {
        INFO(c.range.begin << " to " << c.range.end << ", write of " << c.written);
        const auto engine = store.open();
        const auto clearing = engine->begin();
        clearing->remove_range({});
        must_commit(*clearing);
        put(*engine, "c", "1");
        const auto transaction = engine->begin();
        CHECK(entries(*transaction, c.range, c.direction) == "c=1 ");
        transaction->put("x", "1");
        put(*engine, c.written, "phantom");
        CHECK(commits(*transaction) != c.conflicts);
    }
}

void empty_ranges_have_phantoms(EngineStore& store) {
    const auto engine = store.open();
    const auto transaction = engine->begin();
    CHECK(entries(*transaction, {"b", "d"}).empty());
    transaction->put("x", "1");
    put(*engine, "c", "1");
    CHECK_FALSE(commits(*transaction));
}

void reads_only_as_far_as_it_looked(EngineStore& store) {
    for (const auto direction : {ScanDirection::forward, ScanDirection::backward}) {
        const auto engine = store.open();
        put(*engine, "b", "1");
        put(*engine, "d", "1");
        put(*engine, "f", "1");
        const bool is_forward = direction == ScanDirection::forward;
        const auto look = [&] {
            auto transaction = engine->begin();
            const auto cursor = transaction->scan({"a", "h"}, direction);
            CHECK(cursor->key() == (is_forward ? "b" : "f"));
            cursor->next();
            CHECK(cursor->key() == "d");
            transaction->put("x", "1");
            return transaction;
        };
        const auto first = look();
        put(*engine, is_forward ? "c" : "e", "between");
        CHECK_FALSE(commits(*first));
        remove(*engine, is_forward ? "c" : "e");
        const auto second = look();
        put(*engine, "d", "2");
        CHECK_FALSE(commits(*second));
    }
}

void seek_reads_what_it_finds(EngineStore& store) {
    for (const auto direction : {ScanDirection::forward, ScanDirection::backward}) {
        const auto engine = store.open();
        put(*engine, "b", "1");
        put(*engine, "f", "1");
        const auto transaction = engine->begin();
        const auto cursor = transaction->scan({}, direction);
        cursor->seek("d");
        transaction->put("x", "1");
        put(*engine, direction == ScanDirection::forward ? "e" : "c", "phantom");
        CHECK_FALSE(commits(*transaction));
    }
}

void notes_what_is_known(EngineStore& store) {
    struct Case {
        const char* changed;
        bool conflicts;
    };
    for (const Case& c : {Case{"key", true}, Case{"keys", false}, Case{"b", true}, Case{"c", true},
                          Case{"a", false}, Case{"d", false}}) {
        const auto engine = store.open();
        put(*engine, "b", "1");
        const auto transaction = engine->begin();
        REQUIRE(transaction->note_get("key").has_value());
        REQUIRE(transaction->note_scan({"b", "d"}).has_value());
        transaction->put("own", "1");
        INFO(c.changed);
        put(*engine, c.changed, "2");
        CHECK(commits(*transaction) != c.conflicts);
        remove(*engine, c.changed);
    }
}

void peeks_without_conflict(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "1");
    const auto transaction = engine->begin();
    CHECK(transaction->peek("a").value() == std::optional<std::string>("1"));
    transaction->put("b", "1");
    put(*engine, "a", "2");
    CHECK(commits(*transaction));
}

void read_only_always_commits(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "a", "1");
    const auto transaction = engine->begin();
    CHECK(value_of(*transaction, "a") == "1");
    put(*engine, "a", "2");
    put(*engine, "b", "2");
    CHECK(value_of(*transaction, "a") == "1");
    CHECK(entries(*transaction, {}) == "a=1 ");
    CHECK(commits(*transaction));
}

void conflicts_inside_a_batch(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "n", "0");
    std::vector<std::unique_ptr<sdk::Transaction>> rivals;
    for (int i = 0; i < 10; ++i) {
        rivals.push_back(engine->begin());
        CHECK(value_of(*rivals.back(), "n") == "0");
        rivals.back()->put("n", "1");
    }
    CHECK(commit_all(rivals) == 1);
}

void retries(EngineStore& store) {
    const auto engine = store.open();
    int tries = 0;
    const auto result = sdk::write_with_retry(*engine, [&](sdk::Transaction& transaction) {
        const std::string before = value_of(transaction, "a");
        if (++tries == 1) put(*engine, "a", "meanwhile");
        transaction.put("a", before + "+");
        return sdk::Result<void>();
    });
    CHECK(result.has_value());
    CHECK(tries == 2);
    CHECK(value_of(*engine, "a") == "meanwhile+");
}

/// A transaction and what a sorted map makes of the same steps.
class ModelRun {
public:
    ModelRun(sdk::Engine& engine, unsigned seed) : engine_(engine), random_(seed) {}

    void transaction() {
        const auto transaction = engine_.begin();
        auto state = committed_;
        for (std::size_t steps = random_() % 25; steps > 0; --steps) {
            change(*transaction, state);
            if (random_() % 3 == 0) compare(*transaction, state);
        }
        if (random_() % 4 == 0) return;
        must_commit(*transaction);
        committed_ = std::move(state);
        compare(*engine_.snapshot(), committed_);
    }

private:
    using Model = std::map<std::string, std::string>;

    std::string key() {
        std::string key;
        for (std::size_t size = random_() % 3; size > 0; --size)
            key.push_back("\0ab\xff"[random_() % 4]);
        return "k" + key;
    }

    void change(sdk::Transaction& transaction, Model& model) {
        const std::string key = this->key();
        switch (random_() % 6) {
            case 0:
                transaction.remove(key);
                model.erase(key);
                break;
            case 1: {
                const std::string end = random_() % 8 == 0 ? "" : this->key();
                transaction.remove_range({key, end});
                std::erase_if(model, [&](const auto& entry) {
                    return entry.first >= key && (end.empty() || entry.first < end);
                });
                break;
            }
            case 2: {
                transaction.add(key, 3);
                const auto found = model.find(key);
                const auto before =
                    found == model.end() ? std::nullopt : std::optional<std::string>(found->second);
                model[key] = sdk::counter_bytes(sdk::read_counter(before) + 3);
                break;
            }
            default: {
                const std::string value = std::to_string(random_());
                transaction.put(key, value);
                model[key] = value;
            }
        }
    }

    void compare(const sdk::Reader& reader, const Model& model) {
        const KeyRange range{key(), random_() % 3 == 0 ? "" : key()};
        std::vector<std::string> expected;
        for (const auto& [key, value] : model) {
            if (key >= range.begin && (range.end.empty() || key < range.end))
                expected.push_back(key + "=" + value);
        }
        REQUIRE(scan(reader, range, ScanDirection::forward) == expected);
        std::reverse(expected.begin(), expected.end());
        REQUIRE(scan(reader, range, ScanDirection::backward) == expected);
        const std::string single = key();
        const auto found = model.find(single);
        REQUIRE(value_of(reader, single) == (found == model.end() ? "-" : found->second));
    }

    static std::vector<std::string> scan(const sdk::Reader& reader, const KeyRange& range,
                                         ScanDirection direction) {
        std::vector<std::string> found;
        const auto cursor = reader.scan(range, direction);
        for (; cursor->is_valid(); cursor->next())
            found.push_back(std::string(cursor->key()) + "=" + std::string(cursor->value()));
        return found;
    }

    sdk::Engine& engine_;
    std::mt19937 random_;
    Model committed_;
};

void agrees_with_a_sorted_map(EngineStore& store) {
    const auto engine = store.open();
    ModelRun run(*engine, 20240607);
    for (int i = 0; i < 300; ++i)
        run.transaction();
}

}  // namespace

const std::vector<EngineCheck>& engine_transaction_checks() {
    static const std::vector<EngineCheck> checks{
        {"shows a transaction its own writes, and nobody else", sees_own_writes},
        {"drops a transaction that is not committed", drops_what_is_not_committed},
        {"lets a transaction remove what it scans", removes_while_it_scans},
        {"removes ranges, with what the transaction wrote before", removes_ranges},
        {"removes what came into a range before the commit", removes_what_came_into_a_range},
        {"removes the ranges of commits that come at once", removes_ranges_of_commits_at_once},
        {"lets a removed range conflict with readers", removed_range_conflicts_with_readers},
        {"adds to counters, mixed with other writes of a transaction", adds},
        {"never lets two additions conflict, but an addition and a reader",
         adding_never_conflicts_with_adding},
        {"keeps counters within their bounds at commit", keeps_counters_within_bounds},
        {"lets additions that stay within their bounds commit without a conflict",
         adding_within_bounds_never_conflicts},
        {"refuses a commit whose keys were changed", conflicts_on_keys},
        {"refuses a commit whose key was removed", conflicts_on_removal},
        {"refuses a commit when a scanned range was written, and only then", detects_phantoms},
        {"refuses a commit when an empty range was filled", empty_ranges_have_phantoms},
        {"counts what a cursor has passed as read", reads_only_as_far_as_it_looked},
        {"counts what a seek has looked through as read", seek_reads_what_it_finds},
        {"counts as read what a transaction says that it knows", notes_what_is_known},
        {"does not count a peek as read", peeks_without_conflict},
        {"commits a transaction without writes, which saw one state", read_only_always_commits},
        {"lets one of many rivals win that commit at once", conflicts_inside_a_batch},
        {"repeats a write after a conflict", retries},
        {"does what a sorted map does", agrees_with_a_sorted_map},
    };
    return checks;
}

}  // namespace stele::testing
