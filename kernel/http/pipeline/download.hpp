#pragma once

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// Makes of a download the reply to this request: all of it, the part that `Range` and `If-Range`
/// ask for, or 416 (RFC 9110, 13.1.5 and 14).
void open_download(const Request& request, Response& response);

}  // namespace stele::kernel::http
