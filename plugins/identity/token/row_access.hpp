#pragma once

#include <optional>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/error.hpp>
#include <stele/sdk/result.hpp>

namespace stele::identity {

/// Reads a row of the shared key space; nothing when it is not there, `internal`
/// (`identity.row_damaged`) when its bytes are none.
template <class Row>
sdk::Result<std::optional<Row>> read_row(const sdk::Reader& reader, std::string_view key) {
    auto bytes = reader.get(key);
    if (!bytes) return bytes.error();
    if (!*bytes) return std::optional<Row>();
    std::optional<Row> row = Row::decode(**bytes);
    if (!row) {
        return sdk::make_error(sdk::ErrorKind::internal, "identity.row_damaged",
                               "what the server keeps about tokens cannot be read");
    }
    return row;
}

}  // namespace stele::identity
