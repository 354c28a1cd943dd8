#include "kernel/http/pipeline/router.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::http {

namespace {

using Kind = RouteMatch::Kind;

struct Routes {
    Router router;

    void add(Method method, std::string_view path, RouteTarget target) {
        REQUIRE(router.add(method, path, target));
    }
    RouteMatch find(Method method, std::string_view path) const {
        RouteMatch match;
        router.find(method, path, match);
        return match;
    }
};

}  // namespace

TEST_CASE("a path finds its route and its placeholders' values in order") {
    Routes routes;
    routes.add(Method::get, "/domains/{domainId}/principals/{principalId}", 7);
    const RouteMatch match = routes.find(Method::get, "/domains/default/principals/ab12");
    CHECK(match.kind == Kind::found);
    CHECK(match.target == 7);
    CHECK(match.values == std::vector<std::string>{"default", "ab12"});
}

TEST_CASE("the empty path and a slash are the root") {
    Routes routes;
    routes.add(Method::get, "/", 1);
    CHECK(routes.find(Method::get, "/").kind == Kind::found);
    CHECK(routes.find(Method::get, "").kind == Kind::found);
}

TEST_CASE("a trailing slash makes no difference, an empty segment does") {
    Routes routes;
    routes.add(Method::get, "/stacks", 1);
    routes.add(Method::get, "/stacks/{id}", 2);
    CHECK(routes.find(Method::get, "/stacks/").target == 1);
    CHECK(routes.find(Method::get, "/stacks/x/").target == 2);
    for (const auto* path : {"//", "/stacks//", "//stacks", "/stacks//x", "stacks"}) {
        INFO(path);
        CHECK(routes.find(Method::get, path).kind == Kind::path_unknown);
    }
}

TEST_CASE("a literal segment wins over a placeholder") {
    Routes routes;
    routes.add(Method::post, "/stacks/{id}", 1);
    routes.add(Method::post, "/stacks/query", 2);
    CHECK(routes.find(Method::post, "/stacks/query").target == 2);
    CHECK(routes.find(Method::post, "/stacks/querz").target == 1);
}

TEST_CASE("a literal that leads nowhere leaves the path to the placeholder") {
    Routes routes;
    routes.add(Method::get, "/stacks/{id}", 1);
    routes.add(Method::get, "/stacks/{id}/logs", 2);
    routes.add(Method::post, "/stacks/query", 3);
    CHECK(routes.find(Method::get, "/stacks/query").target == 1);
    const RouteMatch match = routes.find(Method::get, "/stacks/query/logs");
    CHECK(match.target == 2);
    CHECK(match.values == std::vector<std::string>{"query"});
}

TEST_CASE("a known path with another method names the methods it has") {
    Routes routes;
    routes.add(Method::get, "/stacks/{id}", 1);
    routes.add(Method::put, "/stacks/{id}", 2);
    routes.add(Method::remove, "/stacks/{id}", 3);
    routes.add(Method::post, "/stacks/query", 4);
    RouteMatch match = routes.find(Method::post, "/stacks/x");
    CHECK(match.kind == Kind::method_unknown);
    CHECK(match.allowed == "GET, HEAD, PUT, DELETE");
    match = routes.find(Method::patch, "/stacks/query");
    CHECK(match.allowed == "GET, HEAD, POST, PUT, DELETE");
    CHECK(routes.find(Method::other, "/stacks/x").kind == Kind::method_unknown);
    CHECK(routes.find(Method::get, "/nothing").kind == Kind::path_unknown);
}

TEST_CASE("HEAD finds what GET finds") {
    Routes routes;
    routes.add(Method::get, "/stacks", 5);
    CHECK(routes.find(Method::head, "/stacks").target == 5);
    CHECK(routes.find(Method::head, "/stacks").kind == Kind::found);
}

TEST_CASE("segments are decoded after the path was split") {
    Routes routes;
    routes.add(Method::get, "/references/{reference}", 1);
    routes.add(Method::get, "/stacks", 2);
    const RouteMatch match = routes.find(Method::get, "/references/default%2Feveryone");
    CHECK(match.kind == Kind::found);
    CHECK(match.values == std::vector<std::string>{"default/everyone"});
    CHECK(routes.find(Method::get, "/st%61cks").target == 2);
    CHECK(routes.find(Method::get, "/references/a+b").values.front() == "a+b");
    CHECK(routes.find(Method::get, "/references/%C3%A9").values.front() == "\xC3\xA9");
    CHECK(routes.find(Method::get, "/references/\xC3\xA9").values.front() == "\xC3\xA9");
}

TEST_CASE("a path that cannot be decoded is malformed, whether a route would match or not") {
    Routes routes;
    routes.add(Method::get, "/references/{reference}", 1);
    for (const auto* path :
         {"/references/%", "/references/%4", "/references/%zz", "/x/%00", "/references/%00",
          "/references/%ff", "/references/\xff", "/references/%C3", "/references/%C3/%A9", "//%"}) {
        INFO(path);
        CHECK(routes.find(Method::get, path).kind == Kind::path_malformed);
    }
}

TEST_CASE("a match is reused from request to request") {
    Routes routes;
    routes.add(Method::get, "/a/{x}/b/{y}", 1);
    routes.add(Method::get, "/a", 2);
    RouteMatch match;
    routes.router.find(Method::get, "/a/1/b/2", match);
    routes.router.find(Method::post, "/a", match);
    CHECK(match.kind == Kind::method_unknown);
    routes.router.find(Method::get, "/a", match);
    CHECK(match.kind == Kind::found);
    CHECK(match.values.empty());
    CHECK(match.allowed.empty());
}

TEST_CASE("a path longer than any route is unknown") {
    Routes routes;
    routes.add(Method::get, "/{a}", 1);
    std::string path;
    for (int i = 0; i < 10'000; ++i)
        path += "/x";
    CHECK(routes.find(Method::get, path).kind == Kind::path_unknown);
}

TEST_CASE("a route is taken once, whatever its placeholders are called") {
    Router router;
    REQUIRE(router.add(Method::get, "/stacks/{stackId}", 1));
    CHECK(router.add(Method::put, "/stacks/{stackId}", 2));
    const auto twice = router.add(Method::get, "/stacks/{id}", 3);
    REQUIRE_FALSE(twice);
    CHECK(twice.error().kind == sdk::ErrorKind::conflict);
    CHECK(twice.error().code == "plugin.route_duplicate");
}

TEST_CASE("a route with a trailing slash is the route without it") {
    Routes routes;
    routes.add(Method::get, "/registrars/", 1);
    CHECK(routes.find(Method::get, "/registrars").target == 1);
    CHECK(routes.find(Method::get, "/registrars/").kind == Kind::found);
    CHECK_FALSE(routes.router.add(Method::get, "/registrars", 2));
}

TEST_CASE("a malformed route is refused") {
    Router router;
    for (const auto* path :
         {"", "stacks", "//", "/a//b", "/{}", "/{a", "/a}", "/{a}{b}", "/x{a}", "/a%20b", "/a?b"}) {
        INFO(path);
        const auto added = router.add(Method::get, path, 1);
        REQUIRE_FALSE(added);
        CHECK(added.error().kind == sdk::ErrorKind::invalid);
        CHECK(added.error().code == "plugin.route_malformed");
    }
    CHECK_FALSE(router.add(Method::other, "/stacks", 1));
}

TEST_CASE("percent-decoding accepts UTF-8 text and nothing else") {
    struct Case {
        std::string_view text;
        bool is_good;
        std::string_view decoded;
    };
    const std::vector<Case> cases{
        {"", true, ""},
        {"a+b", true, "a+b"},
        {"%41%6a%6A", true, "Ajj"},
        {"%F0%9F%98%80", true, "\xF0\x9F\x98\x80"},
        {"%EF%BF%BF", true, "\xEF\xBF\xBF"},
        {"%F4%8F%BF%BF", true, "\xF4\x8F\xBF\xBF"},
        {"%", false, ""},
        {"a%4", false, ""},
        {"%g0", false, ""},
        {"%0g", false, ""},
        {"%00", false, ""},
        {"%80", false, ""},
        {"%C0%80", false, ""},        // overlong
        {"%C1%BF", false, ""},        // overlong
        {"%E0%9F%BF", false, ""},     // overlong
        {"%F0%8F%BF%BF", false, ""},  // overlong
        {"%ED%A0%80", false, ""},     // surrogate
        {"%F4%90%80%80", false, ""},  // beyond Unicode
        {"%E2%82", false, ""},        // cut short
        {"%E2a", false, ""},
    };
    for (const Case& each : cases) {
        INFO(each.text);
        std::string decoded = "left over";
        CHECK(percent_decode(each.text, decoded) == each.is_good);
        if (each.is_good) CHECK(decoded == each.decoded);
    }
    std::string decoded;
    REQUIRE(percent_decode("a+b%2B", decoded, true));
    CHECK(decoded == "a b+");
}

}  // namespace stele::kernel::http
