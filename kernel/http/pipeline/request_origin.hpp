#pragma once

#include <cstdint>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

class CorsRules;

/// Which page a browser sent a request for.
enum class RequestOrigin : std::uint8_t {
    own,      ///< one of this server's site, or of an origin that the settings name
    foreign,  ///< any other one
    unknown   ///< the request does not tell: no browser, or a very old one
};

/// By `Sec-Fetch-Site` where there is one, else by `Origin` against `Host`. An origin that only `*`
/// allows is foreign: it may read what everybody may, and not act for whoever has a cookie.
RequestOrigin origin_of(const Request& request, const CorsRules& cors);

/// GET and HEAD.
bool only_reads(const Request& request);

}  // namespace stele::kernel::http
