#include "manifest.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

/// Pieces of `size` bytes.
sdk::PieceSource pieces_of(std::string text, std::size_t size = 7) {
    return [text = std::move(text), size,
            at = std::size_t{0}](std::string& piece) mutable -> sdk::Result<void> {
        piece = text.substr(at, size);
        at += piece.size();
        return {};
    };
}

sdk::Result<Manifest> read(const std::string& text) {
    return read_manifest(pieces_of(text));
}

std::string problem_of(const std::string& text) {
    auto manifest = read(text);
    REQUIRE_FALSE(manifest.has_value());
    CHECK(manifest.error().code == "archives.manifest_malformed");
    CHECK(manifest.error().kind == sdk::ErrorKind::invalid);
    return manifest.error().message;
}

}  // namespace

TEST_CASE("a manifest is read with what an archive tells of it") {
    auto manifest =
        read(R"({"model":"3.0.0","group":"g","artifact":"a","version":"1","type":"branch",
        "title":"T","own":{"group":"x"},"_doc":"forged","published":true,"tipChangesetOnly":true,
        "includes":[],"sources":[[{"typeId":"platform","id":"p"}]],"startDate":12.5,
        "contents":{"node://1":{"id":"1"},"node://2":{"id":"2","requires":[1,2,3]}}})");
    REQUIRE(manifest.has_value());
    CHECK(manifest->coordinates() == Coordinates{"g", "a", "1"});
    CHECK(manifest->content_count == 2);
    const sdk::Json expected = sdk::Json::parse(R"({"model":"3.0.0","group":"g","artifact":"a",
        "version":"1","type":"branch","title":"T","tipChangesetOnly":true,"includes":[],
        "sources":[[{"typeId":"platform","id":"p"}]],"startDate":12.5,
        "contents":{"node://1":{"id":"1"},"node://2":{"id":"2","requires":[1,2,3]}}})");
    CHECK(manifest->fields == expected);
}

TEST_CASE("members of another kind are left out") {
    auto manifest = read(R"({"group":7,"title":["T"],"childrenOnly":"yes","version":null,
        "template":null,"type":"node"})");
    REQUIRE(manifest.has_value());
    CHECK(manifest->fields == sdk::Json({{"type", "node"}}));
    CHECK_FALSE(manifest->content_count);
}

TEST_CASE("contents are counted, and kept up to 64 KiB") {
    const auto contents = [](std::size_t count) {
        std::string text = R"({"group":"g","contents":{)";
        for (std::size_t i = 0; i < count; ++i)
            text +=
                (i == 0 ? "\"" : ",\"") + std::to_string(100000 + i) + R"(":{"id":"0123456789"})";
        return text + R"(},"version":"1"})";
    };
    // 29 bytes an entry, with its comma, and two braces.
    const std::size_t fitting = (64 * 1024 - 1) / 29;
    for (const std::size_t count : {fitting, fitting + 1, std::size_t{50000}}) {
        auto manifest = read(contents(count));
        REQUIRE(manifest.has_value());
        CHECK(manifest->content_count == count);
        CHECK(manifest->fields.contains("contents") == (count == fitting));
        CHECK(manifest->fields["version"] == "1");
    }
    auto listed = read(R"({"contents":[1,[2,3],{"a":4}]})");
    REQUIRE(listed.has_value());
    CHECK(listed->content_count == 3);
}

TEST_CASE("what is no manifest is refused") {
    for (const char* text :
         {"", " ", "[]", "7", "\"text\"", "null", "{", R"({"group":"g")", "{} {}", "PK\x03\x04",
          R"({"group":"g","group":"h"})", R"({"sources":{"a":1,"a":2}})", "{\"title\":\"\xff\"}",
          R"({"version":1e999})"}) {
        CAPTURE(text);
        problem_of(text);
    }
}

TEST_CASE("deep and endless manifests are refused in bounded memory") {
    const std::string deep = R"({"contents":)" + std::string(100'000, '[');
    CHECK(problem_of(deep).find("deep") != std::string::npos);
    CHECK(problem_of(R"({"title":")" + std::string(2'000'000, 'x') + "\"}").find("too long") !=
          std::string::npos);
    CHECK(problem_of("{" + std::string(2'000'000, ' ') + "}").find("too long") !=
          std::string::npos);
}

TEST_CASE("what the source fails with is passed on") {
    auto manifest = read_manifest([](std::string&) -> sdk::Result<void> {
        return sdk::make_error(sdk::ErrorKind::unavailable, "http.budget_spent", "too late");
    });
    REQUIRE_FALSE(manifest.has_value());
    CHECK(manifest.error().code == "http.budget_spent");
}

TEST_CASE("a manifest at hand is read alike") {
    const std::string text = R"({"group":"g","version":2,"own":1,"contents":{"a":{},"b":[]}})";
    auto streamed = read(text);
    auto at_hand = read_manifest(sdk::Json::parse(text));
    REQUIRE(streamed.has_value());
    REQUIRE(at_hand.has_value());
    CHECK(at_hand->fields == streamed->fields);
    CHECK(at_hand->content_count == 2);
    CHECK_FALSE(read_manifest(sdk::Json::array()).has_value());
}

}  // namespace stele::archives
