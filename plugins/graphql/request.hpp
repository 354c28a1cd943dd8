#pragma once

#include <functional>
#include <string>

#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "row_source.hpp"
#include "schema.hpp"

namespace stele::graphql {

/// What a caller sends.
struct Request {
    std::string query;
    std::string operation_name;
    /// The members of an object; null: none.
    sdk::Json variables = nullptr;
};

Request read_request(const sdk::Call& call);

/// The answer to a request: `data`, `errors`, `extensions`. Fails when the request as a whole
/// does, conflicts and faults of the server among it.
sdk::Result<sdk::Json> answer_request(const Schema& schema, const Request& request,
                                      RowSource& rows);

}  // namespace stele::graphql
