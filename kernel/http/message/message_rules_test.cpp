#include "kernel/http/message/message_rules.hpp"

#include <zlib.h>
#include <catch2/catch.hpp>

#include "kernel/http/message/compression.hpp"
#include "kernel/http/message/message_head.hpp"

namespace stele::kernel::http {

namespace {

std::string head_of(const Response& response) {
    std::string head;
    HeadFacts facts;
    facts.request_id = "id";
    facts.date = "today";
    append_head(head, response, facts);
    return head;
}

std::string gunzip(const std::string& packed) {
    z_stream stream{};
    REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
    std::string text(10'000'000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    CHECK(stream.avail_in == 0);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

}  // namespace

TEST_CASE("If-None-Match compares weakly, over lists and with a star") {
    for (const auto* known : {"\"a\"", "W/\"a\"", "*", " * ", "\"x\", \"a\"", "\"x\",W/\"a\"", "a",
                              "x, a", "\"x,y\",\"a\""}) {
        INFO(known);
        CHECK(names_etag(known, "\"a\""));
        CHECK(names_etag(known, "W/\"a\""));
    }
    for (const auto* known :
         {"", "\"b\"", "\"aa\"", "\"x,a\"", ",,", "\"", "\"x\" \"y\"", "\"A\""}) {
        INFO(known);
        CHECK_FALSE(names_etag(known, "\"a\""));
    }
}

TEST_CASE("gzip is used only where the client allows it") {
    for (const auto* allowed : {"gzip", "GZIP", "deflate, gzip", "gzip;q=0.5", "*", "br,*;q=0.1",
                                "gzip; q=1.0", "x-gzip", "identity;q=0, gzip;q=0.001"}) {
        INFO(allowed);
        CHECK(accepts_gzip(allowed));
    }
    for (const auto* refused :
         {"", "identity", "br", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzip;q=0, *", "gzipped"}) {
        INFO(refused);
        CHECK_FALSE(accepts_gzip(refused));
    }
}

TEST_CASE("JSON and text are compressed, what is packed already is not") {
    for (const auto* type : {"application/json;charset=UTF-8", "text/html", "TEXT/plain; x=y",
                             "application/problem+json", "image/svg+xml"}) {
        CHECK(is_compressible(type));
    }
    for (const auto* type :
         {"", "image/png", "application/zip", "application/octet-stream", "text"}) {
        CHECK_FALSE(is_compressible(type));
    }
}

TEST_CASE("gzip gives the text back, one body after another") {
    std::string long_text;
    for (int i = 0; i < 200'000; ++i)
        long_text += std::to_string(i * 7919);
    for (const std::string& text : {std::string("short"), long_text, std::string()}) {
        std::string packed;
        REQUIRE(gzip(text, packed));
        CHECK(gunzip(packed) == text);
    }
}

TEST_CASE("a compressed source gives its pieces as one body") {
    int left = 1000;
    const sdk::BodySource source = gzip_source([&](std::string& out) -> sdk::Result<bool> {
        out += "piece " + std::to_string(left);
        return --left > 0;
    });
    std::string packed;
    for (bool has_more = true; has_more;)
        has_more = source(packed).value();
    std::string expected;
    for (int i = 1000; i > 0; --i)
        expected += "piece " + std::to_string(i);
    CHECK(gunzip(packed) == expected);
}

TEST_CASE("no header value can begin a line of its own") {
    Response response;
    response.content_type = "text/plain\r\nX-Evil: 1";
    response.headers = {{"Content-Disposition", "attachment; filename=\"a\r\nSet-Cookie: b\""}};
    const std::string head = head_of(response);
    CHECK(head.find("\nX-Evil") == std::string::npos);
    CHECK(head.find("\nSet-Cookie") == std::string::npos);
}

TEST_CASE("lines that frame the message are never the handler's") {
    Response response;
    response.headers = {{"transfer-encoding", "chunked"},
                        {"Content-Length", "3"},
                        {"connection", "upgrade"},
                        {"X-Kept", "yes"}};
    const std::string head = head_of(response);
    CHECK(head.find("chunked") == std::string::npos);
    CHECK(head.find("Content-Length") == std::string::npos);
    CHECK(head.find("upgrade") == std::string::npos);
    CHECK(head.find("X-Kept: yes\r\n") != std::string::npos);
}

TEST_CASE("replies are asked about again unless the handler says otherwise") {
    Response response;
    CHECK(head_of(response).find("Cache-Control: private, no-cache\r\n") != std::string::npos);
    response.headers = {{"cache-control", "public"}};
    CHECK(head_of(response).find("no-cache") == std::string::npos);
    response = {};
    response.status = 500;
    CHECK(head_of(response).find("Cache-Control: no-store\r\n") != std::string::npos);
}

TEST_CASE("an origin is taken in the form in which browsers send it") {
    CHECK(normalized_origin("https://app.example") == "https://app.example");
    CHECK(normalized_origin("https://App.Example/") == "https://app.example");
    CHECK(normalized_origin("https://app.example:443") == "https://app.example");
    CHECK(normalized_origin("http://app.example:80") == "http://app.example");
    CHECK(normalized_origin("http://app.example:443") == "http://app.example:443");
    CHECK(normalized_origin("http://[::1]:8080") == "http://[::1]:8080");
    CHECK(normalized_origin("capacitor://localhost") == "capacitor://localhost");
    CHECK(normalized_origin("null") == "null");
}

TEST_CASE("what no browser sends is no origin") {
    for (const auto* text :
         {"", "*", "app.example", "https://", "://app.example", "https://app.example/path",
          "https://user@app.example", "https://*.example", "https://app.example?x"}) {
        INFO(text);
        CHECK_FALSE(normalized_origin(text));
    }
}

}  // namespace stele::kernel::http
