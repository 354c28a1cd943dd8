#include "host_rules.hpp"

#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <catch2/catch.hpp>

namespace stele::email_providers {
namespace {

bool allows(const HostRules& rules, const char* text) {
    sockaddr_storage storage{};
    auto* ip4 = reinterpret_cast<sockaddr_in*>(&storage);
    auto* ip6 = reinterpret_cast<sockaddr_in6*>(&storage);
    if (::inet_pton(AF_INET, text, &ip4->sin_addr) == 1) {
        storage.ss_family = AF_INET;
    } else {
        REQUIRE(::inet_pton(AF_INET6, text, &ip6->sin6_addr) == 1);
        storage.ss_family = AF_INET6;
    }
    return rules.allows(reinterpret_cast<const sockaddr&>(storage));
}

TEST_CASE("without rules every mail server is allowed") {
    const HostRules rules;
    CHECK(rules.allows("anything", 25));
    CHECK(allows(rules, "127.0.0.1"));
}

TEST_CASE("only the listed hosts and ports are allowed") {
    const auto rules = HostRules::parse(
        "mail.example.org:587,\t*.Example.net \t,10.0.0.5,[::1]:25,2001:db8::1", "");
    REQUIRE(rules.has_value());
    CHECK(rules->allows("MAIL.example.org", 587));
    CHECK(rules->allows("mail.example.org.", 587));
    CHECK_FALSE(rules->allows("mail.example.org", 25));
    CHECK_FALSE(rules->allows("other.example.org", 587));
    CHECK(rules->allows("a.example.net", 2525));
    CHECK_FALSE(rules->allows("example.net", 25));
    CHECK_FALSE(rules->allows("badexample.net", 25));
    CHECK(rules->allows("10.0.0.5", 1));
    CHECK(rules->allows("::1", 25));
    CHECK_FALSE(rules->allows("::1", 26));
    CHECK(rules->allows("2001:db8::1", 26));
}

TEST_CASE("blocked networks are known by the address, however it is written") {
    const auto rules = HostRules::parse("", "192.0.2.0/25, 2001:db8::/33");
    REQUIRE(rules.has_value());
    CHECK_FALSE(allows(*rules, "192.0.2.127"));
    CHECK(allows(*rules, "192.0.2.128"));
    CHECK_FALSE(allows(*rules, "::ffff:192.0.2.1"));
    CHECK_FALSE(allows(*rules, "2001:db8:7fff::1"));
    CHECK(allows(*rules, "2001:db8:8000::1"));
}

TEST_CASE("private means everything that is not routed publicly") {
    const auto rules = HostRules::parse("", "private");
    REQUIRE(rules.has_value());
    for (const char* address :
         {"127.0.0.1", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",
          "0.0.0.0", "255.255.255.255", "::1", "::", "fd00::1", "fe80::1", "::ffff:10.0.0.1",
          "64:ff9b::a00:1"}) {
        CAPTURE(address);
        CHECK_FALSE(allows(*rules, address));
    }
    for (const char* address : {"8.8.8.8", "172.32.0.1", "100.128.0.1", "2600::1"}) {
        CAPTURE(address);
        CHECK(allows(*rules, address));
    }
}

TEST_CASE("a setting that makes no sense is refused and the item named") {
    for (const char* allowed : {"a:b", "a:0", "a:70000", "*", "a*b", "[::1", "[::1]25"}) {
        CAPTURE(allowed);
        CHECK(HostRules::parse(allowed, "").has_error());
    }
    for (const char* blocked :
         {"10.0.0.0/33", "10.0.0/8", "host", "::/129", "10.0.0.0/-1", "::1/"}) {
        CAPTURE(blocked);
        const auto rules = HostRules::parse("", std::string("private,") + blocked);
        REQUIRE(rules.has_error());
        CHECK(rules.error().message.find(blocked) != std::string::npos);
    }
}

}  // namespace
}  // namespace stele::email_providers
