#pragma once

#include <string>

#include <stele/sdk/call.hpp>

namespace stele::sdk {

/// Where calls come from, for plugins that limit what strangers try. Published by the kernel.
class Callers {
public:
    virtual ~Callers();

    /// What stands for the client's address: behind proxies that the server trusts the one that
    /// they name; the network of an IPv6 caller, which has a whole /64 of addresses.
    virtual std::string network(const Call& call) const = 0;
};

}  // namespace stele::sdk
