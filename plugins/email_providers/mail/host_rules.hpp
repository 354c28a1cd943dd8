#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>

#include <stele/sdk/result.hpp>

namespace stele::email_providers {

/// Which mail servers an operator lets providers use. Whoever may edit a provider chooses a host
/// and a port to which the server then connects; these rules keep it away from the operator's own
/// network. Without rules everything is allowed.
class HostRules {
public:
    HostRules() = default;

    /// `allowed`: names or addresses, `*.` for everything below a name, each with an optional
    /// `:port`, separated by commas; empty allows all. `blocked`: networks like `10.0.0.0/8` or
    /// `fd00::/8`, and the word `private` for everything that is not routed publicly.
    /// `invalid` (`email_providers.setting_malformed`) for anything else.
    static sdk::Result<HostRules> parse(std::string_view allowed, std::string_view blocked);

    /// Before a name is looked up.
    bool allows(std::string_view host, std::uint16_t port) const;
    /// Once it is known where a connection really goes, whatever the name resolved to.
    bool allows(const sockaddr& address) const;

private:
    struct Pattern {
        std::string host;  ///< lower case; ".example.org" for everything below
        std::uint16_t port = 0;
    };
    struct Network {
        std::array<unsigned char, 16> bytes{};  ///< IPv4 as mapped IPv6
        int prefix = 0;
    };

    bool add_pattern(std::string_view text);
    bool add_network(std::string_view text);

    std::vector<Pattern> patterns_;
    std::vector<Network> networks_;
};

}  // namespace stele::email_providers
