#include "kernel/http/connection/client_address.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::http {

namespace {

std::string client_of(std::string_view peer, std::vector<std::string_view> lines) {
    Request request;
    for (const std::string_view line : lines)
        request.headers.emplace_back("x-forwarded-for", line);
    return std::string(client_address(request, peer, {"10.0.0.1", "10.0.0.2", "::1"}));
}

}  // namespace

TEST_CASE("what a stranger says about itself is not believed") {
    CHECK(client_of("203.0.113.9", {"198.51.100.7"}) == "203.0.113.9");
    CHECK(client_of("203.0.113.9", {}) == "203.0.113.9");
}

TEST_CASE("a trusted proxy names the client") {
    CHECK(client_of("10.0.0.1", {"198.51.100.7"}) == "198.51.100.7");
    CHECK(client_of("::1", {"2001:db8::7"}) == "2001:db8::7");
    CHECK(client_of("10.0.0.1", {}) == "10.0.0.1");
}

TEST_CASE("of a chain of proxies only the part that is trusted counts") {
    CHECK(client_of("10.0.0.1", {"198.51.100.7, 10.0.0.2"}) == "198.51.100.7");
    CHECK(client_of("10.0.0.1", {"198.51.100.7", "10.0.0.2"}) == "198.51.100.7");
    // The client wrote the first one.
    CHECK(client_of("10.0.0.1", {"192.0.2.66, 198.51.100.7"}) == "198.51.100.7");
    CHECK(client_of("10.0.0.1", {"192.0.2.66 ,198.51.100.7,10.0.0.2"}) == "198.51.100.7");
    CHECK(client_of("10.0.0.1", {"10.0.0.2"}) == "10.0.0.2");
    // RFC 9110, 5.6.1: empty elements do not count.
    CHECK(client_of("10.0.0.1", {"198.51.100.7, , 10.0.0.2,"}) == "198.51.100.7");
}

TEST_CASE("what is no address ends the chain") {
    CHECK(client_of("10.0.0.1", {"unknown"}) == "10.0.0.1");
    CHECK(client_of("10.0.0.1", {"198.51.100.7, \"evil\":1"}) == "10.0.0.1");
    CHECK(client_of("10.0.0.1", {"198.51.100.7:1234"}) == "10.0.0.1");
}

}  // namespace stele::kernel::http
