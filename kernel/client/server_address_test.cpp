#include "kernel/client/server_address.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::client {

namespace {

bool is_refused(std::string_view text) {
    const auto address = ServerAddress::parse(text);
    return !address && address.error().code == "client.address_invalid";
}

}  // namespace

TEST_CASE("an address has a host, a port and the path of a proxy") {
    const auto plain = ServerAddress::parse("http://localhost:8080");
    REQUIRE(plain.has_value());
    CHECK_FALSE(plain->is_tls);
    CHECK(plain->host == "localhost");
    CHECK(plain->port == "8080");
    CHECK(plain->path.empty());
    CHECK(plain->authority() == "localhost:8080");
    const auto behind = ServerAddress::parse("https://example.com/stele//");
    REQUIRE(behind.has_value());
    CHECK(behind->is_tls);
    CHECK(behind->port == "443");
    CHECK(behind->path == "/stele");
    CHECK(behind->authority() == "example.com");
    CHECK(behind->text() == "https://example.com/stele");
    const auto six = ServerAddress::parse("http://[::1]:99/");
    REQUIRE(six.has_value());
    CHECK(six->host == "::1");
    CHECK(six->port == "99");
    CHECK(six->authority() == "[::1]:99");
}

TEST_CASE("what is no address, or says too much, is refused") {
    for (const char* text : {"", "localhost:8080", "ftp://localhost", "http://", "http://:80",
                             "http://a:", "http://a:0", "http://a:65536", "http://a:8x",
                             "http://[::1", "http://[::1]80", "http://a b", "http://a/?x",
                             "http://a#x", "http://me:secret@a", "http://a/x\r\ny"}) {
        INFO(text);
        CHECK(is_refused(text));
    }
}

}  // namespace stele::kernel::client
