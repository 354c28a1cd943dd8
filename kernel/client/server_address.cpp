#include "kernel/client/server_address.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace stele::kernel::client {

namespace {

sdk::Error invalid(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "client.address_invalid", problem);
}

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && port > 0;
}

/// What cannot stand in a request line or a header.
bool is_plain(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '?' || c == '#';
    });
}

/// False for an authority that is none.
bool split_authority(std::string_view authority, ServerAddress& address) {
    std::string_view port;
    if (authority.starts_with('[')) {
        const auto end = authority.find(']');
        if (end == std::string_view::npos) return false;
        address.host = authority.substr(1, end - 1);
        port = authority.substr(end + 1);
    } else {
        const auto colon = authority.find(':');
        address.host = authority.substr(0, colon);
        if (colon != std::string_view::npos) port = authority.substr(colon);
    }
    if (address.host.empty()) return false;
    if (port.empty()) return true;
    address.port = port.substr(1);
    return port.front() == ':' && is_port(address.port);
}

}  // namespace

sdk::Result<ServerAddress> ServerAddress::parse(std::string_view text) {
    const std::string shown(text.substr(0, 200));
    ServerAddress address;
    if (text.starts_with("http://")) {
        text.remove_prefix(7);
        address.port = "80";
    } else if (text.starts_with("https://")) {
        text.remove_prefix(8);
        address.is_tls = true;
        address.port = "443";
    } else {
        return invalid("a server is http://HOST:PORT or https://HOST:PORT, not " + shown);
    }
    const auto slash = std::min(text.find('/'), text.size());
    const std::string_view authority = text.substr(0, slash);
    if (authority.find('@') != std::string_view::npos)
        return invalid("names and passwords do not belong into the address of a server");
    address.path = text.substr(slash);
    while (address.path.ends_with('/'))
        address.path.pop_back();
    if (!is_plain(text) || !split_authority(authority, address))
        return invalid("a server is http://HOST:PORT or https://HOST:PORT, not " + shown);
    return address;
}

std::string ServerAddress::authority() const {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    const std::string name = is_ipv6 ? "[" + host + "]" : host;
    return port == (is_tls ? "443" : "80") ? name : name + ":" + port;
}

std::string ServerAddress::text() const {
    return (is_tls ? "https://" : "http://") + authority() + path;
}

}  // namespace stele::kernel::client
