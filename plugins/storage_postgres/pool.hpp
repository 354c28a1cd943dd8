#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <stele/sdk/result.hpp>

#include "connection.hpp"
#include "options.hpp"

namespace stele::storage_postgres {

/// At most `Options::connections` connections, held only while statements travel. Any thread.
///
/// When the database is away, operations wait until it is back, for `Options::wait` from the moment
/// at which it was missed first; later ones fail at once, until a connection stands again.
class Pool {
public:
    explicit Pool(Options options) : options_(std::move(options)) {}
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// A connection for a short time. A broken one is closed instead of given back.
    class Lease {
    public:
        Lease() = default;
        Lease(Pool& pool, std::unique_ptr<Connection> connection)
            : pool_(&pool), connection_(std::move(connection)) {}
        Lease(Lease&& other) noexcept = default;
        Lease& operator=(Lease&& other) noexcept;
        ~Lease() { give_back(); }

        explicit operator bool() const { return connection_ != nullptr; }
        Connection* operator->() const { return connection_.get(); }
        Connection& operator*() const { return *connection_; }
        void give_back();

    private:
        Pool* pool_ = nullptr;
        std::unique_ptr<Connection> connection_;
    };

    /// When an operation that begins now gives up.
    Deadline deadline() const;
    sdk::Result<Lease> acquire(Deadline deadline);
    /// Tries to connect although the database is away; `wait` long at most.
    sdk::Result<Lease> probe();

    /// Statements that may be repeated: again on another connection when one breaks.
    template <class Value>
    sdk::Result<Value> run(const std::function<sdk::Result<Value>(Connection&, Deadline)>& work) {
        const Deadline until = deadline();
        while (true) {
            auto lease = acquire(until);
            if (!lease) return lease.error();
            auto value = work(**lease, until);
            if (value || !(*lease)->is_broken() || Clock::now() >= until) return value;
        }
    }

    sdk::Result<void> status() const;
    const Options& options() const { return options_; }

private:
    /// Between two attempts to connect.
    static constexpr std::chrono::milliseconds kPause{100};

    sdk::Result<Lease> connect();
    void take(std::unique_ptr<Connection> connection);
    void note_missing(const sdk::Error& error);

    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Connection>> idle_;
    std::size_t open_ = 0;
    bool is_connecting_ = false;
    /// Since when the database is away, and how that showed.
    std::optional<Clock::time_point> away_since_;
    Clock::time_point next_attempt_;
    sdk::Error reason_;
};

}  // namespace stele::storage_postgres
