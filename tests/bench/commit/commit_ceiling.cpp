// bench_commit [writers] [keys per commit] [bytes per value] [seconds] [rounds]
//
// Commits per second of the LevelDB engine against LevelDB with a bare group commit in the same
// run: keys written blindly, and the same when each commit has read one key and scanned a range.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/bench/commit/raw_group_commit.hpp"

namespace stele::bench {

namespace {

struct Load {
    int writers = 64;
    int keys = 1;
    int bytes = 600;
    double seconds = 3;
    int rounds = 3;
};

std::string random_key(std::minstd_rand& random) {
    char text[32];
    std::snprintf(text, sizeof(text), "key/%010u%010u", static_cast<unsigned>(random()),
                  static_cast<unsigned>(random()));
    return text;
}

/// Commits per second when every writer repeats `commit`.
double measure(const Load& load, const std::function<void(const Entries&)>& commit) {
    std::atomic<bool> stops = false;
    std::atomic<std::uint64_t> commits = 0;
    std::vector<std::thread> writers;
    const auto begin = std::chrono::steady_clock::now();
    for (int writer = 0; writer < load.writers; ++writer) {
        writers.emplace_back([&, writer] {
            std::minstd_rand random(static_cast<unsigned>(writer) + 1);
            Entries entries(static_cast<std::size_t>(load.keys));
            for (auto& entry : entries)
                entry.second.assign(static_cast<std::size_t>(load.bytes), 'x');
            std::uint64_t own = 0;
            for (; !stops; ++own) {
                for (auto& entry : entries)
                    entry.first = random_key(random);
                commit(entries);
            }
            commits += own;
        });
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(load.seconds));
    stops = true;
    for (std::thread& writer : writers)
        writer.join();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(commits) / taken.count();
}

double measure_raw(const Load& load) {
    const testing::TemporaryFolder folder;
    RawGroupCommit raw(folder.path());
    return measure(load, [&raw](const Entries& entries) { raw.commit(entries); });
}

double measure_engine(const Load& load, bool reads) {
    const testing::TemporaryFolder folder;
    const auto engine = kernel::storage::open_leveldb(folder.path()).value();
    return measure(load, [&engine, reads](const Entries& entries) {
        const auto transaction = engine->begin();
        if (reads) {
            const std::string& key = entries.front().first;
            if (!transaction->get(key)) std::abort();
            const auto cursor = transaction->scan({key, key + "/"}, sdk::ScanDirection::forward);
            if (!cursor->status()) std::abort();
        }
        for (const auto& [key, value] : entries)
            transaction->put(key, value);
        const auto done = sdk::commit_and_wait(*transaction);
        if (!done && done.error().code != "engine.conflict") std::abort();
    });
}

void run(const Load& load) {
    double raw = 0;
    double blind = 0;
    double reading = 0;
    // Turn by turn, because the machine's speed drifts.
    for (int round = 0; round < load.rounds; ++round) {
        raw += measure_raw(load) / load.rounds;
        blind += measure_engine(load, false) / load.rounds;
        reading += measure_engine(load, true) / load.rounds;
    }
    std::printf(
        "writers %d keys %d bytes %d: raw %.0f/s, engine %.0f/s (%.2f), with reads %.0f/s (%.2f)\n",
        load.writers, load.keys, load.bytes, raw, blind, blind / raw, reading, reading / raw);
}

}  // namespace

}  // namespace stele::bench

int main(int count, char** arguments) {
    stele::bench::Load load;
    if (count > 1) load.writers = std::stoi(arguments[1]);
    if (count > 2) load.keys = std::stoi(arguments[2]);
    if (count > 3) load.bytes = std::stoi(arguments[3]);
    if (count > 4) load.seconds = std::stod(arguments[4]);
    if (count > 5) load.rounds = std::stoi(arguments[5]);
    stele::bench::run(load);
    return 0;
}
