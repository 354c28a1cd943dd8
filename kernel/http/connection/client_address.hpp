#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/http/connection/server_options.hpp"
#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// Who a request comes from when it reached the server from `peer`: the last address in
/// `X-Forwarded-For` that is no trusted proxy, as long as every hop up to it is one. Whatever a
/// client writes there itself stands before what the proxies have seen, and so is never believed.
/// The answer lives as long as the request and `peer`.
std::string_view client_address(const Request& request, std::string_view peer,
                                const std::vector<std::string>& trusted_proxies);

/// Whether the client's own connection is one of TLS: to this server, or to a trusted proxy that
/// says so in `X-Forwarded-Proto`.
bool is_client_on_tls(const Request& request, std::string_view peer, const ServerOptions& options);

/// Whether the text is an IPv4 or IPv6 address without anything around it.
bool is_ip_address(std::string_view text);

}  // namespace stele::kernel::http
