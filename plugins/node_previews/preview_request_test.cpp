#include <map>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "preview_request.hpp"

using namespace stele;
using namespace stele::node_previews;

namespace {

/// A call that has parameters and nothing else.
class ParameterCall final : public sdk::Call {
public:
    explicit ParameterCall(std::map<std::string, std::string, std::less<>> parameters)
        : parameters_(std::move(parameters)) {}

    std::optional<std::string> parameter(std::string_view name) const override {
        const auto found = parameters_.find(name);
        if (found == parameters_.end()) return std::nullopt;
        return found->second;
    }
    sdk::Context& context() const override { not_here(); }
    std::string_view path(std::string_view) const override { not_here(); }
    std::vector<std::string> parameter_names() const override { not_here(); }
    const sdk::Json& body() const override { not_here(); }
    std::string_view raw_body() const override { not_here(); }
    sdk::Upload& upload() const override { not_here(); }
    std::optional<std::string_view> header(std::string_view) const override { not_here(); }
    std::string_view method() const override { not_here(); }
    const sdk::PageRequest& page() const override { not_here(); }
    const sdk::Document& record() const override { not_here(); }
    sdk::RecordText record_text() const override { not_here(); }
    const sdk::CollectionName& collection() const override { not_here(); }
    std::string_view request_id() const override { not_here(); }

private:
    [[noreturn]] static void not_here() { throw std::logic_error("the fake does not have this"); }

    std::map<std::string, std::string, std::less<>> parameters_;
};

sdk::Result<PreviewRequest> read(std::map<std::string, std::string, std::less<>> parameters) {
    return PreviewRequest::read(ParameterCall(std::move(parameters)));
}

std::string refused_parameter(std::map<std::string, std::string, std::less<>> parameters) {
    auto request = read(std::move(parameters));
    if (request || request.error().violations.empty()) return "";
    return request.error().violations.front().path;
}

}  // namespace

TEST_CASE("without parameters a preview is a JPEG of the default attachment") {
    auto request = read({});
    REQUIRE(request.has_value());
    CHECK(request->attachment == "default");
    CHECK(request->content_type == "image/jpeg");
    CHECK(request->width == 256);
    CHECK(request->height == 256);
    CHECK_FALSE(request->is_forced);
    CHECK(request->fallback.empty());
}

TEST_CASE("a size is that of the longest side, a single side leaves the other one free") {
    auto sized = read({{"size", "64"}});
    REQUIRE(sized.has_value());
    CHECK(sized->width == 64);
    CHECK(sized->height == 64);
    auto wide = read({{"width", "100"}, {"height", "-1"}});
    REQUIRE(wide.has_value());
    CHECK(wide->width == 100);
    CHECK(wide->height == 4096);
    auto both = read({{"size", "64"}, {"height", "10"}});
    REQUIRE(both.has_value());
    CHECK(both->width == 64);
    CHECK(both->height == 10);
}

TEST_CASE("a size is a number of pixels in bounds") {
    for (const char* name : {"size", "width", "height"}) {
        for (const char* wrong : {"0", "-2", "4097", "64px", "", "1e3", "99999999999999999999"}) {
            INFO(name << '=' << wrong);
            CHECK(refused_parameter({{name, wrong}}) == name);
        }
        CHECK(read({{name, "4096"}}).has_value());
    }
}

TEST_CASE("previews have one of three types") {
    CHECK(read({{"mimetype", "IMAGE/PNG"}})->content_type == "image/png");
    CHECK(read({{"mimetype", "image/webp"}})->content_type == "image/webp");
    for (const char* other : {"image/svg+xml", "text/html", "application/pdf", "png", ""}) {
        INFO(other);
        auto request = read({{"mimetype", other}});
        REQUIRE_FALSE(request.has_value());
        CHECK(request.error().kind == sdk::ErrorKind::unsupported);
        CHECK(request.error().code == "node_previews.type_unsupported");
    }
}

TEST_CASE("a fallback is a path of this server") {
    CHECK(read({{"fallback", "/icons/none.png?a=1&b=%20"}})->fallback ==
          "/icons/none.png?a=1&b=%20");
    for (const char* elsewhere :
         {"//evil.example/x", "https://evil.example/", "javascript:alert(1)", "icons/none.png",
          "/\\evil.example", "/a\r\nSet-Cookie: b=c", "/a b", "/\xc3\xa9"}) {
        INFO(elsewhere);
        CHECK(refused_parameter({{"fallback", elsewhere}}) == "fallback");
    }
}

TEST_CASE("what changes a preview is in its key, and nothing else") {
    const std::string key = read({})->key("abc");
    CHECK(read({{"size", "256"}})->key("abc") == key);
    CHECK(read({{"force", "true"}, {"fallback", "/x"}, {"attachment", "other"}})->key("abc") ==
          key);
    CHECK(read({})->key("abd") != key);
    CHECK(read({{"width", "64"}})->key("abc") != key);
    CHECK(read({{"height", "64"}})->key("abc") != read({{"width", "64"}})->key("abc"));
    CHECK(read({{"mimetype", "image/png"}})->key("abc") != key);
}

TEST_CASE("pictures are known by their first bytes") {
    using namespace std::string_view_literals;
    for (const std::string_view head :
         {"\xff\xd8\xff\xe0"sv, "\x89PNG\r\n\x1a\n\0\0"sv, "GIF89a"sv, "RIFF\1\2\3\4WEBPVP8 "sv,
          "II*\0\1"sv, "MM\0*"sv, "%PDF-1.7"sv}) {
        CHECK(is_picture(head));
    }
    for (const std::string_view head :
         {""sv, "<svg xmlns="sv, "<?xml ver"sv, "RIFF\1\2\3\4WAVE"sv, "RIFF"sv, "\x89PN"sv,
          "%!PS-Adobe"sv, "push graphic-cont"sv, "id=ImageMagick"sv}) {
        CHECK_FALSE(is_picture(head));
    }
}
