#include "kernel/http/message/request_parser.hpp"

#include <algorithm>
#include <cstring>

#include <catch2/catch.hpp>

namespace stele::kernel::http {

namespace {

using namespace std::string_literals;
using Step = RequestParser::Step;

/// What one request looked like, copied out before its bytes went.
struct Seen {
    Method method;
    std::string path;
    std::string query;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    bool keep_alive;
    std::string path_parameters = {};

    bool operator==(const Seen&) const = default;
};

struct Outcome {
    std::vector<Seen> requests;
    int failed_status = 0;
    std::string failed_code;
    std::size_t unused = 0;
};

/// Feeds `wire` to a parser, at most `piece` bytes at a time.
Outcome parse(std::string_view wire, std::size_t piece, const ServerLimits& limits = {}) {
    RequestParser parser(limits);
    Outcome outcome;
    for (;;) {
        const Step step = parser.advance();
        if (step == Step::header) continue;
        if (step == Step::failed) {
            outcome.failed_status = parser.failure().status;
            outcome.failed_code = parser.failure().code;
            outcome.unused = wire.size();
            return outcome;
        }
        if (step == Step::complete) {
            const Request& request = parser.request();
            Seen seen{request.method,
                      std::string(request.path),
                      std::string(request.query),
                      {},
                      std::string(request.body),
                      parser.keep_alive(),
                      std::string(request.path_parameters)};
            for (const auto& [name, value] : request.headers)
                seen.headers.emplace_back(name, value);
            outcome.requests.push_back(std::move(seen));
            parser.finish();
            continue;
        }
        if (wire.empty()) return outcome;
        const std::span<char> space = parser.space();
        REQUIRE_FALSE(space.empty());
        const std::size_t count = std::min({piece, space.size(), wire.size()});
        std::memcpy(space.data(), wire.data(), count);
        wire.remove_prefix(count);
        parser.received(count);
    }
}

std::string get(std::string_view rest) {
    return "GET / HTTP/1.1\r\nHost: h\r\n" + std::string(rest) + "\r\n";
}

std::string post(std::string_view headers, std::string_view body) {
    return "POST /x HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

}  // namespace

TEST_CASE("requests read the same however their bytes are split") {
    const std::string large(9000, 'l');
    const std::string wire =
        "GET /a?b=c HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nAccept:  text/html, */* \r\n\r\n"
        "POST /first HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello" +
        post("Transfer-Encoding: chunked\r\n",
             "3\r\nabc\r\nA;name=\"va lue\"\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n") +
        post("Content-Length: 9000\r\n", large) +
        post("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n") +
        "\r\n\r\nDELETE /last HTTP/1.0\r\n\r\n";
    const std::vector<Seen> expected{
        {Method::get,
         "/a",
         "b=c",
         {{"Host", "h"}, {"X-Empty", ""}, {"Accept", "text/html, */*"}},
         "",
         true},
        {Method::post, "/first", "", {{"Host", "h"}, {"Content-Length", "5"}}, "hello", true},
        {Method::post,
         "/x",
         "",
         {{"Host", "h"}, {"Transfer-Encoding", "chunked"}},
         "abc0123456789",
         true},
        {Method::post, "/x", "", {{"Host", "h"}, {"Content-Length", "9000"}}, large, true},
        {Method::post, "/x", "", {{"Host", "h"}, {"Transfer-Encoding", "Chunked"}}, "", true},
        {Method::remove, "/last", "", {}, "", false}};
    for (const std::size_t piece : {1, 2, 3, 5, 7, 64, 1000, 100'000}) {
        INFO(piece);
        const Outcome outcome = parse(wire, piece);
        CHECK(outcome.failed_status == 0);
        CHECK(outcome.requests == expected);
    }
}

TEST_CASE("every request method has its value") {
    const std::vector<std::pair<std::string, Method>> cases{
        {"GET", Method::get},         {"HEAD", Method::head},   {"POST", Method::post},
        {"PUT", Method::put},         {"PATCH", Method::patch}, {"DELETE", Method::remove},
        {"OPTIONS", Method::options}, {"TRACE", Method::other}, {"BREW", Method::other}};
    for (const auto& [text, method] : cases) {
        const Outcome outcome = parse(text + " /p HTTP/1.1\r\nHost: h\r\n\r\n", 4096);
        REQUIRE(outcome.requests.size() == 1);
        CHECK(outcome.requests[0].method == method);
    }
}

TEST_CASE("targets of every form give a path that begins with a slash") {
    const std::vector<std::array<std::string, 4>> cases{
        {"GET", "/a/b?c=d?e", "/a/b", "c=d?e"},     {"GET", "?full=true", "/", "full=true"},
        {"GET", "http://example.org", "/", ""},     {"GET", "http://example.org/a?b", "/a", "b"},
        {"GET", "HTTPS://example.org?b", "/", "b"}, {"OPTIONS", "*", "/", ""},
    };
    for (const auto& [method, target, path, query] : cases) {
        INFO(target);
        const Outcome outcome = parse(method + " " + target + " HTTP/1.1\r\nHost: h\r\n\r\n", 4096);
        REQUIRE(outcome.requests.size() == 1);
        CHECK(outcome.requests[0].path == path);
        CHECK(outcome.requests[0].query == query);
    }
}

TEST_CASE("parameters in the last segment of a path are no part of it") {
    const std::vector<std::array<std::string, 4>> cases{
        {"/a/locales&edition=1?full=true", "/a/locales", "edition=1", "full=true"},
        {"/a/locales&edition=1&b=2", "/a/locales", "edition=1&b=2", ""},
        {"/a/b&c", "/a/b&c", "", ""},
        {"/a/b&=c", "/a/b&=c", "", ""},
        {"/a&b=c/d", "/a&b=c/d", "", ""},
        {"/a/b%26c=d", "/a/b%26c=d", "", ""},
    };
    for (const auto& [target, path, parameters, query] : cases) {
        INFO(target);
        const Outcome outcome = parse("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n", 4096);
        REQUIRE(outcome.requests.size() == 1);
        CHECK(outcome.requests[0].path == path);
        CHECK(outcome.requests[0].path_parameters == parameters);
        CHECK(outcome.requests[0].query == query);
    }
}

TEST_CASE("keep-alive follows the version and the header Connection") {
    CHECK(parse(get(""), 4096).requests.at(0).keep_alive);
    CHECK_FALSE(parse(get("Connection: close\r\n"), 4096).requests.at(0).keep_alive);
    CHECK_FALSE(parse("GET / HTTP/1.0\r\n\r\n", 4096).requests.at(0).keep_alive);
    CHECK(
        parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 4096).requests.at(0).keep_alive);
}

TEST_CASE("what is no sound request is refused with its status") {
    struct Case {
        std::string wire;
        int status;
        std::string code;
    };
    const std::string malformed = "http.request_malformed";
    const std::vector<Case> cases{
        {"nonsense\r\n\r\n", 400, malformed},
        {"GET /\r\n\r\n", 400, malformed},
        {"GET / HTTP/1.1\n\n", 400, malformed},
        {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400, malformed},
        {"GET x HTTP/1.1\r\nHost: h\r\n\r\n", 400, malformed},
        {"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 400, malformed},
        {"GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400, malformed},
        {"GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"s, 400, malformed},
        {"\x16\x03\x01\x02", 400, malformed},
        {"GET / HTTP/1.1\r\n\r\n", 400, malformed},
        {get("Host: i\r\n"), 400, malformed},
        {get("X: a\0b\r\n"s), 400, malformed},
        {get("X: a\x01\r\n"), 400, malformed},
        {get("X : a\r\n"), 400, malformed},
        {get(": a\r\n"), 400, malformed},
        {get("X\r\n"), 400, malformed},
        {get("X: a\r\n b\r\n"), 400, malformed},
        {get("X:\r\n b\r\n"), 400, malformed},
        {get("X:\r\n \r\n"), 400, malformed},
        {get("X: a\r\n \r\n"), 400, malformed},
        {get("X: a\r\n\tb\r\n"), 400, malformed},
        {post("Content-Length: -1\r\n", ""), 400, malformed},
        {post("Content-Length: +1\r\n", "a"), 400, malformed},
        {post("Content-Length: 1x\r\n", "a"), 400, malformed},
        {post("Content-Length: \r\n", ""), 400, malformed},
        {post("Content-Length: 99999999999999999999999\r\n", ""), 400, malformed},
        {post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"), 400, malformed},
        {post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ""), 400, malformed},
        {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, malformed},
        {post("Transfer-Encoding: gzip\r\n", ""), 501, "http.transfer_unsupported"},
        {post("Transfer-Encoding: gzip, chunked\r\n", ""), 501, "http.transfer_unsupported"},
        {post("Transfer-Encoding: chunked\r\n", "xyz\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n0\r\n\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\n", "1\nabc\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\n", "-10\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 3\r\n\r\n"), 400, malformed},
        {post("Transfer-Encoding: chunked\r\n", "1;" + std::string(100'000, 'x')), 400, malformed},
        {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505, "http.version_unsupported"},
        {"GET / HTTP/1.2\r\nHost: h\r\n\r\n", 505, "http.version_unsupported"},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "http.version_unsupported"},
        {"GET / HTTP/x.y\r\nHost: h\r\n\r\n", 400, malformed},
    };
    for (const Case& each : cases) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{4096}}) {
            INFO(each.wire.substr(0, 100) << " in pieces of " << piece);
            const Outcome outcome = parse(each.wire, piece);
            CHECK(outcome.failed_status == each.status);
            CHECK(outcome.failed_code == each.code);
            CHECK(outcome.requests.empty());
        }
    }
}

TEST_CASE("a request line that is none is refused before the header ends") {
    CHECK(parse("this is not http\r\n", 1).failed_status == 400);
    CHECK(parse("SSH-2.0-OpenSSH_9.2\r\n", 4096).failed_status == 400);
}

TEST_CASE("a header may be as large as the limit and no larger") {
    ServerLimits limits;
    limits.header_bytes = 200;
    const std::string frame = get("X: \r\n");
    const std::string fits = get("X: " + std::string(200 - frame.size(), 'x') + "\r\n");
    REQUIRE(fits.size() == 200);
    const std::string exceeds = get("X: " + std::string(201 - frame.size(), 'x') + "\r\n");
    for (const std::size_t piece : {1, 4096}) {
        CHECK(parse(fits + fits, piece, limits).requests.size() == 2);
        const Outcome outcome = parse(exceeds, piece, limits);
        CHECK(outcome.failed_status == 431);
        CHECK(outcome.failed_code == "http.header_too_large");
    }
    CHECK(parse("GET /" + std::string(300, 'x'), 7, limits).failed_status == 431);
}

TEST_CASE("a header with very many lines is refused") {
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += "X: y\r\n";
    CHECK(parse(get(many), 4096).failed_status == 431);
}

TEST_CASE("a body may be as large as the limit and no larger") {
    ServerLimits limits;
    limits.body_bytes = 100;
    const std::string body(100, 'b');
    for (const std::size_t piece : {1, 4096}) {
        CHECK(parse(post("Content-Length: 100\r\n", body), piece, limits).requests.at(0).body ==
              body);
        CHECK(parse(post("Transfer-Encoding: chunked\r\n", "64\r\n" + body + "\r\n0\r\n\r\n"),
                    piece, limits)
                  .requests.at(0)
                  .body == body);
        for (const std::string& wire :
             {post("Content-Length: 101\r\n", ""),
              post("Transfer-Encoding: chunked\r\n", "065\r\n"),
              post("Transfer-Encoding: chunked\r\n", "64\r\n" + body + "\r\n1\r\n")}) {
            const Outcome outcome = parse(wire, piece, limits);
            CHECK(outcome.failed_status == 413);
            CHECK(outcome.failed_code == "http.body_too_large");
        }
    }
}

TEST_CASE("a body's buffer grows with the bytes that arrive, not with what is announced") {
    const ServerLimits limits;
    RequestParser parser(limits);
    const std::string head = post("Content-Length: 16000000\r\n", "");
    std::memcpy(parser.space().data(), head.data(), head.size());
    parser.received(head.size());
    REQUIRE(parser.advance() == Step::header);
    REQUIRE(parser.advance() == Step::incomplete);
    CHECK(parser.space().size() <= 64 * 1024);
}

namespace {

/// Reads one body in pieces; `most` is what the parser held at most.
std::string read_pieces(std::string_view wire, std::size_t step, std::size_t& most) {
    const ServerLimits limits;
    RequestParser parser(limits);
    std::string body;
    std::string piece;
    while (true) {
        const Step reached = parser.advance();
        most = std::max(most, parser.capacity() + piece.capacity());
        if (reached == Step::complete) return body;
        if (reached == Step::header) {
            REQUIRE(parser.expect_body(1'000'000'000, true));
        } else if (reached == Step::piece) {
            parser.take_piece(piece);
            REQUIRE_FALSE(piece.empty());
            body += piece;
        } else {
            REQUIRE(reached == Step::incomplete);
            REQUIRE_FALSE(wire.empty());
            const std::span<char> space = parser.space();
            const std::size_t count = std::min({step, space.size(), wire.size()});
            std::memcpy(space.data(), wire.data(), count);
            wire.remove_prefix(count);
            parser.received(count);
        }
    }
}

}  // namespace

TEST_CASE("a body that is read in pieces takes the room of a few, however large it is") {
    constexpr std::size_t kMax = 5 * RequestParser::kPieceSize;
    const std::string body(20'000'000, 'b');
    for (const std::size_t step : {1'000, 1'000'000}) {
        std::size_t most = 0;
        CHECK(read_pieces(post("Content-Length: 20000000\r\n", body), step, most) == body);
        CHECK(read_pieces(
                  post("Transfer-Encoding: chunked\r\n", "1312D00\r\n" + body + "\r\n0\r\n\r\n"),
                  step, most) == body);
        CHECK(most <= kMax);
    }
    std::size_t most = 0;
    CHECK(read_pieces(post("Content-Length: 5\r\n", "hello"), 1, most) == "hello");
    CHECK(read_pieces(post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), 1, most).empty());
}

TEST_CASE("header names are found without regard to case") {
    Request request;
    request.headers = {{"X-One", "1"}, {"x-ONE", "2"}, {"Accept", "a"}};
    CHECK(request.header("x-one") == "1");
    CHECK(request.header("ACCEPT") == "a");
    CHECK_FALSE(request.header("Accept-"));
}

}  // namespace stele::kernel::http
