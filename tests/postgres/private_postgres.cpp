#include "tests/postgres/private_postgres.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <libpq-fe.h>

namespace stele::testing {

namespace {

std::string run_script(const std::string& command) {
    const std::string line = STELE_POSTGRES_SCRIPT " " + command;
    FILE* output = ::popen(line.c_str(), "r");
    if (output == nullptr) throw std::runtime_error("cannot run " + line);
    std::string text;
    for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output))
        text.push_back(static_cast<char>(c));
    if (::pclose(output) != 0) throw std::runtime_error("failed: " + line);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

}  // namespace

PrivatePostgres& PrivatePostgres::instance() {
    static PrivatePostgres server;
    return server;
}

PrivatePostgres::PrivatePostgres() {
    // Its user is another one.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    start();
}

PrivatePostgres::~PrivatePostgres() {
    stop();
}

void PrivatePostgres::start() {
    connection_ = run_script("start " + (folder_.path() / "server").string());
}

void PrivatePostgres::stop() {
    run_script("stop " + (folder_.path() / "server").string());
}

void PrivatePostgres::restart() {
    run_script("restart " + (folder_.path() / "server").string());
}

storage_postgres::Options PrivatePostgres::empty_store() {
    storage_postgres::Options options;
    options.connection = connection_;
    options.schema = "store_" + std::to_string(++schemas_);
    return options;
}

std::string PrivatePostgres::query(const std::string& sql) {
    PGconn* connection = PQconnectdb(connection_.c_str());
    PGresult* result = PQexec(connection, sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    std::string value = PQerrorMessage(connection);
    const bool is_done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (is_done) value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    if (!is_done) throw std::runtime_error(sql + ": " + value);
    return value;
}

}  // namespace stele::testing
