#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace stele::storage_postgres {

struct Options {
    /// As libpq takes it; may name several hosts.
    std::string connection;
    /// Holds the tables; several stores may share a database.
    std::string schema = "stele";
    std::size_t connections = 8;
    /// Memory for entries that were read lately; 0 for none.
    std::size_t row_cache_bytes = 32 * 1024 * 1024;
    /// How long an operation waits for a database that does not answer.
    std::chrono::milliseconds wait{10'000};
    /// Between two rounds of clearing away what nobody needs.
    std::chrono::milliseconds tidying{5'000};
};

}  // namespace stele::storage_postgres
