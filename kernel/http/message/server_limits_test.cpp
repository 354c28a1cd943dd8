#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"

namespace stele::kernel::http {

namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a body that would be refused is not asked for") {
    ServerOptions options;
    options.limits.body_bytes = 10;
    TestServer server(options);
    TestClient client(server.port());
    const auto reply = client.ask(
        "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
    CHECK(reply->status == 413);
    CHECK(error_of(reply)["code"] == "http.body_too_large");
    CHECK(reply->header("connection") == "close");
}

TEST_CASE("an unknown expectation is refused with 417") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask(
        "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: miracles\r\nContent-Length: 3\r\n\r\nabc");
    CHECK(error_of(reply)["code"] == "http.expectation_unknown");
    CHECK(reply->status == 417);
    CHECK(client.is_at_end());
}

TEST_CASE("an unknown expectation is refused with 417 where no body comes, too, and on any line") {
    TestServer server;
    for (const char* lines : {"Expect: 200-ok\r\n", "Expect: 100-continue\r\nExpect: 200-ok\r\n",
                              "Expect: 100-continue, 200-ok\r\n"}) {
        INFO(lines);
        TestClient client(server.port());
        const auto reply =
            client.ask(std::string("GET /echo HTTP/1.1\r\nHost: h\r\n") + lines + "\r\n");
        CHECK(reply->status == 417);
        CHECK(error_of(reply)["code"] == "http.expectation_unknown");
    }
    TestClient client(server.port());
    CHECK(client.ask("GET /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n")->status ==
          200);
}

TEST_CASE("what is beyond a limit or malformed gets a JSON error and the connection ends") {
    ServerOptions options;
    options.limits.body_bytes = 10;
    options.limits.header_bytes = 1000;
    TestServer server(options);
    struct Case {
        std::string wire;
        int status;
        std::string code;
    };
    const std::vector<Case> cases{
        {"GET /" + std::string(2000, 'x') + " HTTP/1.1\r\n", 431, "http.header_too_large"},
        {request_to("POST", "/echo", std::string(11, 'x')), 413, "http.body_too_large"},
        {"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n", 413,
         "http.body_too_large"},
        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 garbage", 400, "http.request_malformed"},
        {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", 505, "http.version_unsupported"},
        {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: br\r\n\r\n", 501,
         "http.transfer_unsupported"},
    };
    for (const Case& each : cases) {
        INFO(each.code);
        TestClient client(server.port());
        const auto reply = client.ask(each.wire);
        CHECK(error_of(reply)["code"] == each.code);
        CHECK(reply->status == each.status);
        CHECK_FALSE(reply->reason.empty());
        CHECK(reply->header("connection") == "close");
        CHECK(client.is_at_end());
    }
    CHECK(server.get().counts().refused_total == cases.size());
    CHECK(server.get().counts().requests_total == 0);
}

TEST_CASE("a refusal arrives although the client goes on sending") {
    ServerOptions options;
    options.limits.body_bytes = 10;
    TestServer server(options);
    for (int i = 0; i < 20; ++i) {
        TestClient client(server.port());
        REQUIRE(client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n"));
        client.send(std::string(500'000, 'x'));
        CHECK(client.receive()->status == 413);
    }
}

TEST_CASE("a header or a body that does not come in time gets 408") {
    ServerOptions options;
    options.limits.header_time = 40ms;
    options.limits.body_time = 40ms;
    TestServer server(options);
    {
        TestClient client(server.port());
        const auto reply = client.ask("GET /echo HTTP/1.1\r\nHo");
        CHECK(error_of(reply)["code"] == "http.header_timeout");
        CHECK(reply->status == 408);
        CHECK(client.is_at_end());
    }
    for (const auto* framing : {"Content-Length: 9", "Transfer-Encoding: chunked"}) {
        TestClient client(server.port());
        const auto reply = client.ask(std::string("POST /echo HTTP/1.1\r\nHost: h\r\n") + framing +
                                      "\r\n\r\n1\r\nab");
        if (reply && reply->status == 400) continue;  // the chunk ends wrongly
        CHECK(error_of(reply)["code"] == "http.body_timeout");
        CHECK(client.is_at_end());
    }
}

TEST_CASE("an idle connection is closed without a word") {
    ServerOptions options;
    options.limits.idle_time = 40ms;
    TestServer server(options);
    TestClient silent(server.port());
    CHECK(silent.is_at_end());
    TestClient used(server.port());
    CHECK(used.ask(request_to("GET", "/fixed"))->status == 200);
    CHECK(used.is_at_end());
}

TEST_CASE("a reader that does not read loses the connection") {
    ServerOptions options;
    options.limits.write_time = 60ms;
    TestServer server(options);
    TestClient client(server.port(), 4096);
    REQUIRE(client.send(request_to("GET", "/endless")));
    server.handler().wait_until_source_gone();
    CHECK(server.get().counts().connections_open == 0);
}

TEST_CASE("a client that goes away while its request runs is seen to leave") {
    ServerOptions options;
    options.limits.idle_time = 40ms;
    TestServer server(options);
    {
        TestClient client(server.port());
        REQUIRE(client.send(request_to("GET", "/held")));
        server.handler().wait_until_held();
    }
    CHECK(server.handler().held_is_abandoned());
    server.handler().release_held();
}

TEST_CASE("one address cannot take the connections of the others") {
    ServerOptions options;
    options.limits.connections = 8;
    options.limits.connections_per_address = 2;
    TestServer server(options);
    TestClient first(server.port());
    auto second = std::make_unique<TestClient>(server.port());
    CHECK(first.ask(request_to("GET", "/fixed"))->status == 200);
    CHECK(second->ask(request_to("GET", "/fixed"))->status == 200);
    {
        TestClient third(server.port());
        CHECK(error_of(third.receive())["code"] == "http.connections_exhausted");
    }
    CHECK(first.ask(request_to("GET", "/fixed"))->status == 200);
    second.reset();
    // The server hears of the end when it comes by.
    bool is_served = false;
    for (int i = 0; i < 1000 && !is_served; ++i) {
        TestClient next(server.port());
        const auto reply = next.ask(request_to("GET", "/fixed"));
        is_served = reply && reply->status == 200;
        if (!is_served) std::this_thread::sleep_for(10ms);
    }
    CHECK(is_served);
}

TEST_CASE("a proxy that is trusted has as many connections as there are") {
    ServerOptions options;
    options.limits.connections_per_address = 1;
    options.trusted_proxies = {"127.0.0.1"};
    TestServer server(options);
    TestClient first(server.port());
    TestClient second(server.port());
    CHECK(first.ask(request_to("GET", "/fixed"))->status == 200);
    CHECK(second.ask(request_to("GET", "/fixed"))->status == 200);
}

TEST_CASE("connections beyond the limit get 503 and those within it go on") {
    ServerOptions options;
    options.limits.connections = 2;
    TestServer server(options);
    auto first = std::make_unique<TestClient>(server.port());
    TestClient second(server.port());
    CHECK(first->ask(request_to("GET", "/fixed"))->status == 200);
    CHECK(second.ask(request_to("GET", "/fixed"))->status == 200);
    {
        TestClient third(server.port());
        const auto reply = third.receive();
        CHECK(error_of(reply)["code"] == "http.connections_exhausted");
        CHECK(reply->status == 503);
        CHECK(reply->header("retry-after") == "1");
        CHECK(third.is_at_end());
    }
    CHECK(second.ask(request_to("GET", "/fixed"))->status == 200);
    first.reset();
    // The server notices the free place in its own time.
    int status = 0;
    while (status != 200) {
        TestClient again(server.port());
        again.send(request_to("GET", "/fixed"));
        const auto reply = again.receive();
        REQUIRE(reply);
        status = reply->status;
        REQUIRE((status == 200 || status == 503));
    }
}

TEST_CASE("a full worker pool answers 503 rather than waits") {
    TestServer server;
    server.workers().stop();
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/stream"));
    CHECK(error_of(reply)["code"] == "http.workers_busy");
    CHECK(reply->status == 503);
    CHECK(reply->header("retry-after") == "1");
    CHECK(client.ask(request_to("GET", "/fixed"))->status == 200);
}

}  // namespace stele::kernel::http
