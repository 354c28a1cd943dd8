#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"

namespace stele::kernel::http {

namespace {

constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz";

std::string range(std::string_view text) {
    return "Range: " + std::string(text) + "\r\n";
}

}  // namespace

TEST_CASE("a download has a length, and says that parts of it can be had") {
    TestServer server;
    TestClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/ranges", "", "Accept-Encoding: gzip\r\n"));
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->body == kLetters);
    CHECK(reply->header("content-length") == "26");
    CHECK(reply->header("accept-ranges") == "bytes");
    CHECK(reply->header("content-range") == "(none)");
    CHECK(reply->header("content-encoding") == "(none)");
    CHECK(reply->header("transfer-encoding") == "(none)");
    CHECK(reply->header("etag") == "\"v1\"");
    CHECK(reply->header("content-type") == "text/plain");
    CHECK(reply->header("content-disposition") == "attachment; filename=\"a b.txt\"");
    CHECK(reply->header("content-security-policy") == "default-src 'none'; sandbox");
    CHECK(reply->headers.count("x-content-type-options") == 1);
}

TEST_CASE("a part of a download is what its range names") {
    TestServer server;
    TestClient client(server.port());
    struct Case {
        const char* range;
        const char* content_range;
        const char* body;
    };
    for (const Case& each : std::vector<Case>{
             {"bytes=0-0", "bytes 0-0/26", "a"},
             {"bytes=2-4", "bytes 2-4/26", "cde"},
             {"BYTES= 2-4 ", "bytes 2-4/26", "cde"},
             {"bytes=23-", "bytes 23-25/26", "xyz"},
             {"bytes=25-99", "bytes 25-25/26", "z"},
             {"bytes=24-99999999999999999999999", "bytes 24-25/26", "yz"},
             {"bytes=-3", "bytes 23-25/26", "xyz"},
             {"bytes=0-", "bytes 0-25/26", kLetters},
             // The last byte, the one before and the one behind it.
             {"bytes=0-24", "bytes 0-24/26", "abcdefghijklmnopqrstuvwxy"},
             {"bytes=0-25", "bytes 0-25/26", kLetters},
             {"bytes=0-26", "bytes 0-25/26", kLetters},
             {"bytes=25-25", "bytes 25-25/26", "z"},
             {"bytes=25-26", "bytes 25-25/26", "z"},
             {"bytes=25-", "bytes 25-25/26", "z"},
             {"bytes=-1", "bytes 25-25/26", "z"},
             {"bytes=-25", "bytes 1-25/26", "bcdefghijklmnopqrstuvwxyz"},
             {"bytes=-27", "bytes 0-25/26", kLetters},
             {"bytes=-26", "bytes 0-25/26", kLetters},
             {"bytes=-99999999999999999999999", "bytes 0-25/26", kLetters},
         }) {
        INFO(each.range);
        const auto reply = client.ask(request_to("GET", "/ranges", "", range(each.range)));
        REQUIRE(reply);
        CHECK(reply->status == 206);
        CHECK(reply->reason == "Partial Content");
        CHECK(reply->header("content-range") == each.content_range);
        CHECK(reply->body == each.body);
        CHECK(reply->header("content-length") == std::to_string(reply->body.size()));
        CHECK(reply->header("etag") == "\"v1\"");
        CHECK(reply->header("content-disposition") == "attachment; filename=\"a b.txt\"");
    }
}

TEST_CASE("a range that is none, or several, gets all of a download") {
    TestServer server;
    TestClient client(server.port());
    for (const char* const each :
         {"bytes=0-1,4-5", "bytes=4-2", "bytes=a-b", "bytes=", "bytes=-", "bytes", "lines=0-1",
          "0-1", "bytes=1", "bytes=1-2x", "bytes=+1-2"}) {
        INFO(each);
        const auto reply = client.ask(request_to("GET", "/ranges", "", range(each)));
        REQUIRE(reply);
        CHECK(reply->status == 200);
        CHECK(reply->body == kLetters);
        CHECK(reply->header("content-range") == "(none)");
    }
    const auto posted = client.ask(request_to("POST", "/ranges", "", range("bytes=0-1")));
    REQUIRE(posted);
    CHECK(posted->status == 200);
}

TEST_CASE("a range behind the end gets 416 and the size") {
    TestServer server;
    TestClient client(server.port());
    for (const char* const each : {"bytes=26-", "bytes=26-26", "bytes=26-30", "bytes=27-",
                                   "bytes=-0", "bytes=99999999999999999999999-"}) {
        INFO(each);
        const auto reply = client.ask(request_to("GET", "/ranges", "", range(each)));
        REQUIRE(reply);
        CHECK(reply->status == 416);
        CHECK(error_of(reply)["code"] == "http.range_unsatisfiable");
        CHECK(reply->header("content-range") == "bytes */26");
        CHECK(reply->header("content-disposition") == "(none)");
    }
    const auto empty = client.ask(request_to("GET", "/ranges-empty", "", range("bytes=0-")));
    CHECK(empty->status == 416);
    CHECK(empty->header("content-range") == "bytes */0");
    CHECK(server.handler().downloads_opened() == 0);
}

TEST_CASE("an empty download is empty") {
    TestServer server;
    TestClient client(server.port());
    for (const char* const line : {"", "Range: bytes=-5\r\n"}) {
        const auto reply = client.ask(request_to("GET", "/ranges-empty", "", line));
        REQUIRE(reply);
        CHECK(reply->status == 200);
        CHECK(reply->header("content-length") == "0");
        CHECK(reply->body.empty());
    }
}

TEST_CASE("If-Range gives a part of the same version only") {
    TestServer server;
    TestClient client(server.port());
    struct Case {
        const char* path;
        const char* condition;
        int status;
    };
    for (const Case& each : std::vector<Case>{
             {"/ranges", "\"v1\"", 206},
             {"/ranges", "\"v2\"", 200},
             {"/ranges", "v1", 200},
             {"/ranges", "W/\"v1\"", 200},
             {"/ranges-weak", "W/\"v1\"", 200},
             {"/ranges", "Sun, 06 Nov 1994 08:49:37 GMT", 200},
         }) {
        INFO(each.path << ' ' << each.condition);
        const auto reply = client.ask(request_to(
            "GET", each.path, "", range("bytes=1-2") + "If-Range: " + each.condition + "\r\n"));
        REQUIRE(reply);
        CHECK(reply->status == each.status);
        CHECK(reply->body == (each.status == 206 ? "bc" : kLetters));
    }
}

TEST_CASE("neither HEAD nor a version that the client has opens a download") {
    TestServer server;
    TestClient client(server.port());
    REQUIRE(client.send(request_to("HEAD", "/ranges", "", range("bytes=1-2"))));
    const auto head = client.receive(false);
    REQUIRE(head);
    CHECK(head->status == 200);
    CHECK(head->header("content-length") == "26");
    CHECK(head->header("accept-ranges") == "bytes");
    const auto known = client.ask(
        request_to("GET", "/ranges", "", range("bytes=1-2") + "If-None-Match: \"v1\"\r\n"));
    REQUIRE(known);
    CHECK(known->status == 304);
    CHECK(known->body.empty());
    CHECK(known->header("content-range") == "(none)");
    CHECK(server.handler().downloads_opened() == 0);
    CHECK(client.ask(request_to("GET", "/ranges"))->body == kLetters);
    CHECK(server.handler().downloads_opened() == 1);
}

TEST_CASE("a download that fails in the middle does not end cleanly") {
    TestServer server;
    TestClient client(server.port());
    REQUIRE(client.send(request_to("GET", "/ranges-break")));
    CHECK_FALSE(client.receive());
}

}  // namespace stele::kernel::http
