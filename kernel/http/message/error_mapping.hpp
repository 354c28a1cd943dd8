#pragma once

#include <stele/sdk/error.hpp>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// The only place that knows status numbers. Body: `{ok:false, error, message, code, status,
/// requestId, violations?}` (docs/specification/rulings.md); `error` is the protocol's value or
/// true. Adds `Retry-After`, `ETag` and `WWW-Authenticate` where they belong. `detail` goes to the
/// log.
Response error_response(const sdk::Error& error, std::string_view request_id);

/// The same with a status of the wire's own that no kind has (408, 417, 431, 501, 505).
Response error_response(const sdk::Error& error, std::string_view request_id, int status);

int status_of(sdk::ErrorKind kind);
/// Reason phrase; never empty (a client asserts it).
std::string_view reason_of(int status);

}  // namespace stele::kernel::http
