#include "kernel/http/connection/client_address.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::kernel::http {

namespace {

bool is_trusted(std::string_view address, const std::vector<std::string>& proxies) {
    return std::find(proxies.begin(), proxies.end(), address) != proxies.end();
}

/// Takes the last element off a list.
std::string_view take_last(std::string_view& list) {
    const std::size_t comma = list.rfind(',');
    const bool is_only = comma == std::string_view::npos;
    const std::string_view last = is_only ? list : list.substr(comma + 1);
    list = is_only ? std::string_view() : list.substr(0, comma);
    return sdk::trimmed(last);
}

}  // namespace

bool is_ip_address(std::string_view text) {
    if (text.empty() || text.size() >= INET6_ADDRSTRLEN) return false;
    const std::string terminated(text);
    in6_addr parsed{};
    return ::inet_pton(AF_INET, terminated.c_str(), &parsed) == 1 ||
           ::inet_pton(AF_INET6, terminated.c_str(), &parsed) == 1;
}

std::string_view client_address(const Request& request, std::string_view peer,
                                const std::vector<std::string>& trusted_proxies) {
    if (!is_trusted(peer, trusted_proxies)) return peer;
    std::string_view client = peer;
    // Several lines are one list (RFC 9110, 5.3).
    for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header) {
        if (!sdk::equals_ignoring_case(header->first, "X-Forwarded-For")) continue;
        std::string_view list = header->second;
        while (!list.empty()) {
            const std::string_view hop = take_last(list);
            if (hop.empty()) continue;
            if (!is_ip_address(hop)) return client;
            client = hop;
            if (!is_trusted(hop, trusted_proxies)) return client;
        }
    }
    return client;
}

bool is_client_on_tls(const Request& request, std::string_view peer, const ServerOptions& options) {
    if (!options.tls_certificate_file.empty()) return true;
    if (options.trusted_proxies.empty() || !is_trusted(peer, options.trusted_proxies)) return false;
    // Of several proxies the first one saw the client; what that one took from it is its business.
    const std::string_view list = request.header("X-Forwarded-Proto").value_or("");
    return sdk::equals_ignoring_case(sdk::trimmed(list.substr(0, list.find(','))), "https");
}

}  // namespace stele::kernel::http
