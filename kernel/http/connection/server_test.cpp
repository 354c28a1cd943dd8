#include "kernel/http/connection/server.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <future>
#include <set>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"
#include "kernel/http/pipeline/router.hpp"

namespace stele::kernel::http {

namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a reply carries the headers that every reply carries") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/echo?a=b"));
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->reason == "OK");
    CHECK(reply->header("content-type") == "application/json;charset=UTF-8");
    CHECK(reply->header("content-length") == std::to_string(reply->body.size()));
    CHECK(reply->header("x-content-type-options") == "nosniff");
    CHECK(reply->header("cache-control") == "private, no-cache");
    CHECK(reply->header("connection") == "(none)");
    CHECK(reply->header("date").ends_with(" GMT"));
    CHECK(reply->header("date").size() == 29);
    const std::string id = reply->header("x-request-id");
    CHECK(id.size() == 20);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    const auto body = nlohmann::json::parse(reply->body);
    CHECK(body["method"] == "GET");
    CHECK(body["path"] == "/echo");
    CHECK(body["query"] == "a=b");
    CHECK(body["remote"] == "127.0.0.1");
    CHECK(body["id"] == id);
}

TEST_CASE("a connection serves one request after another, each with an id of its own") {
    TestServer server;
    TestClient client(server.port());
    std::set<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        const auto reply = client.ask(request_to("GET", "/echo"));
        REQUIRE(reply);
        ids.insert(reply->header("x-request-id"));
    }
    CHECK(ids.size() == 20);
    const auto counts = server.get().counts();
    CHECK(counts.connections_total == 1);
    CHECK(counts.connections_open == 1);
    CHECK(counts.requests_total == 20);
    CHECK(counts.bytes_received == 20 * request_to("GET", "/echo").size());
}

TEST_CASE("pipelined requests are answered in order, early and late answers alike") {
    TestServer server;
    TestClient client(server.port());
    std::string wire;
    for (int i = 0; i < 50; ++i) {
        const std::string path = i % 3 == 0 ? "/later" : i % 7 == 0 ? "/large" : "/echo";
        wire += request_to("POST", path + "?n=" + std::to_string(i), std::to_string(i));
    }
    REQUIRE(client.send(wire));
    for (int i = 0; i < 50; ++i) {
        INFO(i);
        const auto reply = client.receive();
        REQUIRE(reply);
        const auto body = nlohmann::json::parse(reply->body);
        CHECK(body["query"] == "n=" + std::to_string(i));
        CHECK(body["body"] == std::to_string(i));
    }
}

TEST_CASE("a request that comes byte by byte is the same request") {
    TestServer server;
    TestClient client(server.port());
    const std::string wire =
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
    for (const char c : wire)
        REQUIRE(client.send({&c, 1}));
    const auto reply = client.receive();
    REQUIRE(reply);
    CHECK(nlohmann::json::parse(reply->body)["body"] == "abcdefg");
}

TEST_CASE("chunked requests read the same split at every byte") {
    TestServer server;
    const std::string wire =
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;x=y\r\nabc\r\n4\r\ndefg\r\n0\r\nT: u\r\n\r\n";
    TestClient client(server.port());
    for (std::size_t split = 0; split < wire.size(); ++split) {
        INFO(split);
        REQUIRE(client.send(wire.substr(0, split)));
        REQUIRE(client.send(wire.substr(split)));
        const auto reply = client.receive();
        REQUIRE(reply);
        REQUIRE(nlohmann::json::parse(reply->body)["body"] == "abcdefg");
    }
}

TEST_CASE("a body of a megabyte arrives whole, with a length and in chunks") {
    TestServer server;
    TestClient client(server.port());
    std::string body;
    while (body.size() < 1'000'000)
        body += std::to_string(body.size()) + ' ';
    auto reply = client.ask(request_to("POST", "/echo", body));
    REQUIRE(reply);
    CHECK(nlohmann::json::parse(reply->body)["body"] == body);
    std::string wire = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size(); at += 0x4567) {
        const std::string piece = body.substr(at, 0x4567);
        std::array<char, 16> size{};
        std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
        wire += size.data() + piece + "\r\n";
    }
    reply = client.ask(wire + "0\r\n\r\n");
    REQUIRE(reply);
    CHECK(nlohmann::json::parse(reply->body)["body"] == body);
}

TEST_CASE("HEAD answers as GET without the body but with its length") {
    TestServer server;
    TestClient client(server.port());
    const auto full = client.ask(request_to("GET", "/fixed"));
    REQUIRE(client.send(request_to("HEAD", "/fixed")));
    const auto head = client.receive(false);
    REQUIRE(head);
    REQUIRE(full);
    CHECK(head->status == 200);
    CHECK(head->header("content-length") == full->header("content-length"));
    // The connection is in step: nothing of a body was sent.
    CHECK(client.ask(request_to("GET", "/fixed"))->body == full->body);
    REQUIRE(client.send(request_to("HEAD", "/stream")));
    CHECK(client.receive(false)->header("transfer-encoding") == "chunked");
    CHECK(client.ask(request_to("GET", "/fixed"))->body == full->body);
}

TEST_CASE("100-continue is answered before the body is there") {
    TestServer server;
    TestClient client(server.port());
    REQUIRE(client.send(
        "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n"));
    CHECK(client.receive()->status == 100);
    const auto reply = client.ask("abc");
    REQUIRE(reply);
    CHECK(nlohmann::json::parse(reply->body)["body"] == "abc");
}

TEST_CASE("a stream is pulled only as fast as the client reads") {
    TestServer server;
    TestClient client(server.port(), 4096);
    REQUIRE(client.send(request_to("GET", "/stream")));
    const auto reply = client.receive();
    REQUIRE(reply);
    CHECK(reply->header("transfer-encoding") == "chunked");
    CHECK(reply->header("content-length") == "(none)");
    CHECK(reply->body == TestHandler::streamed_text());
    CHECK(server.handler().most_pulls_at_once() == 1);
    CHECK(client.ask(request_to("GET", "/fixed"))->status == 200);
}

TEST_CASE("a stream with a promised length keeps it") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/download"));
    REQUIRE(reply);
    CHECK(reply->header("content-length") == "26");
    CHECK(reply->header("transfer-encoding") == "(none)");
    CHECK(reply->body == "abcdefghijklmnopqrstuvwxyz");
    CHECK(client.ask(request_to("GET", "/fixed"))->status == 200);
    CHECK(client.ask(request_to("GET", "/download-short"))->status == 500);
}

TEST_CASE("a source that fails at once gets an error, one that fails later breaks the reply off") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/stream-fails-at-once"));
    CHECK(error_of(reply)["code"] == "test.source_failed");
    CHECK(reply->status == 503);
    REQUIRE(client.send(request_to("GET", "/stream-fails-later")));
    CHECK_FALSE(client.receive());
    TestClient other(server.port());
    CHECK(other.ask(request_to("GET", "/stream-throws"))->status == 500);
}

TEST_CASE("HTTP/1.0 gets a stream up to the end of the connection") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask("GET /stream HTTP/1.0\r\n\r\n");
    REQUIRE(reply);
    CHECK(reply->header("transfer-encoding") == "(none)");
    CHECK(reply->header("connection") == "close");
    CHECK(reply->body == TestHandler::streamed_text());
    TestClient kept(server.port());
    for (int i = 0; i < 2; ++i) {
        const auto again = kept.ask("GET /fixed HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        REQUIRE(again);
        CHECK(again->header("connection") == "keep-alive");
    }
}

TEST_CASE("a record the client knows is answered with 304") {
    TestServer server;
    TestClient client(server.port());
    auto reply = client.ask(request_to("GET", "/record"));
    REQUIRE(reply);
    CHECK(reply->header("etag") == "\"v1\"");
    reply = client.ask(request_to("GET", "/record", "", "If-None-Match: \"v0\", W/\"v1\"\r\n"));
    REQUIRE(reply);
    CHECK(reply->status == 304);
    CHECK(reply->header("etag") == "\"v1\"");
    CHECK(reply->header("content-length") == "(none)");
    reply = client.ask(request_to("GET", "/record", "", "If-None-Match: \"v2\"\r\n"));
    CHECK(reply->status == 200);
    // What is computed changes without the version that such a tag is of.
    reply = client.ask(request_to("GET", "/computed", "", "If-None-Match: \"v1\"\r\n"));
    CHECK(reply->status == 200);
    CHECK(reply->header("etag") == "\"v1\"");
    reply = client.ask(request_to("GET", "/computed", "", "If-None-Match: *\r\n"));
    CHECK(reply->status == 200);
    reply = client.ask(request_to("POST", "/record", "{}", "If-None-Match: \"v1\"\r\n"));
    CHECK(reply->status == 200);
}

TEST_CASE("the handler may answer from any thread, also while it still runs") {
    TestServer server;
    std::vector<std::future<int>> results;
    for (int i = 0; i < 8; ++i) {
        results.push_back(std::async(std::launch::async, [&] {
            TestClient client(server.port());
            int good = 0;
            for (int n = 0; n < 50; ++n) {
                const auto reply = client.ask(request_to("POST", "/later", std::to_string(n)));
                good += reply && nlohmann::json::parse(reply->body)["body"] == std::to_string(n);
            }
            return good;
        }));
    }
    for (auto& result : results)
        CHECK(result.get() == 50);
}

TEST_CASE("a second answer and an exception of the handler do no harm") {
    TestServer server;
    TestClient client(server.port());
    CHECK(client.ask(request_to("GET", "/twice"))->body == "{\"n\":1}");
    const auto reply = client.ask(request_to("GET", "/throws"));
    CHECK(error_of(reply)["code"] == "http.handler_failed");
    CHECK(client.ask(request_to("GET", "/fixed"))->status == 200);
}

TEST_CASE("clients that vanish half-way leave a server that works") {
    TestServer server;
    for (const std::string& part :
         {std::string(""), std::string("GE"), std::string("GET /echo HTTP/1.1\r\n"),
          std::string("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc"),
          request_to("GET", "/endless"), request_to("GET", "/later"),
          request_to("GET", "/large")}) {
        TestClient client(server.port());
        client.send(part);
    }
    TestClient client(server.port());
    CHECK(client.ask(request_to("GET", "/fixed"))->status == 200);
}

TEST_CASE("a client that closes its sending side still gets its answer") {
    TestServer server;
    TestClient client(server.port());
    REQUIRE(client.send(request_to("GET", "/later")));
    client.end_sending();
    CHECK(client.receive()->status == 200);
    CHECK(client.is_at_end());
}

TEST_CASE("a path that is no UTF-8 reaches the router, which refuses it") {
    TestServer server;
    TestClient client(server.port());
    for (const auto* path : {"/routed/\xff", "/routed/%ff", "/routed/%00"}) {
        const auto reply = client.ask(request_to("GET", path));
        REQUIRE(reply);
        CHECK(reply->body == "malformed");
    }
    CHECK(client.ask(request_to("GET", "/routed/%C3%A9"))->body == "\xC3\xA9");
}

TEST_CASE("draining closes idle connections and lets running requests finish") {
    TestServer server;
    TestClient idle(server.port());
    CHECK(idle.ask(request_to("GET", "/fixed"))->status == 200);
    TestClient busy(server.port());
    REQUIRE(busy.send(request_to("GET", "/held")));
    server.handler().wait_until_held();
    auto drained = std::async(std::launch::async, [&] { server.get().drain(20s); });
    CHECK(idle.is_at_end());
    server.handler().release_held();
    const auto reply = busy.receive();
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->header("connection") == "close");
    drained.get();
    CHECK_THROWS(TestClient(server.port()));
    CHECK(server.get().counts().connections_open == 0);
}

TEST_CASE("draining ends by force what does not finish, and a late answer is harmless") {
    TestServer server;
    TestClient busy(server.port());
    REQUIRE(busy.send(request_to("GET", "/held")));
    server.handler().wait_until_held();
    server.get().drain(10ms);
    CHECK_FALSE(busy.receive());
    server.handler().release_held();
}

TEST_CASE("a port in use is refused with a sentence that names it") {
    TestServer server;
    ServerOptions options;
    options.port = server.port();
    job::WorkerPool workers(1, 1);
    TestHandler handler(workers);
    Server second(options, handler, workers);
    const auto started = second.start();
    REQUIRE_FALSE(started);
    CHECK(started.error().code == "http.listen_failed");
    CHECK(started.error().message.find("127.0.0.1 port " + std::to_string(server.port())) !=
          std::string::npos);
}

}  // namespace stele::kernel::http
