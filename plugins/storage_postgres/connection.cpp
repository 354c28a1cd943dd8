#include "connection.hpp"

#include <poll.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include <stele/sdk/log.hpp>

namespace stele::storage_postgres {

namespace {

constexpr char kSource[] = "storage_postgres";
/// Seconds for each host of a connection string that sets none.
constexpr char kConnectSeconds[] = "3";

std::string one_line(const char* text) {
    std::string line(text == nullptr ? "" : text);
    while (!line.empty() && (line.back() == '\n' || line.back() == ' '))
        line.pop_back();
    return line;
}

void log_notice(void*, const char* message) {
    sdk::log(sdk::LogLevel::warning, kSource, one_line(message));
}

/// The words of a connection string, completed by what this engine needs.
class Words {
public:
    static sdk::Result<Words> parse(const Options& options) {
        char* problem = nullptr;
        PQconninfoOption* parsed = PQconninfoParse(options.connection.c_str(), &problem);
        const std::string reason = one_line(problem);
        PQfreemem(problem);
        if (parsed == nullptr) {
            return sdk::make_error(
                sdk::ErrorKind::invalid, "storage_postgres.setting_invalid",
                "storage_postgres.connection is no connection string: " + reason);
        }
        Words words;
        for (const PQconninfoOption* word = parsed; word->keyword != nullptr; ++word)
            if (word->val != nullptr) words.set(word->keyword, word->val);
        PQconninfoFree(parsed);
        const std::string wait = std::to_string(options.wait.count());
        words.set_default("target_session_attrs", "read-write");
        words.set_default("connect_timeout", kConnectSeconds);
        words.set_default("tcp_user_timeout", wait);
        words.set_default("keepalives_idle", "10");
        words.set_default("keepalives_interval", "5");
        words.set_default("keepalives_count", "3");
        words.set_default("application_name", "stele");
        return words;
    }

    PGconn* connect() const {
        std::vector<const char*> names, values;
        for (const auto& [name, value] : words_) {
            names.push_back(name.c_str());
            values.push_back(value.c_str());
        }
        names.push_back(nullptr);
        values.push_back(nullptr);
        return PQconnectdbParams(names.data(), values.data(), 0);
    }

private:
    void set(std::string name, std::string value) {
        words_.emplace_back(std::move(name), std::move(value));
    }
    void set_default(const char* name, const std::string& value) {
        for (const auto& word : words_)
            if (word.first == name) return;
        set(name, value);
    }

    std::vector<std::pair<std::string, std::string>> words_;
};

/// States in which the server takes nothing from this connection any more.
bool ends_connection(std::string_view state) {
    static constexpr std::array<std::string_view, 5> kStates{"25006", "57P01", "57P02", "57P03",
                                                             "57P05"};
    if (state.starts_with("08") || state == "25P03") return true;
    for (const std::string_view known : kStates)
        if (state == known) return true;
    return false;
}

std::string session_settings(const Connection& connection, const Options& options) {
    const auto wait = std::to_string(options.wait.count());
    return "set client_min_messages = warning; set bytea_output = hex;"
           "set search_path = " +
           connection.quoted(options.schema) + "; set statement_timeout = " + wait +
           "; set lock_timeout = " + wait + "; set idle_in_transaction_session_timeout = " + wait +
           "; set client_connection_check_interval = 2000"
           // Whoever waits for another commit goes on with what it has left.
           "; set default_transaction_isolation = 'read committed'"
           // Tables may be too young to have statistics; the one right plan is always the index.
           "; set enable_seqscan = off; set enable_bitmapscan = off; set jit = off"
           "; set plan_cache_mode = force_generic_plan"
           // What is acknowledged is on the disk, and with a standby also on that of the standby.
           "; select set_config('synchronous_commit', 'on', false)"
           " where current_setting('synchronous_commit') not in ('on', 'remote_apply')";
}

}  // namespace

sdk::Error unreachable(std::string detail) {
    auto error = sdk::make_error(sdk::ErrorKind::unavailable, "storage_postgres.unreachable",
                                 "The database does not answer at the moment.", std::move(detail));
    error.retry_after_seconds = 1;
    return error;
}

sdk::Result<std::unique_ptr<Connection>> Connection::open(const Options& options) {
    const auto words = Words::parse(options);
    if (!words) return words.error();
    std::unique_ptr<Connection> opened(new Connection(words->connect()));
    PGconn* connection = opened->connection_.get();
    if (PQstatus(connection) != CONNECTION_OK)
        return unreachable(one_line(PQerrorMessage(connection)));
    PQsetNoticeProcessor(connection, &log_notice, nullptr);
    PQsetnonblocking(connection, 1);
    const Deadline deadline = Clock::now() + options.wait;
    if (auto set = opened->run_text(session_settings(*opened, options), deadline); !set)
        return set.error();
    return opened;
}

sdk::Result<void> Connection::prepare_statements(Deadline deadline) {
    PGconn* connection = connection_.get();
    if (PQenterPipelineMode(connection) != 1) return lost(one_line(PQerrorMessage(connection)));
    for (const auto& [statement, text] : statement_texts()) {
        if (PQsendPrepare(connection, statement_name(statement).c_str(), text, 0, nullptr) != 1)
            return lost(one_line(PQerrorMessage(connection)));
    }
    auto prepared = finish(deadline);
    if (!prepared) return prepared.error();
    return {};
}

void Connection::send(Statement statement, const Parameters& parameters) {
    if (PQsendQueryPrepared(connection_.get(), statement_name(statement).c_str(),
                            parameters.count(), parameters.values(), parameters.lengths(),
                            parameters.formats(), 1) != 1) {
        has_unsent_ = true;
    }
}

sdk::Result<std::vector<Rows>> Connection::finish(Deadline deadline) {
    if (has_unsent_ || PQpipelineSync(connection_.get()) != 1)
        return lost(one_line(PQerrorMessage(connection_.get())));
    return receive(deadline);
}

sdk::Result<Rows> Connection::run(Statement statement, const Parameters& parameters,
                                  Deadline deadline) {
    send(statement, parameters);
    auto answers = finish(deadline);
    if (!answers) return answers.error();
    return std::move(answers->front());
}

sdk::Result<Rows> Connection::run_text(const std::string& text, Deadline deadline) {
    PGconn* connection = connection_.get();
    if (PQsendQuery(connection, text.c_str()) != 1)
        return lost(one_line(PQerrorMessage(connection)));
    std::optional<sdk::Error> failure;
    Rows last;
    while (true) {
        if (auto arrived = wait(deadline); !arrived) return arrived.error();
        PGresult* result = PQgetResult(connection);
        if (result == nullptr) break;
        Rows rows(result);
        const ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            failure = failure_of(result);
            // A connection that is gone has the same answer for ever.
            if (is_broken_) return *failure;
        }
        last = std::move(rows);
    }
    if (failure) return *failure;
    return last;
}

sdk::Result<std::vector<Rows>> Connection::receive(Deadline deadline) {
    PGconn* connection = connection_.get();
    std::vector<Rows> answers;
    std::optional<sdk::Error> failure;
    while (true) {
        if (auto arrived = wait(deadline); !arrived) return arrived.error();
        PGresult* result = PQgetResult(connection);
        if (result == nullptr) {
            if (PQstatus(connection) != CONNECTION_OK)
                return lost(one_line(PQerrorMessage(connection)));
            continue;  // the end of one statement's answers
        }
        Rows rows(result);
        switch (PQresultStatus(result)) {
            case PGRES_PIPELINE_SYNC:
                if (failure) return *failure;
                return answers;
            case PGRES_COMMAND_OK:
            case PGRES_TUPLES_OK:
                answers.push_back(std::move(rows));
                break;
            case PGRES_PIPELINE_ABORTED:
                break;
            default:
                if (!failure) failure = failure_of(result);
                if (is_broken_) return *failure;
        }
    }
}

sdk::Result<void> Connection::wait(Deadline deadline) {
    PGconn* connection = connection_.get();
    int unsent = PQflush(connection);
    while (unsent > 0 || PQisBusy(connection) != 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (unsent < 0) return lost(one_line(PQerrorMessage(connection)));
        if (left <= 0) return lost("no answer in time");
        pollfd socket{PQsocket(connection),
                      static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
        const int ready = ::poll(&socket, 1, static_cast<int>(left));
        if (ready < 0 && errno != EINTR) return lost("poll failed");
        if (ready > 0 && PQconsumeInput(connection) != 1)
            return lost(one_line(PQerrorMessage(connection)));
        unsent = PQflush(connection);
    }
    if (unsent < 0) return lost(one_line(PQerrorMessage(connection)));
    return {};
}

sdk::Error Connection::lost(const std::string& reason) {
    is_broken_ = true;
    return unreachable(reason);
}

sdk::Error Connection::failure_of(const PGresult* result) {
    const char* state_text = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string_view state = state_text == nullptr ? "" : state_text;
    const std::string reason = std::string(state) + " " + one_line(PQresultErrorMessage(result));
    if (state.empty() || ends_connection(state) || PQstatus(connection_.get()) != CONNECTION_OK)
        return lost(reason);
    if (state == "53100") {
        return sdk::make_error(sdk::ErrorKind::storage_full, "storage_postgres.disk_full",
                               "The database has no room left.", reason);
    }
    // Cancelled by a time limit, or too many connections or too little memory for the moment.
    if (state == "57014" || state == "55P03" || state.starts_with("53")) return unreachable(reason);
    return sdk::make_error(sdk::ErrorKind::internal, "storage_postgres.statement_failed",
                           "The database refused a statement.", reason);
}

std::string Connection::quoted(const std::string& identifier) const {
    char* text = PQescapeIdentifier(connection_.get(), identifier.c_str(), identifier.size());
    std::string copy(text == nullptr ? "" : text);
    PQfreemem(text);
    return copy;
}

}  // namespace stele::storage_postgres
