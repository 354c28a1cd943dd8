#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/storage/engine_access.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

using sdk::KeyRange;
using sdk::ScanDirection;

constexpr int kThreads = 4;

/// Runs `work` on several threads; it must not use Catch, which is not made for that.
template <class Work>
void run_threads(const Work& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads)
        thread.join();
}

std::int64_t counter(const sdk::Reader& reader, std::string_view key) {
    return sdk::read_counter(reader.get(key).value());
}

void keeps_sums(EngineStore& store) {
    constexpr int kAccounts = 5;
    constexpr std::int64_t kEach = 100;
    const auto engine = store.open();
    const auto account = [](std::size_t i) { return "account" + std::to_string(i); };
    for (int i = 0; i < kAccounts; ++i)
        put(*engine, account(i), sdk::counter_bytes(kEach));
    std::atomic<int> wrong_sums = 0;
    std::atomic<int> failures = 0;
    run_threads([&](int thread) {
        std::mt19937 random(thread);
        for (int i = 0; i < 150; ++i) {
            const std::string from = account(random() % kAccounts);
            const std::string to = account(random() % kAccounts);
            const std::int64_t amount = random() % 10;
            const auto done = sdk::write_with_retry(
                *engine,
                [&](sdk::Transaction& transaction) {
                    transaction.put(from, sdk::counter_bytes(counter(transaction, from) - amount));
                    transaction.put(to, sdk::counter_bytes(counter(transaction, to) + amount));
                    return sdk::Result<void>();
                },
                100'000);
            if (!done) ++failures;
            std::int64_t sum = 0;
            const auto reader = engine->snapshot();
            const auto cursor = reader->scan({"account", "b"}, ScanDirection::forward);
            for (; cursor->is_valid(); cursor->next())
                sum += sdk::read_counter(std::string(cursor->value()));
            if (sum != kAccounts * kEach) ++wrong_sums;
        }
    });
    CHECK(failures == 0);
    CHECK(wrong_sums == 0);
}

void adds_from_many_threads(EngineStore& store) {
    const auto engine = store.open();
    std::atomic<int> failures = 0;
    std::atomic<std::int64_t> expected = 0;
    run_threads([&](int thread) {
        std::mt19937 random(thread);
        for (int i = 0; i < 200; ++i) {
            const auto number = static_cast<std::int64_t>(random() % 100) - 30;
            const auto transaction = engine->begin();
            transaction->add("sum" + std::to_string(random() % 2), number);
            transaction->add("all", 1);
            transaction->put("own" + std::to_string(thread), std::to_string(i));
            if (sdk::commit_and_wait(*transaction))
                expected += number;
            else
                ++failures;
        }
    });
    CHECK(failures == 0);
    CHECK(counter_of(*engine, "sum0") + counter_of(*engine, "sum1") == expected);
    CHECK(counter_of(*engine, "all") == kThreads * 200);
}

void has_no_write_skew(EngineStore& store) {
    constexpr int kPairs = 2;
    const auto engine = store.open();
    const auto half = [](std::size_t pair, std::size_t side) {
        return "pair" + std::to_string(pair) + (side == 0 ? "x" : "y");
    };
    for (int pair = 0; pair < kPairs; ++pair) {
        put(*engine, half(pair, 0), "1");
        put(*engine, half(pair, 1), "1");
    }
    std::atomic<int> both_off = 0;
    run_threads([&](int thread) {
        std::mt19937 random(thread);
        for (int i = 0; i < 250; ++i) {
            const std::size_t pair = random() % kPairs;
            const std::string own = half(pair, thread % 2);
            const std::string other = half(pair, 1 - thread % 2);
            const auto transaction = engine->begin();
            const bool is_own_on = transaction->get(own).value() == "1";
            const bool is_other_on = transaction->get(other).value() == "1";
            if (!is_own_on && !is_other_on) ++both_off;
            // Either may be switched off, but not both.
            transaction->put(own, is_own_on && is_other_on ? "0" : "1");
            const auto outcome = sdk::commit_and_wait(*transaction);
            static_cast<void>(outcome.has_value());
            const auto reader = engine->snapshot();
            if (reader->get(own).value() == "0" && reader->get(other).value() == "0") ++both_off;
        }
    });
    CHECK(both_off == 0);
}

void has_no_phantoms(EngineStore& store) {
    constexpr int kMax = 40;
    const auto engine = store.open();
    run_threads([&](int thread) {
        for (int i = 0; i < 40; ++i) {
            const auto transaction = engine->begin();
            int seats = 0;
            const auto cursor = transaction->scan({"seat", "seau"}, ScanDirection::forward);
            for (; cursor->is_valid(); cursor->next())
                ++seats;
            if (seats >= kMax) break;
            transaction->put("seat" + std::to_string(thread) + "/" + std::to_string(i), "taken");
            transaction->add("seats", 1);
            const auto outcome = sdk::commit_and_wait(*transaction);
            if (!outcome) --i;
        }
    });
    const auto reader = engine->snapshot();
    int seats = 0;
    const auto cursor = reader->scan({"seat/", "seau"}, ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        ++seats;
    // The counter lies in the range and is counted as one.
    CHECK(seats == kMax);
    CHECK(counter(*reader, "seats") == kMax - 1);
}

/// What committed transactions saw and wrote, and whether some order explains it.
///
/// Every write carries a new value and follows a read of the same register in its transaction, so
/// the versions of a register form a chain, and all dependencies are known.
class History {
public:
    using Values = std::map<std::string, std::string>;

    void add(Values read, Values written) {
        const std::lock_guard lock(mutex_);
        transactions_.push_back({std::move(read), std::move(written)});
    }

    /// The first contradiction; empty when there is an order.
    std::string contradiction() const {
        std::map<std::string, std::size_t> writer_of;
        std::map<std::string, std::size_t> overwriter_of;
        for (std::size_t i = 0; i < transactions_.size(); ++i) {
            for (const auto& [key, value] : transactions_[i].written) {
                writer_of[value] = i;
                const std::string version = key + "=" + transactions_[i].read.at(key);
                if (!overwriter_of.emplace(version, i).second) return "lost update of " + version;
            }
        }
        std::vector<std::set<std::size_t>> followers(transactions_.size());
        for (std::size_t i = 0; i < transactions_.size(); ++i) {
            for (const auto& [key, value] : transactions_[i].read) {
                const auto writer = writer_of.find(value);
                if (value != "-" && writer == writer_of.end()) return "uncommitted " + value;
                if (writer != writer_of.end()) followers[writer->second].insert(i);
                const auto overwriter = overwriter_of.find(key + "=" + value);
                if (overwriter != overwriter_of.end() && overwriter->second != i)
                    followers[i].insert(overwriter->second);
            }
        }
        return has_cycle(followers) ? "no order explains what was read" : "";
    }

    std::size_t size() const { return transactions_.size(); }

private:
    struct Done {
        Values read;
        Values written;
    };

    static bool has_cycle(const std::vector<std::set<std::size_t>>& followers) {
        std::vector<std::size_t> before(followers.size(), 0);
        for (const auto& next : followers)
            for (const std::size_t i : next)
                ++before[i];
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < before.size(); ++i)
            if (before[i] == 0) free.push_back(i);
        std::size_t placed = 0;
        for (; !free.empty(); ++placed) {
            const std::size_t i = free.back();
            free.pop_back();
            for (const std::size_t next : followers[i])
                if (--before[next] == 0) free.push_back(next);
        }
        return placed != followers.size();
    }

    std::mutex mutex_;
    std::vector<Done> transactions_;
};

History::Values read_registers(const sdk::Reader& reader, std::mt19937& random, int registers) {
    History::Values read;
    const auto name = [](std::size_t i) { return "r" + std::to_string(i); };
    if (random() % 3 == 0) {
        for (int i = 0; i < registers; ++i)
            read[name(i)] = "-";
        const auto direction = random() % 2 == 0 ? ScanDirection::forward : ScanDirection::backward;
        const auto cursor = reader.scan({"r", "s"}, direction);
        for (; cursor->is_valid(); cursor->next())
            read[std::string(cursor->key())] = std::string(cursor->value());
    } else {
        for (int i = 0; i < 3; ++i) {
            const std::string key = name(random() % registers);
            read[key] = reader.get(key).value().value_or("-");
        }
    }
    return read;
}

void is_serializable(EngineStore& store) {
    constexpr int kRegisters = 6;
    const auto engine = store.open();
    History history;
    std::atomic<std::uint64_t> last_value = 0;
    run_threads([&](int thread) {
        std::mt19937 random(100 + thread);
        for (int i = 0; i < 300; ++i) {
            const auto transaction = engine->begin();
            auto read = read_registers(*transaction, random, kRegisters);
            History::Values written;
            for (std::size_t writes = random() % 3; writes > 0; --writes) {
                const auto chosen =
                    std::next(read.begin(), static_cast<std::ptrdiff_t>(random() % read.size()));
                const std::string value = std::to_string(++last_value);
                transaction->put(chosen->first, value);
                written[chosen->first] = value;
            }
            if (sdk::commit_and_wait(*transaction))
                history.add(std::move(read), std::move(written));
        }
    });
    CHECK(history.contradiction().empty());
    CHECK(history.size() > 300);
}

void history_finds_contradictions() {
    History skew;
    skew.add({{"x", "-"}, {"y", "-"}}, {{"x", "1"}});
    skew.add({{"x", "-"}, {"y", "-"}}, {{"y", "2"}});
    CHECK(skew.contradiction() == "no order explains what was read");
    History lost;
    lost.add({{"x", "-"}}, {{"x", "1"}});
    lost.add({{"x", "-"}}, {{"x", "2"}});
    CHECK(lost.contradiction() == "lost update of x=-");
}

void checks_histories(EngineStore&) {
    history_finds_contradictions();
}

}  // namespace

const std::vector<EngineCheck>& engine_concurrency_checks() {
    static const std::vector<EngineCheck> checks{
        {"keeps sums under concurrent transfers", keeps_sums},
        {"loses no addition of concurrent writers", adds_from_many_threads},
        {"allows no write skew", has_no_write_skew},
        {"allows no phantoms under concurrent insertion", has_no_phantoms},
        {"is serializable (the check itself finds contradictions)", checks_histories},
        {"is serializable", is_serializable},
    };
    return checks;
}

}  // namespace stele::testing
