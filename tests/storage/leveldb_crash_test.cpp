#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::testing {

namespace {

constexpr int kWriters = 4;
constexpr int kMaxWaitMs = 60'000;

struct Acknowledged {
    int writer;
    int number;
};

std::string key_of(int round, const Acknowledged& commit, char half) {
    return std::to_string(round) + "/" + std::to_string(commit.writer) + "/" +
           std::to_string(commit.number) + "/" + half;
}

/// Commits for ever and reports through `pipe`. In a process of its own, which gets killed.
void write_until_killed(const std::filesystem::path& folder, int round, int pipe) {
    // Small files, so that switches of log and compactions are met, too.
    const auto opened = kernel::storage::open_leveldb(folder, {.write_buffer_bytes = 64 * 1024});
    if (!opened) ::_exit(1);
    sdk::Engine& engine = **opened;
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&engine, round, pipe, writer] {
            for (int number = 0;; ++number) {
                const Acknowledged commit{writer, number};
                const auto transaction = engine.begin();
                transaction->put(key_of(round, commit, 'a'), std::string(500, 'a'));
                transaction->put(key_of(round, commit, 'b'), std::string(1500, 'b'));
                transaction->add("count/" + std::to_string(round), 1);
                if (!sdk::commit_and_wait(*transaction)) ::_exit(2);
                if (::write(pipe, &commit, sizeof(commit)) != sizeof(commit)) ::_exit(3);
            }
        });
    }
    for (std::thread& writer : writers)
        writer.join();
}

constexpr char kFolderVariable[] = "STELE_TEST_CRASH_FOLDER";
constexpr char kRoundVariable[] = "STELE_TEST_CRASH_ROUND";
constexpr char kPipeVariable[] = "STELE_TEST_CRASH_PIPE";

/// A new program instead of a mere fork, because LevelDB keeps a thread that a fork would lack.
[[noreturn]] void start_writer(const std::filesystem::path& folder, int round, int pipe) {
    ::setenv(kFolderVariable, folder.c_str(), 1);
    ::setenv(kRoundVariable, std::to_string(round).c_str(), 1);
    ::setenv(kPipeVariable, std::to_string(pipe).c_str(), 1);
    ::execl("/proc/self/exe", "storage_engine_test", "[crash-writer]", nullptr);
    ::_exit(4);
}

/// Reads one acknowledgement; false at the end, or when nothing comes for very long.
bool read_acknowledged(int pipe, Acknowledged& commit) {
    pollfd waiting{pipe, POLLIN, 0};
    return ::poll(&waiting, 1, kMaxWaitMs) == 1 &&
           ::read(pipe, &commit, sizeof(commit)) == sizeof(commit);
}

/// Runs a writing process, kills it after `most` acknowledgements; answers all that came.
std::vector<Acknowledged> crash(const std::filesystem::path& folder, int round, std::size_t most) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::close(ends[0]);
        start_writer(folder, round, ends[1]);
    }
    ::close(ends[1]);
    std::vector<Acknowledged> acknowledged;
    Acknowledged commit{};
    while (read_acknowledged(ends[0], commit)) {
        acknowledged.push_back(commit);
        if (acknowledged.size() == most) ::kill(child, SIGKILL);
    }
    ::close(ends[0]);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(acknowledged.size() >= most);
    return acknowledged;
}

/// Number of commits of the round that are in the store; each must be whole.
std::int64_t count_whole(const sdk::Reader& reader, int round) {
    std::int64_t halves[2] = {0, 0};
    const std::string prefix = std::to_string(round) + "/";
    const auto cursor =
        reader.scan({prefix, std::to_string(round) + "0"}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        ++halves[cursor->key().back() - 'a'];
    REQUIRE(cursor->status().has_value());
    CHECK(halves[0] == halves[1]);
    return halves[0];
}

}  // namespace

TEST_CASE("writes until it is killed (run by the next test)", "[.][crash-writer]") {
    if (::getenv(kFolderVariable) == nullptr) return;
    write_until_killed(::getenv(kFolderVariable), std::stoi(::getenv(kRoundVariable)),
                       std::stoi(::getenv(kPipeVariable)));
}

TEST_CASE("what was acknowledged is there and whole after the process was killed") {
    const TemporaryFolder folder;
    std::mt19937 random(20240607);
    for (int round = 0; round < repetitions(20); ++round) {
        INFO("round " << round);
        const auto acknowledged = crash(folder.path(), round, 1 + random() % 300);
        const auto engine = kernel::storage::open_leveldb(folder.path());
        if (!engine) FAIL(engine.error().message);
        const auto reader = (*engine)->snapshot();
        std::size_t missing = 0;
        for (const Acknowledged& commit : acknowledged) {
            if (value_of(*reader, key_of(round, commit, 'a')) != std::string(500, 'a') ||
                value_of(*reader, key_of(round, commit, 'b')) != std::string(1500, 'b'))
                ++missing;
        }
        CHECK(missing == 0);
        const std::int64_t whole = count_whole(*reader, round);
        CHECK(whole >= static_cast<std::int64_t>(acknowledged.size()));
        CHECK(counter_of(**engine, "count/" + std::to_string(round)) == whole);
    }
}

}  // namespace stele::testing
