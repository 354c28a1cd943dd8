// bench_postgres CONNECTION SECONDS: transactions a second of the engine over PostgreSQL, and of a
// bare libpq loop that sends the same statements in the same number of round trips.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "plugins/storage_postgres/change_feed.hpp"
#include "plugins/storage_postgres/connection.hpp"
#include "plugins/storage_postgres/postgres_engine.hpp"

namespace {

using namespace stele;
using storage_postgres::Connection;
using storage_postgres::Parameters;
using storage_postgres::Statement;

constexpr int kKeys = 1000;
constexpr int kReads = 3;   // of one transaction
constexpr int kWrites = 8;  // the entries of a small record
const std::string kValue(400, 'v');

template <class Value>
Value must(sdk::Result<Value> result) {
    if (result) return *std::move(result);
    std::fprintf(stderr, "%s %s\n", result.error().message.c_str(), result.error().detail.c_str());
    std::exit(1);
}

std::string key_of(int number) {
    return "key/" + std::to_string(number);
}

/// Calls a second of `work` on so many threads; it is given the thread and the number of the call.
double rate(int threads, double seconds, const std::function<void(int, int)>& work) {
    std::atomic<bool> is_over = false;
    std::atomic<std::uint64_t> calls = 0;
    std::vector<std::thread> running;
    const auto begin = std::chrono::steady_clock::now();
    for (int thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
            for (int i = 0; !is_over; ++i) {
                work(thread, i);
                ++calls;
            }
        });
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    is_over = true;
    for (std::thread& thread : running)
        thread.join();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(calls) / taken.count();
}

class BareLoop {
public:
    BareLoop(const storage_postgres::Options& options, int threads) {
        for (int i = 0; i < threads; ++i) {
            auto connection = must(Connection::open(options));
            if (auto ready = connection->prepare_statements(deadline()); !ready) std::exit(1);
            connections_.push_back(std::move(connection));
        }
    }

    void read(int thread, int call) {
        Connection& connection = *connections_[static_cast<std::size_t>(thread)];
        const auto log = must(connection.run(Statement::read_log,
                                             Parameters().integer(kFar).integer(256), deadline()));
        const auto version = static_cast<std::int64_t>(log.number(0, 0));
        for (int i = 0; i < kReads; ++i) {
            const std::string key = key_of((call * kReads + i) % kKeys);
            must(connection.run(Statement::read, Parameters().bytes(key).integer(version),
                                deadline()));
        }
    }

    void write(int thread, int call) {
        Connection& connection = *connections_[static_cast<std::size_t>(thread)];
        connection.send(Statement::begin);
        connection.send(Statement::lock_state);
        connection.send(Statement::read_log, Parameters().integer(kFar).integer(256));
        const auto state = must(connection.finish(deadline()));
        const auto version = static_cast<std::int64_t>(state[1].number(0, 0)) + 1;
        std::vector<std::string> names;
        for (int i = 0; i < kWrites; ++i)
            names.push_back("bare/" + std::to_string(thread) + "/" + std::to_string(call) + "/" +
                            std::to_string(i));
        const std::vector<std::string_view> keys(names.begin(), names.end());
        const std::vector<std::string_view> values(kWrites, kValue);
        const std::string log = storage_postgres::encode_keys(keys);
        connection.send(Statement::keep_past, Parameters().bytes_array(keys).integer(version));
        connection.send(Statement::write,
                        Parameters().bytes_array(keys).bytes_array(values).integer(version));
        connection.send(Statement::write_log,
                        Parameters().integer(version).bytes("batch").bytes(log));
        connection.send(Statement::advance, Parameters().integer(version));
        connection.send(Statement::commit);
        must(connection.finish(deadline()));
    }

private:
    static constexpr std::int64_t kFar = 1'000'000'000'000;

    static storage_postgres::Deadline deadline() {
        return storage_postgres::Clock::now() + std::chrono::seconds(10);
    }

    std::vector<std::unique_ptr<Connection>> connections_;
};

void read(sdk::Engine& engine, int call) {
    const auto reader = engine.snapshot();
    for (int i = 0; i < kReads; ++i)
        must(reader->get(key_of((call * kReads + i) % kKeys)));
}

void write(sdk::Engine& engine, int thread, int call) {
    const auto transaction = engine.begin();
    for (int i = 0; i < kWrites; ++i)
        transaction->put(
            "own/" + std::to_string(thread) + "/" + std::to_string(call) + "/" + std::to_string(i),
            kValue);
    if (!sdk::commit_and_wait(*transaction)) std::exit(1);
}

void report(const char* what, int threads, double ours, double bare) {
    std::printf("%s, %d threads: engine %.0f/s, bare libpq %.0f/s, ratio %.2f\n", what, threads,
                ours, bare, ours / bare);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "bench_postgres CONNECTION SECONDS\n");
        return 2;
    }
    const double seconds = std::atof(argv[2]);
    storage_postgres::Options options;
    options.connection = argv[1];
    options.schema = "bench";
    const auto engine = must(storage_postgres::open_postgres(options));
    const auto transaction = engine->begin();
    for (int i = 0; i < kKeys; ++i)
        transaction->put(key_of(i), kValue);
    if (!sdk::commit_and_wait(*transaction)) return 1;
    for (const int threads : {1, 8}) {
        BareLoop bare(options, threads);
        const double ours_reading = rate(threads, seconds, [&](int, int i) { read(*engine, i); });
        const double bare_reading =
            rate(threads, seconds, [&](int thread, int i) { bare.read(thread, i); });
        report("begin and read three values", threads, ours_reading, bare_reading);
    }
    for (const int threads : {1, 8}) {
        BareLoop bare(options, threads);
        const double ours_writing =
            rate(threads, seconds, [&](int thread, int i) { write(*engine, thread, i); });
        // Its log rows are none: the engine must not take part from here on.
        const double bare_writing = rate(threads, seconds, [&](int thread, int i) {
            bare.write(thread, threads * 1'000'000 + i);
        });
        report("commit eight values", threads, ours_writing, bare_writing);
    }
    return 0;
}
