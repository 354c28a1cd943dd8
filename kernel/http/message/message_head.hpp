#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

class CorsRules;

/// What the connection knows about a reply besides the handler's `Response`.
struct HeadFacts {
    std::string_view request_id;
    std::string_view date;
    std::string_view origin;  ///< the request's; empty when it has none or CORS is off
    const CorsRules* cors = nullptr;
    std::optional<std::uint64_t> length;
    bool is_chunked = false;
    bool is_gzip = false;
    bool varies_by_encoding = false;
    bool closes = false;
    bool is_http_1_0 = false;
    bool is_tls = false;  ///< between the client and whoever it talks to
    std::chrono::seconds hsts_time{0};
};

/// Appends status line and header lines up to the empty line. Lines that only the connection may
/// write (`Content-Length`, `Connection`, ...) are not taken from the response, and control
/// characters in values become blanks, so that no value can begin a line of its own.
void append_head(std::string& out, const Response& response, const HeadFacts& facts);

}  // namespace stele::kernel::http
