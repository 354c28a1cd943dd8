#include <optional>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/storage/engine_access.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

using sdk::ScanDirection;
using sdk::StampPlace;

constexpr char kCounter[] = "count";
constexpr char kRoom[] = "########";

std::string number(std::uint64_t value) {
    return sdk::counter_bytes(static_cast<std::int64_t>(value));
}

/// Puts "log", the stamp and `name`; the value is the stamp behind a dash.
void put_in_log(sdk::Transaction& transaction, const std::string& name) {
    transaction.put_stamped(kCounter, {.key = "log" + std::string(kRoom) + name,
                                       .value = "-" + std::string(kRoom),
                                       .in_key = StampPlace{3},
                                       .in_value = StampPlace{1}});
}

std::string log_entry(std::uint64_t stamp, const std::string& name) {
    return "log" + number(stamp) + name + "=-" + number(stamp) + " ";
}

void stamps_keys_and_values(EngineStore& store) {
    const auto engine = store.open();
    const auto first = engine->begin();
    put_in_log(*first, "a");
    put_in_log(*first, "b");
    first->put_stamped(kCounter, {.key = "plain", .value = kRoom, .in_value = StampPlace{}});
    first->put_stamped(kCounter, {.key = kRoom, .value = "v", .in_key = StampPlace{}});
    CHECK(first->has_writes());
    must_commit(*first);
    CHECK(first->stamp(kCounter) == 1U);
    CHECK(first->stamp("other") == std::nullopt);
    CHECK(counter_of(*engine, kCounter) == 1);
    CHECK(entries(*engine, {"log", "loh"}) == log_entry(1, "a") + log_entry(1, "b"));
    CHECK(value_of(*engine, "plain") == number(1));
    CHECK(value_of(*engine, number(1)) == "v");
    const auto second = engine->begin();
    put_in_log(*second, "a");
    must_commit(*second);
    CHECK(second->stamp(kCounter) == 2U);
    CHECK(entries(*engine, {"log", "loh"}) ==
          log_entry(1, "a") + log_entry(1, "b") + log_entry(2, "a"));
}

void stamps_the_newest_first(EngineStore& store) {
    const auto engine = store.open();
    std::string expected;
    for (const char* name : {"1", "2", "3"}) {
        const auto transaction = engine->begin();
        transaction->put_stamped(
            kCounter,
            {.key = std::string("v") + kRoom, .value = name, .in_key = StampPlace{1, true}});
        // Before the commit, too, it comes before those that are there.
        const auto cursor = transaction->scan({"v", "w"}, ScanDirection::forward);
        CHECK(cursor->value() == name);
        must_commit(*transaction);
        expected = "v" + number(~*transaction->stamp(kCounter)) + "=" + name + " " + expected;
    }
    CHECK(entries(*engine, {"v", "w"}) == expected);
}

void own_stamped_puts_can_be_changed(EngineStore& store) {
    const auto engine = store.open();
    const auto transaction = engine->begin();
    transaction->put_stamped(kCounter, {.key = "a", .value = kRoom, .in_value = StampPlace{}});
    transaction->put_stamped(kCounter, {.key = "b", .value = kRoom, .in_value = StampPlace{}});
    transaction->put_stamped(kCounter, {.key = "c", .value = kRoom, .in_value = StampPlace{}});
    transaction->put_stamped(kCounter, {.key = "d", .value = kRoom, .in_value = StampPlace{}});
    transaction->put("a", "plain");
    transaction->remove("b");
    transaction->remove_range({"c", "ca"});
    transaction->put("c", "again");
    must_commit(*transaction);
    CHECK(entries(*engine, {"a", "bz"}) == "a=plain ");
    CHECK(value_of(*engine, "c") == "again");
    CHECK(value_of(*engine, "d") == number(1));
}

/// A transaction may need several numbers, one for each step.
void steps_take_numbers_in_a_row(EngineStore& store) {
    const auto engine = store.open();
    const auto put = [](sdk::Transaction& transaction, const char* name, std::uint64_t step) {
        transaction.put_stamped(kCounter, {.key = "log" + std::string(kRoom) + name,
                                           .value = "-" + std::string(kRoom),
                                           .in_key = StampPlace{3},
                                           .in_value = StampPlace{1},
                                           .step = step});
        // Puts of two steps are no puts of one key.
        transaction.put_stamped(kCounter, {.key = "same" + std::string(kRoom),
                                           .value = name,
                                           .in_key = StampPlace{4},
                                           .step = step});
    };
    const auto first = engine->begin();
    put(*first, "b", 1);
    put(*first, "a", 0);
    put(*first, "c", 2);
    must_commit(*first);
    CHECK(first->stamp(kCounter) == 1U);
    CHECK(counter_of(*engine, kCounter) == 3);
    const auto second = engine->begin();
    put(*second, "d", 0);
    put(*second, "e", 1);
    must_commit(*second);
    CHECK(second->stamp(kCounter) == 4U);
    CHECK(counter_of(*engine, kCounter) == 5);
    CHECK(entries(*engine, {"log", "loh"}) == log_entry(1, "a") + log_entry(2, "b") +
                                                  log_entry(3, "c") + log_entry(4, "d") +
                                                  log_entry(5, "e"));
    std::string same;
    std::uint64_t expected = 0;
    for (const char* name : {"a", "b", "c", "d", "e"})
        same += "same" + number(++expected) + "=" + name + " ";
    CHECK(entries(*engine, {"same", "samf"}) == same);
    if (!store.checks_bounds_at_commit()) return;
    for (const std::int64_t most : {6, 7}) {
        const auto bounded = engine->begin();
        put(*bounded, "f", 1);
        CHECK(bounded->add_within(kCounter, 0, most).has_value());
        // The last number is 7.
        CHECK(commits(*bounded) == (most == 7));
    }
}

/// All begin before any commits.
void taking_stamps_never_conflicts(EngineStore& store) {
    if (!store.checks_bounds_at_commit()) return;
    constexpr std::uint64_t kRivals = 20;
    const auto engine = store.open();
    for (std::uint64_t round = 0; round < 3; ++round) {
        std::vector<std::unique_ptr<sdk::Transaction>> rivals;
        for (std::uint64_t i = 0; i < kRivals; ++i) {
            rivals.push_back(engine->begin());
            put_in_log(*rivals.back(), std::to_string(i));
        }
        CHECK(commit_all(rivals) == static_cast<int>(kRivals));
        std::set<std::uint64_t> stamps;
        for (std::uint64_t i = 0; i < kRivals; ++i) {
            const auto stamp = rivals[i]->stamp(kCounter);
            REQUIRE(stamp.has_value());
            stamps.insert(*stamp);
            CHECK(value_of(*engine, "log" + number(*stamp) + std::to_string(i)) ==
                  "-" + number(*stamp));
        }
        CHECK(stamps.size() == kRivals);
        CHECK(*stamps.begin() == round * kRivals + 1);
        CHECK(*stamps.rbegin() == (round + 1) * kRivals);
    }
}

/// Of two counters at once, as many as each rival needs; all begin before any commits.
void rivals_take_numbers_in_rows(EngineStore& store) {
    if (!store.checks_bounds_at_commit()) return;
    constexpr std::uint64_t kRivals = 20;
    const auto engine = store.open();
    const auto taken = [](std::uint64_t rival, bool is_other) {
        return 1 + (is_other ? rival / 5 : rival) % 4;
    };
    const auto counter = [](bool is_other) { return is_other ? "other" : kCounter; };
    const auto key = [&](std::uint64_t stamp, bool is_other) {
        return counter(is_other) + (":" + number(stamp));
    };
    std::vector<std::unique_ptr<sdk::Transaction>> rivals;
    for (std::uint64_t rival = 0; rival < kRivals; ++rival) {
        rivals.push_back(engine->begin());
        for (const bool is_other : {false, true}) {
            // The highest step comes first here, and last there.
            for (std::uint64_t i = 0, all = taken(rival, is_other); i < all; ++i) {
                const std::uint64_t step = is_other ? i : all - 1 - i;
                const std::string start = std::string(counter(is_other)) + ":";
                rivals.back()->put_stamped(
                    counter(is_other),
                    {.key = start + kRoom,
                     .value = std::to_string(rival) + "+" + std::to_string(step) + "=" + kRoom,
                     .in_key = StampPlace{start.size()},
                     .in_value =
                         StampPlace{std::to_string(rival).size() + 2 + std::to_string(step).size()},
                     .step = step});
            }
        }
    }
    CHECK(commit_all(rivals) == static_cast<int>(kRivals));
    for (const bool is_other : {false, true}) {
        std::set<std::uint64_t> numbers;
        for (std::uint64_t rival = 0; rival < kRivals; ++rival) {
            const auto stamp = rivals[rival]->stamp(counter(is_other));
            REQUIRE(stamp.has_value());
            for (std::uint64_t step = 0; step < taken(rival, is_other); ++step) {
                numbers.insert(*stamp + step);
                CHECK(value_of(*engine, key(*stamp + step, is_other)) ==
                      std::to_string(rival) + "+" + std::to_string(step) + "=" +
                          number(*stamp + step));
            }
        }
        // Five take one, five two, five three and five four: none is given twice, and none left.
        CHECK(numbers.size() == 50);
        CHECK(*numbers.begin() == 1);
        CHECK(*numbers.rbegin() == 50);
        CHECK(counter_of(*engine, counter(is_other)) == 50);
    }
}

/// What the transaction adds to the counter itself is no number of its steps.
void own_additions_come_before_the_stamp(EngineStore& store) {
    const auto engine = store.open();
    for (const std::uint64_t first : {2, 5}) {
        const auto transaction = engine->begin();
        transaction->add(kCounter, 1);
        for (const std::uint64_t step : {0, 1}) {
            transaction->put_stamped(kCounter, {.key = "at" + std::string(kRoom),
                                                .value = std::to_string(step),
                                                .in_key = StampPlace{2},
                                                .step = step});
        }
        must_commit(*transaction);
        CHECK(transaction->stamp(kCounter) == first);
        CHECK(value_of(*engine, "at" + number(first)) == "0");
        CHECK(value_of(*engine, "at" + number(first + 1)) == "1");
        CHECK(counter_of(*engine, kCounter) == static_cast<std::int64_t>(first + 1));
    }
}

/// Each step's entry is one of its own, also before the commit, whichever way they are sorted.
void steps_show_before_the_commit(EngineStore& store) {
    const auto engine = store.open();
    const auto names = [](const sdk::Reader& reader, bool is_descending) {
        std::string found;
        const auto cursor =
            reader.scan(is_descending ? sdk::KeyRange{"d", "e"} : sdk::KeyRange{"a", "b"},
                        ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next())
            found += cursor->value();
        return found;
    };
    const auto put = [](sdk::Transaction& transaction, std::uint64_t step, const char* name) {
        for (const bool is_descending : {false, true}) {
            transaction.put_stamped(kCounter,
                                    {.key = (is_descending ? "d" : "a") + std::string(kRoom),
                                     .value = name,
                                     .in_key = StampPlace{1, is_descending},
                                     .step = step});
        }
    };
    const auto former = engine->begin();
    put(*former, 0, "f");
    must_commit(*former);
    const auto transaction = engine->begin();
    put(*transaction, 1, "y");
    put(*transaction, 0, "x");
    for (const bool is_descending : {false, true}) {
        const std::string seen = names(*transaction, is_descending);
        CHECK(seen.size() == 3);
        CHECK(seen.find('f') == (is_descending ? 2 : 0));
    }
    // The same step again is the same entry.
    put(*transaction, 1, "z");
    must_commit(*transaction);
    CHECK(names(*engine->snapshot(), false) == "fxz");
    CHECK(names(*engine->snapshot(), true) == "zxf");
}

void stamped_entries_conflict_with_readers(EngineStore& store) {
    const auto engine = store.open();
    const auto reader = engine->begin();
    CHECK(entries(*reader, {"log", "loh"}).empty());
    reader->put("x", "1");
    const auto elsewhere = engine->begin();
    CHECK(entries(*elsewhere, {"m", "n"}).empty());
    elsewhere->put("y", "1");
    const auto writer = engine->begin();
    put_in_log(*writer, "a");
    must_commit(*writer);
    CHECK_FALSE(commits(*reader));
    CHECK(commits(*elsewhere));
}

/// Whoever looked for the very key that a stamp makes, also where both are committed together.
void stamped_keys_conflict_with_their_readers(EngineStore& store) {
    if (!store.checks_bounds_at_commit()) return;
    constexpr std::uint64_t kPairs = 10;
    const auto engine = store.open();
    std::vector<std::unique_ptr<sdk::Transaction>> transactions;
    for (std::uint64_t stamp = 1; stamp <= kPairs; ++stamp) {
        transactions.push_back(engine->begin());
        put_in_log(*transactions.back(), "a");
    }
    for (std::uint64_t stamp = 1; stamp <= kPairs; ++stamp) {
        transactions.push_back(engine->begin());
        CHECK(value_of(*transactions.back(), "log" + number(stamp) + "a") == "-");
        transactions.back()->put("reader" + std::to_string(stamp), "1");
    }
    CHECK(commit_all(transactions) == static_cast<int>(kPairs));
    CHECK(counter_of(*engine, kCounter) == static_cast<std::int64_t>(kPairs));
    CHECK(entries(*engine, {"reader", "reades"}).empty());
}

void refused_commits_take_no_stamp(EngineStore& store) {
    const auto engine = store.open();
    put(*engine, "n", "0");
    std::vector<std::unique_ptr<sdk::Transaction>> rivals;
    for (int i = 0; i < 10; ++i) {
        rivals.push_back(engine->begin());
        CHECK(value_of(*rivals.back(), "n") == "0");
        rivals.back()->put("n", "1");
        put_in_log(*rivals.back(), std::to_string(i));
        rivals.back()->put_stamped(
            kCounter, {.key = kRoom, .value = "last", .in_key = StampPlace{}, .step = 2});
    }
    CHECK(commit_all(rivals) == 1);
    CHECK(counter_of(*engine, kCounter) == 3);
    const auto next = engine->begin();
    put_in_log(*next, "next");
    must_commit(*next);
    CHECK(next->stamp(kCounter) == 4U);
}

void keeps_stamps_within_bounds(EngineStore& store) {
    if (!store.checks_bounds_at_commit()) return;
    const auto engine = store.open();
    std::vector<std::unique_ptr<sdk::Transaction>> rivals;
    for (int i = 0; i < 5; ++i) {
        rivals.push_back(engine->begin());
        put_in_log(*rivals.back(), std::to_string(i));
        CHECK(rivals.back()->add_within(kCounter, 0, 3).has_value());
    }
    CHECK(commit_all(rivals) == 3);
    CHECK(counter_of(*engine, kCounter) == 3);
}

}  // namespace

const std::vector<EngineCheck>& engine_stamp_checks() {
    static const std::vector<EngineCheck> checks{
        {"puts a stamp into keys and values at commit", stamps_keys_and_values},
        {"sorts what was stamped last first where that is asked for", stamps_the_newest_first},
        {"lets a transaction change what it was to stamp", own_stamped_puts_can_be_changed},
        {"gives each step of a transaction a number of its own", steps_take_numbers_in_a_row},
        {"shows each step of a transaction as an entry of its own", steps_show_before_the_commit},
        {"gives a transaction's own additions no number of its steps",
         own_additions_come_before_the_stamp},
        {"gives rivals as many numbers of each counter as they need", rivals_take_numbers_in_rows},
        {"gives rivals stamps without gaps and without a conflict", taking_stamps_never_conflicts},
        {"refuses readers of a range that a stamped key came into",
         stamped_entries_conflict_with_readers},
        {"refuses readers of a key that a stamp made", stamped_keys_conflict_with_their_readers},
        {"gives no stamp to a refused commit", refused_commits_take_no_stamp},
        {"keeps stamps within their bounds", keeps_stamps_within_bounds},
    };
    return checks;
}

}  // namespace stele::testing
