#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"

namespace stele::testing {

namespace {

constexpr char kStamps[] = "stamps";
const std::string kNoStamp(8, '\0');

std::unique_ptr<sdk::Engine> open_store(const TemporaryFolder& folder, std::size_t row_bytes) {
    auto engine = kernel::storage::open_leveldb(
        folder.path(), {.row_cache_bytes = row_bytes, .is_durable = false});
    if (!engine) FAIL(engine.error().message);
    return *std::move(engine);
}

/// One step of a transaction, as the engine and the model take it.
struct Step {
    enum class Kind { put, put_stamped, remove, remove_range, add };

    Kind kind;
    std::string key;
    std::string end;
    std::string value;
    std::int64_t delta = 0;
};

struct Commit {
    std::uint64_t stamp = 0;
    std::vector<Step> steps;
};

/// What a reader was told at the state with so many commits.
struct Answer {
    std::uint64_t stamp = 0;
    std::string key;
    std::optional<std::string> value;
};

std::string key_name(std::size_t number) {
    return std::string("key") + static_cast<char>('a' + number);
}

constexpr std::size_t kKeys = 24;
constexpr std::size_t kLeastAnswers = 1000;

std::string counter_name(std::size_t number) {
    return key_name(number % 4) + "#";
}

Step random_step(std::mt19937& random) {
    const std::size_t number = random() % kKeys;
    const std::string value = std::to_string(random()) + std::string(random() % 100, 'x');
    switch (random() % 8) {
        case 0:
            return {Step::Kind::remove, key_name(number), "", "", 0};
        case 1:
            return {Step::Kind::remove_range, key_name(number), key_name(number + 3), "", 0};
        case 2:
            return {Step::Kind::put_stamped, key_name(number), "", "", 0};
        case 3:
        case 4:
            return {Step::Kind::add, counter_name(number), "", "", 1};
        default:
            return {Step::Kind::put, key_name(number), "", value, 0};
    }
}

void take(const Step& step, sdk::Transaction& transaction) {
    switch (step.kind) {
        case Step::Kind::put:
            return transaction.put(step.key, step.value);
        case Step::Kind::put_stamped:
            return transaction.put_stamped(
                kStamps, {.key = step.key, .value = kNoStamp, .in_value = sdk::StampPlace{}});
        case Step::Kind::remove:
            return transaction.remove(step.key);
        case Step::Kind::remove_range:
            return transaction.remove_range({step.key, step.end});
        case Step::Kind::add:
            return transaction.add(step.key, step.delta);
    }
}

/// All entries after so many commits.
class Model {
public:
    void take(const Commit& commit) {
        for (const Step& step : commit.steps)
            take(step, commit.stamp);
        entries_[kStamps] = number(commit.stamp);
    }
    std::optional<std::string> value(const std::string& key) const {
        const auto entry = entries_.find(key);
        if (entry == entries_.end()) return std::nullopt;
        return entry->second;
    }

private:
    static std::string number(std::uint64_t number) {
        return sdk::counter_bytes(static_cast<std::int64_t>(number));
    }

    void take(const Step& step, std::uint64_t stamp) {
        switch (step.kind) {
            case Step::Kind::put:
                entries_[step.key] = step.value;
                break;
            case Step::Kind::put_stamped:
                entries_[step.key] = number(stamp);
                break;
            case Step::Kind::remove:
                entries_.erase(step.key);
                break;
            case Step::Kind::remove_range:
                entries_.erase(entries_.lower_bound(step.key), entries_.lower_bound(step.end));
                break;
            case Step::Kind::add:
                entries_[step.key] =
                    sdk::counter_bytes(sdk::read_counter(value(step.key)) + step.delta);
                break;
        }
    }

    std::map<std::string, std::string> entries_;
};

/// Commits random steps; the stamps tell the order of all commits.
std::vector<Commit> write(sdk::Engine& engine, std::mt19937 random, int commits) {
    std::vector<Commit> done;
    for (int i = 0; i < commits; ++i) {
        const auto transaction = engine.begin();
        Commit commit;
        for (std::size_t steps = 1 + random() % 3; steps > 0; --steps)
            commit.steps.push_back(random_step(random));
        commit.steps.push_back({Step::Kind::put_stamped, "last", "", "", 0});
        for (const Step& step : commit.steps)
            take(step, *transaction);
        if (!sdk::commit_and_wait(*transaction)) break;
        commit.stamp = *transaction->stamp(kStamps);
        done.push_back(std::move(commit));
    }
    return done;
}

/// Cursors read LevelDB itself, so what this says does not depend on the rows in memory.
std::uint64_t commits_seen(const sdk::Reader& reader) {
    const auto cursor = reader.scan({kStamps, ""}, sdk::ScanDirection::forward);
    if (!cursor->is_valid()) return 0;
    return static_cast<std::uint64_t>(sdk::read_counter(std::string(cursor->value())));
}

std::optional<std::string> read(const sdk::Reader& reader, const std::string& key, bool is_into) {
    if (!is_into) return reader.get(key).value();
    std::string value = "from before";
    if (!reader.get_into(key, value).value()) return std::nullopt;
    return value;
}

/// Readers of several ages, each asked now and then.
std::vector<Answer> read_often(sdk::Engine& engine, std::mt19937 random,
                               const std::atomic<bool>& is_over) {
    struct Open {
        std::unique_ptr<sdk::Reader> reader;
        std::uint64_t stamp = 0;
    };
    std::vector<Answer> answers;
    std::vector<Open> open(6);
    while (!is_over || answers.size() < kLeastAnswers) {
        Open& chosen = open[random() % open.size()];
        if (!chosen.reader || random() % 8 == 0) {
            chosen.reader = random() % 2 == 0 ? engine.snapshot() : engine.begin();
            chosen.stamp = commits_seen(*chosen.reader);
        }
        for (int i = 0; i < 8; ++i) {
            const std::size_t number = random() % (kKeys + 6);
            const std::string key = number < kKeys        ? key_name(number)
                                    : number < kKeys + 4  ? counter_name(number)
                                    : number == kKeys + 4 ? kStamps
                                                          : "last";
            answers.push_back({chosen.stamp, key, read(*chosen.reader, key, random() % 2 == 0)});
        }
        std::this_thread::yield();
    }
    return answers;
}

int wrong_answers(std::vector<Commit> commits, std::vector<Answer> answers) {
    std::sort(commits.begin(), commits.end(),
              [](const Commit& a, const Commit& b) { return a.stamp < b.stamp; });
    std::stable_sort(answers.begin(), answers.end(),
                     [](const Answer& a, const Answer& b) { return a.stamp < b.stamp; });
    Model model;
    std::size_t taken = 0;
    int wrong = 0;
    for (const Answer& answer : answers) {
        while (taken < answer.stamp)
            model.take(commits.at(taken++));
        if (answer.value != model.value(answer.key)) ++wrong;
    }
    return wrong;
}

}  // namespace

TEST_CASE("whatever writes a row, readers before it see the old and readers after it the new") {
    struct Case {
        std::string old;
        std::string now;
        std::function<void(sdk::Transaction&)> write;
    };
    const auto put_new = [](auto& transaction) { transaction.put("row", "new"); };
    const auto remove_row = [](auto& transaction) { transaction.remove("row"); };
    const auto remove_all = [](auto& transaction) { transaction.remove_range({"ro", "rp"}); };
    const auto add_four = [](auto& transaction) { transaction.add("row", 4); };
    const auto put_first_stamp = [](auto& transaction) {
        transaction.put_stamped(kStamps,
                                {.key = "row", .value = kNoStamp, .in_value = sdk::StampPlace{}});
    };
    const std::string seven = sdk::counter_bytes(7);
    const std::vector<Case> cases{
        {"old", "new", put_new},
        {"-", "new", put_new},
        {"old", "-", remove_row},
        {"old", "-", remove_all},
        {seven, sdk::counter_bytes(11), add_four},
        {"-", sdk::counter_bytes(4), add_four},
        {seven, sdk::counter_bytes(1), put_first_stamp},
        {"-", sdk::counter_bytes(1), put_first_stamp},
    };
    for (const Case& one : cases) {
        const TemporaryFolder folder;
        const auto engine = open_store(folder, 1024 * 1024);
        if (one.old != "-") put(*engine, "row", one.old);
        const auto known = engine->snapshot();
        const auto slow = engine->snapshot();
        CHECK(value_of(*known, "row") == one.old);
        const auto transaction = engine->begin();
        one.write(*transaction);
        must_commit(*transaction);
        CHECK(value_of(*slow, "row") == one.old);
        CHECK(value_of(*engine, "row") == one.now);
        CHECK(value_of(*known, "row") == one.old);
        CHECK(value_of(*engine, "row") == one.now);
    }
}

TEST_CASE("a transaction notes a row that it reads from memory") {
    const TemporaryFolder folder;
    const auto engine = open_store(folder, 1024 * 1024);
    put(*engine, "row", "1");
    CHECK(value_of(*engine, "row") == "1");
    const auto transaction = engine->begin();
    CHECK(value_of(*transaction, "row") == "1");
    transaction->put("other", "1");
    put(*engine, "row", "2");
    CHECK_FALSE(commits(*transaction));
}

TEST_CASE("a commit of many rows is not seen before all of them are forgotten") {
    constexpr int kRounds = 20;
    constexpr int kRows = 3000;
    const TemporaryFolder folder;
    const auto engine = open_store(folder, 1024 * 1024);
    put(*engine, "~last", "0");
    std::atomic<bool> is_over = false;
    std::atomic<int> wrong = 0;
    std::thread reader([&] {
        while (!is_over) {
            const auto snapshot = engine->snapshot();
            const auto cursor = snapshot->scan({"~last", ""}, sdk::ScanDirection::forward);
            if (snapshot->get("~last").value() != cursor->value()) ++wrong;
        }
    });
    for (int round = 1; round <= kRounds; ++round) {
        const auto transaction = engine->begin();
        for (int row = 0; row < kRows; ++row)
            transaction->put("row" + std::to_string(row), "");
        transaction->put("~last", std::to_string(round));
        if (!sdk::commit_and_wait(*transaction)) ++wrong;
    }
    is_over = true;
    reader.join();
    CHECK(wrong == 0);
}

TEST_CASE("readers of any age are told what the commits before their snapshot wrote") {
    constexpr int kCommits = 3000;
    constexpr unsigned kWriters = 3;
    constexpr unsigned kReaders = 3;
    // The lesser one holds some of the rows only.
    const std::size_t row_bytes = GENERATE(24 * 1024, 1024 * 1024);
    const TemporaryFolder folder;
    const auto engine = open_store(folder, row_bytes);
    std::mutex mutex;
    std::vector<Commit> commits;
    std::vector<Answer> answers;
    std::atomic<bool> is_over = false;
    const auto collect = [&mutex](auto& all, auto some) {
        const std::lock_guard lock(mutex);
        std::move(some.begin(), some.end(), std::back_inserter(all));
    };
    std::vector<std::thread> readers;
    std::vector<std::thread> writers;
    for (unsigned i = 0; i < kReaders; ++i)
        readers.emplace_back(
            [&, i] { collect(answers, read_often(*engine, std::mt19937(100 + i), is_over)); });
    for (unsigned i = 0; i < kWriters; ++i)
        writers.emplace_back(
            [&, i] { collect(commits, write(*engine, std::mt19937(i), kCommits)); });
    for (std::thread& writer : writers)
        writer.join();
    is_over = true;
    for (std::thread& reader : readers)
        reader.join();
    REQUIRE(commits.size() == kWriters * kCommits);
    CHECK(wrong_answers(std::move(commits), std::move(answers)) == 0);
}

}  // namespace stele::testing
