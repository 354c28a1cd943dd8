#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include <stele/sdk/result.hpp>

#include "options.hpp"
#include "parameters.hpp"
#include "rows.hpp"
#include "statements.hpp"

namespace stele::storage_postgres {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// A connection to the server that takes writes, always in pipeline mode: any number of statements
/// travel in one round trip. One thread at a time.
class Connection {
public:
    /// Connects and prepares the statements. `unavailable` (`storage_postgres.unreachable`) when
    /// that fails.
    static sdk::Result<std::unique_ptr<Connection>> open(const Options& options);

    /// Adds a statement to the round trip.
    void send(Statement statement, const Parameters& parameters = {});
    /// Sends what was added and waits for the answers, one of each statement in order. A failure of
    /// one of them is the failure of all that follow.
    sdk::Result<std::vector<Rows>> finish(Deadline deadline);
    /// One statement.
    sdk::Result<Rows> run(Statement statement, const Parameters& parameters, Deadline deadline);
    /// Statements without parameters, in one text: for the time before anything is prepared.
    sdk::Result<Rows> run_text(const std::string& text, Deadline deadline);
    sdk::Result<void> prepare_statements(Deadline deadline);

    /// It answers no more; what it was asked last may or may not have happened.
    bool is_broken() const { return is_broken_; }
    int server_version() const { return PQserverVersion(connection_.get()); }
    std::string quoted(const std::string& identifier) const;

private:
    struct Finish {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };

    explicit Connection(PGconn* connection) : connection_(connection) {}

    sdk::Result<std::vector<Rows>> receive(Deadline deadline);
    sdk::Result<void> wait(Deadline deadline);
    sdk::Error lost(const std::string& reason);
    sdk::Error failure_of(const PGresult* result);

    std::unique_ptr<PGconn, Finish> connection_;
    bool is_broken_ = false;
    /// Set when a statement could not even be added.
    bool has_unsent_ = false;
};

/// The database cannot be reached, or did not answer in time.
sdk::Error unreachable(std::string detail);

}  // namespace stele::storage_postgres
