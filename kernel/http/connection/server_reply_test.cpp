#include <zlib.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"

namespace stele::kernel::http {

namespace {

constexpr const char* kGzip = "Accept-Encoding: gzip\r\n";

std::string gunzip(const std::string& packed) {
    z_stream stream{};
    REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
    std::string text(10'000'000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

ServerOptions with_origins(std::vector<std::string> origins) {
    ServerOptions options;
    options.cors_origins = std::move(origins);
    return options;
}

constexpr const char* kPreflight =
    "Origin: https://app.example\r\nAccess-Control-Request-Method: PUT\r\n"
    "Access-Control-Request-Headers: authorization,content-type\r\n";

}  // namespace

TEST_CASE("bodies large enough are compressed for who asks, small, large and streamed") {
    TestServer server;
    TestClient client(server.port());
    for (const auto* path : {"/text", "/text-large", "/stream"}) {
        INFO(path);
        const auto plain = client.ask(request_to("GET", path));
        const auto packed = client.ask(request_to("GET", path, "", kGzip));
        REQUIRE(plain);
        REQUIRE(packed);
        CHECK(plain->header("content-encoding") == "(none)");
        CHECK(plain->header("vary") == "Accept-Encoding");
        CHECK(packed->headers.count("content-encoding") == 1);
        CHECK(packed->header("content-encoding") == "gzip");
        CHECK(packed->header("vary") == "Accept-Encoding");
        CHECK(packed->body.size() < plain->body.size() / 2);
        CHECK(gunzip(packed->body) == plain->body);
    }
}

TEST_CASE("what is small, packed already or of a promised length is not compressed") {
    TestServer server;
    TestClient client(server.port());
    for (const auto* path : {"/fixed", "/image", "/download"}) {
        INFO(path);
        const auto reply = client.ask(request_to("GET", path, "", kGzip));
        REQUIRE(reply);
        CHECK(reply->header("content-encoding") == "(none)");
    }
}

TEST_CASE("HEAD tells the length that GET has, compressed as well") {
    TestServer server;
    TestClient client(server.port());
    const auto full = client.ask(request_to("GET", "/text", "", kGzip));
    REQUIRE(client.send(request_to("HEAD", "/text", "", kGzip)));
    const auto head = client.receive(false);
    REQUIRE(full);
    REQUIRE(head);
    CHECK(head->header("content-length") == full->header("content-length"));
    CHECK(head->header("content-encoding") == "gzip");
}

TEST_CASE("a large body is sent plain when no worker is there to compress it") {
    TestServer server;
    server.workers().stop();
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/text-large", "", kGzip));
    REQUIRE(reply);
    CHECK(reply->header("content-encoding") == "(none)");
    CHECK(reply->body == TestHandler::streamed_text());
}

TEST_CASE("without origins there are no CORS headers and OPTIONS is the handler's") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask(request_to("OPTIONS", "/echo", "", kPreflight));
    REQUIRE(reply);
    CHECK(nlohmann::json::parse(reply->body)["method"] == "OPTIONS");
    CHECK(reply->header("access-control-allow-origin") == "(none)");
}

TEST_CASE("a preflight of a listed origin is answered without the handler") {
    TestServer server(with_origins({"https://app.example", "https://other.example"}));
    TestClient client(server.port());
    const auto reply = client.ask(request_to("OPTIONS", "/echo", "", kPreflight));
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->body == "{\"ok\":true}");
    CHECK(reply->header("access-control-allow-origin") == "https://app.example");
    CHECK(reply->header("access-control-allow-credentials") == "true");
    CHECK(reply->header("access-control-allow-headers") == "authorization,content-type");
    CHECK(reply->header("access-control-allow-methods").find("PUT") != std::string::npos);
    CHECK(reply->header("vary").find("Origin") != std::string::npos);
    const auto plain = client.ask(request_to("OPTIONS", "/echo"));
    REQUIRE(plain);
    CHECK(nlohmann::json::parse(plain->body)["method"] == "OPTIONS");
}

TEST_CASE("an origin that is not listed learns nothing") {
    TestServer server(with_origins({"https://app.example"}));
    TestClient client(server.port());
    for (const auto* origin : {"https://evil.example", "https://app.example.evil", "null"}) {
        const std::string line = std::string("Origin: ") + origin + "\r\n";
        const auto preflight = client.ask(
            request_to("OPTIONS", "/echo", "", line + "Access-Control-Request-Method: PUT\r\n"));
        REQUIRE(preflight);
        CHECK(preflight->status == 403);
        CHECK(nlohmann::json::parse(preflight->body)["code"] == "http.origin_refused");
        CHECK(preflight->header("access-control-allow-origin") == "(none)");
        const auto reply = client.ask(request_to("GET", "/fixed", "", line));
        REQUIRE(reply);
        CHECK(reply->status == 200);
        CHECK(reply->header("access-control-allow-origin") == "(none)");
        CHECK(reply->header("vary") == "Origin");
    }
}

TEST_CASE("a star lets every origin read, without credentials") {
    TestServer server(with_origins({"*"}));
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/fixed", "", "Origin: https://a.example\r\n"));
    REQUIRE(reply);
    CHECK(reply->header("access-control-allow-origin") == "*");
    CHECK(reply->header("access-control-allow-credentials") == "(none)");
    CHECK(reply->header("access-control-expose-headers").find("ETag") != std::string::npos);
}

TEST_CASE("scripts of other origins may read the headers that callers need") {
    TestServer server(with_origins({"https://app.example"}));
    TestClient client(server.port());
    const auto reply =
        client.ask(request_to("GET", "/fixed", "", "Origin: https://app.example\r\n"));
    REQUIRE(reply);
    const std::string exposed = reply->header("access-control-expose-headers");
    for (const auto* name : {"ETag", "X-Request-Id", "Retry-After", "Content-Disposition",
                             "Content-Range", "WWW-Authenticate", "RateLimit-Reset"}) {
        INFO(name);
        CHECK(exposed.find(name) != std::string::npos);
    }
}

TEST_CASE("a cache can tell replies to different origins apart, whoever asks") {
    TestServer server(with_origins({"*", "https://app.example"}));
    TestClient client(server.port());
    for (const auto* line :
         {"", "Origin: https://app.example\r\n", "Origin: https://b.example\r\n"}) {
        INFO(line);
        const auto reply = client.ask(request_to("GET", "/fixed", "", line));
        REQUIRE(reply);
        CHECK(reply->header("vary") == "Origin");
    }
    // Credentials never go with a star (Fetch standard, CORS check).
    const auto listed =
        client.ask(request_to("GET", "/fixed", "", "Origin: https://app.example\r\n"));
    REQUIRE(listed);
    CHECK(listed->header("access-control-allow-origin") == "https://app.example");
    CHECK(listed->header("access-control-allow-credentials") == "true");
}

TEST_CASE("a header that asks for more than names is not echoed to a preflight") {
    TestServer server(with_origins({"https://app.example"}));
    TestClient client(server.port());
    const auto reply = client.ask(request_to("OPTIONS", "/echo", "",
                                             "Origin: https://app.example\r\n"
                                             "Access-Control-Request-Method: PUT\r\n"
                                             "Access-Control-Request-Headers: <script>\r\n"));
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->header("access-control-allow-headers") == "(none)");
}

TEST_CASE("a refusal of the wire can be read across origins too") {
    TestServer server(with_origins({"https://app.example"}));
    TestClient client(server.port());
    const auto reply = client.ask(
        request_to("POST", "/echo", "abc", "Origin: https://app.example\r\nExpect: x\r\n"));
    REQUIRE(reply);
    CHECK(reply->status == 417);
    CHECK(reply->header("access-control-allow-origin") == "https://app.example");
}

}  // namespace stele::kernel::http
