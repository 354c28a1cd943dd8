#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <libpq-fe.h>

namespace stele::storage_postgres {

/// What a statement answered, in binary form. Values are valid as long as the rows.
class Rows {
public:
    Rows() = default;
    explicit Rows(PGresult* result) : result_(result) {}

    int size() const { return result_ ? PQntuples(result_.get()) : 0; }
    bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
    std::string_view bytes(int row, int column) const {
        return {PQgetvalue(result_.get(), row, column),
                static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
    }
    std::uint64_t number(int row, int column) const {
        std::uint64_t value = 0;
        for (const char byte : bytes(row, column))
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }

    /// How many rows a statement without answers changed.
    int affected() const { return std::atoi(PQcmdTuples(result_.get())); }

private:
    struct Clear {
        void operator()(PGresult* result) const { PQclear(result); }
    };
    std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace stele::storage_postgres
