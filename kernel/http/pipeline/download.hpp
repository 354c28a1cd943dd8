#pragma once

#include <cstdint>

#include <stele/sdk/reply.hpp>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// Makes of a download the reply to this request: all of it, the part that `Range` and `If-Range`
/// ask for, or 416 (RFC 9110, 13.1.5 and 14).
void open_download(const Request& request, Response& response);

/// Opens the bytes from `first` to before `end` when the first piece of them is asked for.
sdk::BodySource open_later(sdk::Reply::RangeSource open, std::uint64_t first, std::uint64_t end);

}  // namespace stele::kernel::http
