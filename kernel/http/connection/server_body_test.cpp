#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"

namespace stele::kernel::http {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLargeBody = 100'000;
constexpr std::string_view kBearer = "Authorization: Bearer t\r\n";

/// The client is the one that the proxy at 127.0.0.1 names.
ServerOptions tight_options() {
    ServerOptions options;
    options.trusted_proxies = {"127.0.0.1"};
    options.limits.body_memory = 2 * kLargeBody;
    options.limits.body_memory_per_address = kLargeBody;
    return options;
}

std::string head(std::string_view path, std::string_view headers, std::size_t length = kLargeBody) {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" + std::string(headers) +
           "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

std::string from(std::string_view address) {
    return std::string(kBearer) + "X-Forwarded-For: " + std::string(address) + "\r\n";
}

std::string echoed_body(const std::optional<ClientReply>& reply) {
    REQUIRE(reply);
    return nlohmann::json::parse(reply->body)["body"].get<std::string>();
}

void wait_for_bodies(TestServer& server, std::uint64_t bytes, std::uint64_t waiting) {
    const auto patience = std::chrono::steady_clock::now() + 20s;
    const auto is_so = [&] {
        const auto counts = server.get().counts();
        return counts.body_bytes == bytes && counts.bodies_waiting == waiting;
    };
    while (!is_so() && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(1ms);
    CHECK(server.get().counts().body_bytes == bytes);
    CHECK(server.get().counts().bodies_waiting == waiting);
}

}  // namespace

TEST_CASE("a large body of nobody is refused before any of it is sent") {
    TestServer server;
    for (const auto* path : {"/guarded", "/upload"}) {
        INFO(path);
        TestClient client(server.port());
        const auto reply = client.ask(head(path, "", kSmallBody + 1));
        CHECK(error_of(reply)["code"] == "test.no_token");
        CHECK(reply->header("connection") == "close");
        TestClient chunked(server.port());
        const auto other =
            chunked.ask("POST " + std::string(path) +
                        " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
        CHECK(error_of(other)["code"] == "test.no_token");
    }
    // Small ones are looked at when they are here.
    TestClient client(server.port());
    const std::string body(kSmallBody, 'b');
    CHECK((echoed_body(client.ask(request_to("POST", "/guarded", body))) == body));
    CHECK(server.get().counts().body_bytes == 0);
}

TEST_CASE("where nobody needs to say who they are a body is small") {
    TestServer server;
    TestClient client(server.port());
    const std::string body(kSmallBody, 'b');
    CHECK((echoed_body(client.ask(request_to("POST", "/open", body))) == body));
    const auto reply = client.ask(head("/open", kBearer, kSmallBody + 1));
    CHECK(error_of(reply)["code"] == "http.body_too_large");
    CHECK(reply->status == 413);
    TestClient other(server.port());
    const auto chunked =
        other.ask("POST /open HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n" +
                  body + "b\r\n0\r\n\r\n");
    CHECK(error_of(chunked)["code"] == "http.body_too_large");
}

TEST_CASE("a large body is not read before there is memory for it") {
    TestServer server(tight_options());
    const std::string body(kLargeBody, 'b');
    TestClient first(server.port());
    REQUIRE(first.send(head("/echo", from("10.0.0.1")) + body.substr(1)));
    wait_for_bodies(server, kLargeBody, 0);
    TestClient same(server.port());
    REQUIRE(same.send(head("/echo", from("10.0.0.1") + "Expect: 100-continue\r\n")));
    wait_for_bodies(server, kLargeBody, 1);
    // Another client has a share of its own, and small bodies need none.
    TestClient other(server.port());
    CHECK((echoed_body(other.ask(head("/echo", from("10.0.0.2")) + body)) == body));
    CHECK(echoed_body(other.ask(request_to("POST", "/echo", "abc", from("10.0.0.1")))) == "abc");
    REQUIRE(first.send("b"));
    CHECK((echoed_body(first.receive()) == body));
    CHECK(same.receive(false)->status == 100);
    REQUIRE(same.send(body));
    CHECK((echoed_body(same.receive()) == body));
    wait_for_bodies(server, 0, 0);
}

TEST_CASE("a body that comes in chunks counts when it has become large") {
    TestServer server(tight_options());
    const std::string body(kLargeBody, 'b');
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", body.size());
    const std::string wire = "POST /echo HTTP/1.1\r\nHost: h\r\n" + from("10.0.0.1") +
                             "Transfer-Encoding: chunked\r\n\r\n" + size + body;
    TestClient first(server.port());
    REQUIRE(first.send(head("/echo", from("10.0.0.1")) + body.substr(1)));
    wait_for_bodies(server, kLargeBody, 0);
    TestClient chunked(server.port());
    REQUIRE(chunked.send(wire));
    wait_for_bodies(server, kLargeBody, 1);
    REQUIRE(first.send("b"));
    CHECK((echoed_body(first.receive()) == body));
    REQUIRE(chunked.send("\r\n0\r\n\r\n"));
    CHECK((echoed_body(chunked.receive()) == body));
    wait_for_bodies(server, 0, 0);
}

TEST_CASE("a large body for which there is no memory in time gets 503") {
    ServerOptions options = tight_options();
    options.limits.body_wait = 40ms;
    TestServer server(options);
    TestClient first(server.port());
    REQUIRE(first.send(head("/echo", from("10.0.0.1"))));
    wait_for_bodies(server, kLargeBody, 0);
    TestClient second(server.port());
    const auto reply = second.ask(head("/echo", from("10.0.0.1")));
    CHECK(error_of(reply)["code"] == "http.memory_short");
    CHECK(reply->status == 503);
    CHECK(reply->header("retry-after") == "1");
    wait_for_bodies(server, kLargeBody, 0);
}

TEST_CASE("a body that does not arrive gives its memory to those who wait") {
    ServerOptions options = tight_options();
    options.limits.body_time = 60ms;
    TestServer server(options);
    const std::string body(kLargeBody, 'b');
    TestClient slow(server.port());
    REQUIRE(slow.send(head("/echo", from("10.0.0.1")) + "b"));
    TestClient next(server.port());
    CHECK((echoed_body(next.ask(head("/echo", from("10.0.0.1")) + body)) == body));
    CHECK(error_of(slow.receive())["code"] == "http.body_timeout");
    wait_for_bodies(server, 0, 0);
}

TEST_CASE("a client that goes away gives its memory back") {
    TestServer server(tight_options());
    auto first = std::make_unique<TestClient>(server.port());
    REQUIRE(first->send(head("/echo", from("10.0.0.1")) + "b"));
    wait_for_bodies(server, kLargeBody, 0);
    first.reset();
    wait_for_bodies(server, 0, 0);
}

TEST_CASE("who does not read large replies waits with the next request, and others do not") {
    ServerOptions options = tight_options();
    options.limits.body_memory_per_address = 50'000;
    TestServer server(options);
    auto reader = std::make_unique<TestClient>(server.port(), 4096);
    REQUIRE(reader->send(request_to("GET", "/endless", {}, from("10.0.0.1"))));
    const auto patience = std::chrono::steady_clock::now() + 20s;
    while (server.get().counts().body_bytes == 0 && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(1ms);
    REQUIRE(server.get().counts().body_bytes > 50'000);
    TestClient same(server.port());
    REQUIRE(same.send(request_to("GET", "/fixed", {}, from("10.0.0.1"))));
    wait_for_bodies(server, server.get().counts().body_bytes, 1);
    TestClient other(server.port());
    CHECK(other.ask(request_to("GET", "/fixed", {}, from("10.0.0.2")))->status == 200);
    reader.reset();
    CHECK(same.receive()->status == 200);
    server.handler().wait_until_source_gone();
    wait_for_bodies(server, 0, 0);
}

TEST_CASE("a body keeps its memory until it is answered") {
    TestServer server(tight_options());
    const std::string body(kLargeBody, 'b');
    TestClient client(server.port());
    REQUIRE(client.send(head("/held", from("10.0.0.1")) + body));
    server.handler().wait_until_held();
    CHECK(server.get().counts().body_bytes == kLargeBody);
    server.handler().release_held();
    CHECK(client.receive()->status == 200);
    wait_for_bodies(server, 0, 0);
}

}  // namespace stele::kernel::http
