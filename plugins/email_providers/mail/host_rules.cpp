#include "host_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::email_providers {

namespace {

using Address = std::array<unsigned char, 16>;

constexpr int kMappedBits = 96;

/// What RFC 6890 and its successors keep out of the public internet. Addresses of IPv4 are judged
/// by their own rows, also when they come mapped or by NAT64.
constexpr const char* kPrivateNetworks[] = {
    "0.0.0.0/8",     "10.0.0.0/8",   "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15",  "224.0.0.0/3",
    "::/128",        "::1/128",      "64:ff9b::/96",   "64:ff9b:1::/48", "fc00::/7",
    "fe80::/10",     "ff00::/8"};

template <class Number>
std::optional<Number> number_of(std::string_view text) {
    Number number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Address mapped(const void* ip4) {
    Address address{};
    address[10] = address[11] = 0xff;
    std::memcpy(address.data() + 12, ip4, 4);
    return address;
}

bool is_inside(const Address& address, const Address& network, int prefix) {
    const auto whole = static_cast<std::size_t>(prefix / 8);
    if (!std::equal(network.begin(), network.begin() + whole, address.begin())) return false;
    const int rest = prefix % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<unsigned char>(0xff << (8 - rest));
    return ((network[whole] ^ address[whole]) & mask) == 0;
}

/// Calls `add` with each item of a list; false as soon as one answers false.
template <class Add>
bool each_item(std::string_view list, std::string& item, Add add) {
    while (!list.empty()) {
        const std::string_view text = sdk::trimmed(sdk::take_until(list, ','));
        item = text;
        if (!text.empty() && !add(text)) return false;
    }
    return true;
}

sdk::Error malformed(const char* setting, const std::string& item, const char* wanted) {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "email_providers.setting_malformed",
        std::string("setting email_providers.") + setting + ": '" + item + "' is not " + wanted);
}

}  // namespace

sdk::Result<HostRules> HostRules::parse(std::string_view allowed, std::string_view blocked) {
    HostRules rules;
    std::string item;
    if (!each_item(allowed, item, [&](std::string_view text) { return rules.add_pattern(text); })) {
        return malformed("allowed_hosts", item, "a host, *.host, host:port or [address]:port");
    }
    const bool has_networks = each_item(blocked, item, [&](std::string_view text) {
        if (text != "private") return rules.add_network(text);
        return std::all_of(std::begin(kPrivateNetworks), std::end(kPrivateNetworks),
                           [&](const char* network) { return rules.add_network(network); });
    });
    if (!has_networks) {
        return malformed("blocked_networks", item, "a network like 10.0.0.0/8, or private");
    }
    return rules;
}

bool HostRules::add_pattern(std::string_view text) {
    Pattern pattern;
    std::string_view host = text;
    std::string_view port;
    if (text.front() == '[') {
        const std::size_t bracket = text.find(']');
        if (bracket == std::string_view::npos) return false;
        host = text.substr(1, bracket - 1);
        port = text.substr(bracket + 1);
    } else if (std::count(text.begin(), text.end(), ':') == 1) {
        host = text.substr(0, text.find(':'));
        port = text.substr(host.size());
    }
    if (!port.empty()) {
        const auto number = port.front() == ':' ? number_of<std::uint16_t>(port.substr(1))
                                                : std::optional<std::uint16_t>();
        if (!number || *number == 0) return false;
        pattern.port = *number;
    }
    if (host.substr(0, 2) == "*.") host.remove_prefix(1);
    if (host.empty() || host.find('*') != std::string_view::npos) return false;
    pattern.host = sdk::lower_case(host);
    patterns_.push_back(std::move(pattern));
    return true;
}

bool HostRules::add_network(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string address(text.substr(0, slash));
    Network network;
    in_addr ip4{};
    const bool is_ip4 = ::inet_pton(AF_INET, address.c_str(), &ip4) == 1;
    if (is_ip4) {
        network.bytes = mapped(&ip4);
    } else if (::inet_pton(AF_INET6, address.c_str(), network.bytes.data()) != 1) {
        return false;
    }
    const int most = is_ip4 ? 32 : 128;
    const auto prefix =
        slash == std::string_view::npos ? most : number_of<int>(text.substr(slash + 1));
    if (!prefix || *prefix < 0 || *prefix > most) return false;
    network.prefix = *prefix + (is_ip4 ? kMappedBits : 0);
    networks_.push_back(network);
    return true;
}

bool HostRules::allows(std::string_view host, std::uint16_t port) const {
    if (patterns_.empty()) return true;
    std::string name = sdk::lower_case(host);
    if (!name.empty() && name.back() == '.') name.pop_back();
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
        if (pattern.port != 0 && pattern.port != port) return false;
        if (pattern.host.front() != '.') return name == pattern.host;
        return name.size() > pattern.host.size() &&
               name.compare(name.size() - pattern.host.size(), std::string::npos, pattern.host) ==
                   0;
    });
}

bool HostRules::allows(const sockaddr& address) const {
    if (networks_.empty()) return true;
    Address bytes{};
    if (address.sa_family == AF_INET) {
        sockaddr_in ip4{};
        std::memcpy(&ip4, &address, sizeof(ip4));
        bytes = mapped(&ip4.sin_addr);
    } else if (address.sa_family == AF_INET6) {
        sockaddr_in6 ip6{};
        std::memcpy(&ip6, &address, sizeof(ip6));
        std::memcpy(bytes.data(), &ip6.sin6_addr, bytes.size());
    } else {
        return false;
    }
    return std::none_of(networks_.begin(), networks_.end(), [&](const Network& network) {
        return is_inside(bytes, network.bytes, network.prefix);
    });
}

}  // namespace stele::email_providers
