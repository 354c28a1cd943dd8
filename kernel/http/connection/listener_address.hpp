#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::http {

/// File descriptors of sockets that listen on one address and share its connections
/// (SO_REUSEPORT), so that each thread accepts for itself.
struct ListeningSockets {
    std::vector<int> descriptors;
    bool is_ipv6 = false;
    std::uint16_t port = 0;
};

/// Opens `count` of them. Fails with `unavailable` (`http.listen_failed`) and a sentence that names
/// address and reason, also when another process listens there already.
sdk::Result<ListeningSockets> listen_on(const std::string& host, std::uint16_t port, int count);

}  // namespace stele::kernel::http
