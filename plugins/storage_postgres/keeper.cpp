#include "keeper.hpp"

#include <algorithm>

#include <stele/sdk/log.hpp>

#include "blobs.hpp"

namespace stele::storage_postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 100ms;
constexpr auto kRest = 2000ms;
/// While nothing is committed, every so manieth round looks for what else there is to clear away.
constexpr int kIdleRounds = 12;
/// A server that was not heard of for so long does not hold up the others any more.
constexpr std::int64_t kSilentMs = 60'000;
/// The log is kept for longer than any server may take to find out what became of a commit.
constexpr std::int64_t kLogMs = 600'000;
/// Large binaries are cleared away over several rounds: between two of them this server must show
/// itself, or the others forget it.
constexpr auto kClearing = 2s;

}  // namespace

sdk::Result<void> report_server(Pool& pool, const std::string& server, std::uint64_t oldest) {
    auto reported = pool.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(Statement::report_server,
                              Parameters().bytes(server).integer(static_cast<std::int64_t>(oldest)),
                              deadline);
    });
    if (!reported) return reported.error();
    return {};
}

Keeper::Keeper(Pool& pool, ChangeFeed& feed, std::string server)
    : pool_(pool),
      feed_(feed),
      server_(std::move(server)),
      next_tidying_(Clock::now() + pool.options().tidying),
      pause_(kLook) {
    thread_ = std::thread([this] { run(); });
}

Keeper::~Keeper() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    stopped_.notify_one();
    thread_.join();
    if (!pool_.status()) return;
    if (auto forgotten = run(Statement::forget_server, Parameters().bytes(server_)); !forgotten) {
        sdk::log(sdk::LogLevel::warning, "storage_postgres",
                 "this server stays on the list: " + forgotten.error().detail);
    }
}

void Keeper::run() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, pause_, [this] { return is_stopping_; })) {
        lock.unlock();
        look();
        choose_pause();
        lock.lock();
    }
}

void Keeper::look() {
    // The pool logs when the database is missed and when it is back.
    if (!pool_.status() && !pool_.probe()) return;
    // Whoever began to read has looked.
    if (feed_.asked() == seen_asked_ && !feed_.present()) return;
    if (Clock::now() < next_tidying_) return;
    next_tidying_ = Clock::now() + pool_.options().tidying;
    if (auto tidied = tidy(); !tidied && pool_.status()) {
        sdk::log(sdk::LogLevel::warning, "storage_postgres",
                 "tidying the store failed: " + tidied.error().detail);
    }
}

/// Commits come close to others, and a database that was missed is wanted back.
void Keeper::choose_pause() {
    const std::uint64_t version = feed_.version();
    const bool is_quiet = version == seen_version_ && pool_.status();
    seen_version_ = version;
    seen_asked_ = feed_.asked();
    const auto rest = std::max<std::chrono::milliseconds>(
        kLook, std::min<std::chrono::milliseconds>(kRest, pool_.options().tidying));
    pause_ = is_quiet ? std::min(2 * pause_, rest) : kLook;
}

bool Keeper::is_due_in_full() {
    const std::uint64_t version = feed_.version();
    const std::uint64_t oldest = feed_.oldest_view();
    const bool is_same = version == tidied_version_ && oldest == tidied_oldest_;
    if (is_same && ++rounds_ < kIdleRounds) return false;
    tidied_version_ = version;
    tidied_oldest_ = oldest;
    rounds_ = 0;
    return true;
}

/// Each step is tried, so that none waits behind one that fails for ever.
sdk::Result<void> Keeper::tidy() {
    sdk::Result<void> first;
    const auto note = [&](sdk::Result<void> done) {
        if (first && !done) first = std::move(done);
    };
    if (!is_due_in_full()) {
        note(report());
        note(clear_pieces());
        return first;
    }
    note(raise_horizon());
    note(trim(Statement::trim_past, Parameters().integer(kTrimPage)));
    note(trim(Statement::trim_log, Parameters().integer(kTrimPage).integer(kLogMs)));
    note(give_up_old_uploads(pool_));
    note(clear_pieces());
    return first;
}

/// Each in a transaction of its own: nothing is trimmed before the raised horizon is visible.
sdk::Result<void> Keeper::raise_horizon() {
    if (auto reported = report(); !reported) return reported;
    auto silent = run(Statement::forget_silent_servers, Parameters().integer(kSilentMs));
    if (!silent) return silent.error();
    auto raised = run(Statement::raise_horizon, {});
    if (!raised) return raised.error();
    return {};
}

sdk::Result<void> Keeper::report() {
    return report_server(pool_, server_, feed_.oldest_view());
}

sdk::Result<void> Keeper::clear_pieces() {
    const auto until = Clock::now() + kClearing;
    while (Clock::now() < until && !is_stopping()) {
        auto cleared = clear_unwanted_pieces(pool_);
        if (!cleared) return cleared.error();
        if (!*cleared) return {};
    }
    return {};
}

sdk::Result<void> Keeper::trim(Statement statement, const Parameters& parameters) {
    int trimmed = kTrimPage;
    while (trimmed == kTrimPage && !is_stopping()) {
        auto done = run(statement, parameters);
        if (!done) return done.error();
        trimmed = *done;
    }
    return {};
}

sdk::Result<int> Keeper::run(Statement statement, const Parameters& parameters) {
    return pool_.run<int>([&](Connection& connection, Deadline deadline) -> sdk::Result<int> {
        auto rows = connection.run(statement, parameters, deadline);
        if (!rows) return rows.error();
        return rows->affected();
    });
}

bool Keeper::is_stopping() {
    const std::lock_guard lock(mutex_);
    return is_stopping_;
}

}  // namespace stele::storage_postgres
