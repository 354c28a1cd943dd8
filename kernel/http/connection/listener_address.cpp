#include "kernel/http/connection/listener_address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace stele::kernel::http {

namespace {

struct FreeAddress {
    void operator()(addrinfo* address) const { freeaddrinfo(address); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddress>;

sdk::Error listen_error(const std::string& host, std::uint16_t port, const std::string& reason) {
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "http.listen_failed",
        "cannot listen on " + host + " port " + std::to_string(port) + ": " + reason);
}

std::string last_reason() {
    return std::generic_category().message(errno);
}

void set_port(addrinfo& address, std::uint16_t port) {
    if (address.ai_family == AF_INET6) {
        reinterpret_cast<sockaddr_in6*>(address.ai_addr)->sin6_port = htons(port);
    } else {
        reinterpret_cast<sockaddr_in*>(address.ai_addr)->sin_port = htons(port);
    }
}

std::uint16_t port_of(int descriptor) {
    sockaddr_storage bound{};
    socklen_t length = sizeof(bound);
    if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) != 0) return 0;
    return ntohs(bound.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
}

/// A bound socket, or -1 with `errno` set.
int open_bound(const addrinfo& address, bool shares_port) {
    const int descriptor = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    const int yes = 1;
    const bool is_set =
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
        (!shares_port || setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) == 0);
    if (is_set && bind(descriptor, address.ai_addr, address.ai_addrlen) == 0) return descriptor;
    const int problem = errno;
    ::close(descriptor);
    errno = problem;
    return -1;
}

int open_listening(const addrinfo& address) {
    const int descriptor = open_bound(address, true);
    if (descriptor < 0 || listen(descriptor, SOMAXCONN) == 0) return descriptor;
    const int problem = errno;
    ::close(descriptor);
    errno = problem;
    return -1;
}

/// With SO_REUSEPORT two servers could share a port unnoticed; a socket without it finds out.
bool is_port_free(const addrinfo& address) {
    const int probe = open_bound(address, false);
    if (probe < 0) return false;
    ::close(probe);
    return true;
}

}  // namespace

sdk::Result<ListeningSockets> listen_on(const std::string& host, std::uint16_t port, int count) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int outcome = getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (outcome != 0) return listen_error(host, port, gai_strerror(outcome));
    const AddressList addresses(found);
    addrinfo& address = *addresses;
    set_port(address, port);
    if (port != 0 && !is_port_free(address)) return listen_error(host, port, last_reason());

    ListeningSockets sockets;
    sockets.is_ipv6 = address.ai_family == AF_INET6;
    for (int i = 0; i < count; ++i) {
        const int descriptor = open_listening(address);
        if (descriptor < 0) {
            const sdk::Error error = listen_error(host, port, last_reason());
            for (const int opened : sockets.descriptors)
                ::close(opened);
            return error;
        }
        sockets.descriptors.push_back(descriptor);
        sockets.port = port_of(descriptor);
        set_port(address, sockets.port);
    }
    return sockets;
}

}  // namespace stele::kernel::http
