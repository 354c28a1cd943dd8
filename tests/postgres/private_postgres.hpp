#pragma once

#include <string>

#include "plugins/storage_postgres/options.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::testing {

/// A PostgreSQL of its own for the tests of this program, started with the first use and stopped
/// when the program ends (tests/support/postgres.sh).
class PrivatePostgres {
public:
    static PrivatePostgres& instance();

    /// Options for an empty store: a schema that nobody has used.
    storage_postgres::Options empty_store();
    /// Ends all connections and starts anew.
    void restart();
    void stop();
    void start();
    /// Runs SQL as the superuser; answers the first column of the first row.
    std::string query(const std::string& sql);

private:
    PrivatePostgres();
    ~PrivatePostgres();

    TemporaryFolder folder_;
    std::string connection_;
    int schemas_ = 0;
};

}  // namespace stele::testing
