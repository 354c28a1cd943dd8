#include "pool.hpp"

#include <algorithm>

#include <stele/sdk/log.hpp>

namespace stele::storage_postgres {

Pool::Lease& Pool::Lease::operator=(Lease&& other) noexcept {
    give_back();
    pool_ = other.pool_;
    connection_ = std::move(other.connection_);
    return *this;
}

void Pool::Lease::give_back() {
    if (connection_) pool_->take(std::move(connection_));
}

Deadline Pool::deadline() const {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    if (!away_since_) return now + options_.wait;
    return std::max(now, *away_since_ + options_.wait);
}

sdk::Result<Pool::Lease> Pool::acquire(Deadline deadline) {
    std::unique_lock lock(mutex_);
    while (true) {
        if (!idle_.empty()) {
            Lease lease(*this, std::move(idle_.back()));
            idle_.pop_back();
            return lease;
        }
        // While the database is away, one at a time tries.
        const auto now = Clock::now();
        const bool is_away = away_since_.has_value();
        const bool has_turn = !is_away || (!is_connecting_ && now >= next_attempt_);
        if (open_ < options_.connections && has_turn && (!is_away || now < deadline)) {
            ++open_;
            is_connecting_ = true;
            lock.unlock();
            auto lease = connect();
            if (lease) return lease;
            if (lease.error().kind != sdk::ErrorKind::unavailable) return lease.error();
            lock.lock();
            continue;
        }
        if (now >= deadline) return is_away ? reason_ : unreachable("all connections are in use");
        const bool may_try_later = is_away && !is_connecting_;
        changed_.wait_until(lock, may_try_later ? std::min(deadline, next_attempt_) : deadline);
    }
}

sdk::Result<Pool::Lease> Pool::probe() {
    {
        const std::lock_guard lock(mutex_);
        if (is_connecting_ || open_ >= options_.connections) return unreachable("connecting");
        ++open_;
        is_connecting_ = true;
    }
    return connect();
}

sdk::Result<Pool::Lease> Pool::connect() {
    auto opened = Connection::open(options_);
    if (opened) {
        if (auto prepared = (*opened)->prepare_statements(Clock::now() + options_.wait); !prepared)
            opened = prepared.error();
    }
    const std::lock_guard lock(mutex_);
    is_connecting_ = false;
    changed_.notify_all();
    if (!opened) {
        --open_;
        note_missing(opened.error());
        return opened.error();
    }
    if (away_since_) sdk::log(sdk::LogLevel::info, "storage_postgres", "the database is back");
    away_since_.reset();
    return Lease(*this, *std::move(opened));
}

void Pool::take(std::unique_ptr<Connection> connection) {
    std::vector<std::unique_ptr<Connection>> stale;  // closed behind the lock
    const std::lock_guard lock(mutex_);
    if (!connection->is_broken()) {
        idle_.push_back(std::move(connection));
    } else {
        // Where one broke, the idle ones did: a restart takes them all.
        stale.swap(idle_);
        open_ -= 1 + stale.size();
    }
    changed_.notify_one();
}

void Pool::note_missing(const sdk::Error& error) {
    reason_ = error;
    next_attempt_ = Clock::now() + kPause;
    if (away_since_) return;
    away_since_ = Clock::now();
    sdk::log(sdk::LogLevel::error, "storage_postgres",
             "the database does not answer: " + error.detail);
}

sdk::Result<void> Pool::status() const {
    const std::lock_guard lock(mutex_);
    if (away_since_) return reason_;
    return {};
}

}  // namespace stele::storage_postgres
