#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::kernel::client {

/// Where a server is: `http://host:port` or `https://...`, with the path that a proxy may put in
/// front of everything.
struct ServerAddress {
    bool is_tls = false;
    std::string host;  ///< without the brackets of an IPv6 address
    std::string port;
    std::string path;  ///< empty, or begins with a slash and does not end with one

    /// `invalid` (`client.address_invalid`), also for an address with a name and password in it:
    /// others on the machine see arguments.
    static sdk::Result<ServerAddress> parse(std::string_view text);
    /// Host and port as the header `Host` has them.
    std::string authority() const;
    std::string text() const;
};

}  // namespace stele::kernel::client
