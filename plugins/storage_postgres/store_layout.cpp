#include "store_layout.hpp"

#include <thread>

#include "connection.hpp"

namespace stele::storage_postgres {

namespace {

constexpr int kOldestServer = 140000;  // 14: client_connection_check_interval

sdk::Error unfit(std::string sentence) {
    return sdk::make_error(sdk::ErrorKind::invalid, "storage_postgres.server_unfit",
                           std::move(sentence));
}

sdk::Result<std::unique_ptr<Connection>> connect(const Options& options) {
    const Deadline deadline = Clock::now() + options.wait;
    while (true) {
        auto connection = Connection::open(options);
        const bool may_pass = !connection && connection.error().kind == sdk::ErrorKind::unavailable;
        if (!may_pass || Clock::now() >= deadline) return connection;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

std::string text_of(const Rows& rows) {
    return rows.size() > 0 && !rows.is_null(0, 0) ? std::string(rows.bytes(0, 0)) : std::string();
}

sdk::Result<void> judge_server(Connection& connection, Deadline deadline) {
    if (connection.server_version() < kOldestServer) {
        return unfit("PostgreSQL 14 or later is needed, the server has version " +
                     std::to_string(connection.server_version() / 10000));
    }
    const auto fsync = connection.run_text("show fsync", deadline);
    if (!fsync) return fsync.error();
    if (text_of(*fsync) != "on") {
        return unfit(
            "the PostgreSQL server runs with fsync off and would lose what was "
            "acknowledged");
    }
    return {};
}

sdk::Result<void> make_tables(Connection& connection, const Options& options, Deadline deadline) {
    const auto state = connection.run_text("select to_regclass('stele_state')", deadline);
    if (!state) return state.error();
    if (text_of(*state).empty()) {
        auto made = connection.run_text("create schema if not exists " +
                                            connection.quoted(options.schema) + ";" + kCreateTables,
                                        deadline);
        if (!made) return made.error();
        return {};
    }
    const auto format = connection.run_text("select format from stele_state", deadline);
    if (!format) return format.error();
    if (text_of(*format) == std::to_string(kFormat)) return {};
    return unfit("the schema " + options.schema + " holds a store of format " + text_of(*format) +
                 ", this server knows " + std::to_string(kFormat));
}

/// Apart from the others, whose schema may be older than these. Changing a column waits for all
/// readers, so it is done once.
sdk::Result<void> make_blob_tables(Connection& connection, Deadline deadline) {
    const auto found = connection.run_text("select to_regclass('stele_blob_piece')", deadline);
    if (!found) return found.error();
    if (!text_of(*found).empty()) return {};
    auto made = connection.run_text(kCreateBlobTables, deadline);
    return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
}

}  // namespace

sdk::Result<void> prepare_store(const Options& options) {
    auto connected = connect(options);
    if (!connected) {
        sdk::Error error = connected.error();
        error.message = "The database cannot be opened: " +
                        (error.detail.empty() ? error.message : error.detail);
        error.detail.clear();
        return error;
    }
    Connection& connection = **connected;
    const Deadline deadline = Clock::now() + options.wait;
    if (auto judged = judge_server(connection, deadline); !judged) return judged;
    // Servers that start at the same time make the tables one after the other.
    auto locked = connection.run_text(
        "begin; select pg_advisory_xact_lock(hashtext('stele tables'))", deadline);
    if (!locked) return locked.error();
    auto made = make_tables(connection, options, deadline);
    if (made) made = make_blob_tables(connection, deadline);
    if (!made) {
        sdk::Error error = made.error();
        error.message += " " + error.detail;
        return error;
    }
    auto committed = connection.run_text("commit", deadline);
    if (!committed) return committed.error();
    return {};
}

}  // namespace stele::storage_postgres
