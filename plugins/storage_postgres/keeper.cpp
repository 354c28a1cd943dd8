#include "keeper.hpp"

#include <stele/sdk/log.hpp>

namespace stele::storage_postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 100ms;
/// A server that was not heard of for so long does not hold up the others any more.
constexpr std::int64_t kSilentMs = 60'000;
/// The log is kept for longer than any server may take to find out what became of a commit.
constexpr std::int64_t kLogMs = 600'000;

}  // namespace

sdk::Result<void> report_server(Pool& pool, const std::string& server, std::uint64_t oldest) {
    auto reported = pool.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(
            Statement::report_server,
            Parameters().bytes(server).integer(static_cast<std::int64_t>(oldest)), deadline);
    });
    if (!reported) return reported.error();
    return {};
}

Keeper::Keeper(Pool& pool, ChangeFeed& feed, std::string server)
    : pool_(pool), feed_(feed), server_(std::move(server)), next_tidying_(Clock::now() + pool.options().tidying) {
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
    auto forgotten = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(Statement::forget_server, Parameters().bytes(server_), deadline);
    });
    if (!forgotten) {
        sdk::log(sdk::LogLevel::warning, "storage_postgres",
                 "this server stays on the list: " + forgotten.error().detail);
    }
}

void Keeper::run() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, kLook, [this] { return is_stopping_; })) {
        lock.unlock();
        look();
        lock.lock();
    }
}

void Keeper::look() {
    // The pool logs when the database is missed and when it is back.
    if (!pool_.status() && !pool_.probe()) return;
    if (!feed_.present()) return;
    if (Clock::now() < next_tidying_) return;
    next_tidying_ = Clock::now() + pool_.options().tidying;
    if (auto tidied = tidy(); !tidied && pool_.status()) {
        sdk::log(sdk::LogLevel::warning, "storage_postgres",
                 "tidying the store failed: " + tidied.error().detail);
    }
}

sdk::Result<void> Keeper::tidy() {
    if (auto reported = report_server(pool_, server_, feed_.oldest_view()); !reported)
        return reported;
    // Each in a transaction of its own: nothing is trimmed before the raised horizon is visible.
    for (const auto& [statement, parameters] :
         {std::pair(Statement::forget_silent_servers, Parameters().integer(kSilentMs)),
          std::pair(Statement::raise_horizon, Parameters()),
          std::pair(Statement::trim_past, Parameters().integer(kTrimPage)),
          std::pair(Statement::trim_log, Parameters().integer(kTrimPage).integer(kLogMs))}) {
        auto done = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
            return connection.run(statement, parameters, deadline);
        });
        if (!done) return done.error();
    }
    return {};
}

}  // namespace stele::storage_postgres
