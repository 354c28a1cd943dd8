// What several nodes hold stays as long as one of them does (docs/specification/nodes.md 7.6).
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "tests/nodes/content_world.hpp"

namespace stele::tests {

namespace {

struct Held {
    std::string make() {
        const sdk::Json fields{{"_features", {{"f:container", sdk::Json::object()}}}};
        return sdk::text_member(
            must(world.ask(0, {"POST", "/{branchId}/nodes", {world.master()}, {}, fields})),
            "_doc");
    }
    void tie(const std::string& from, const std::string& to, const char* type) {
        must(world.ask(0, {"POST",
                           "/{branchId}/nodes/{nodeId}/associate",
                           {world.master(), from},
                           {{"node", to}, {"type", type}}}));
    }
    void remove(const std::string& node) {
        must(world.ask(0, {"DELETE", "/{branchId}/nodes/{nodeId}", {world.master(), node}}));
    }
    bool has(const std::string& node) {
        const auto read =
            world.ask(0, {"GET", "/{branchId}/nodes/{nodeId}", {world.master(), node}});
        if (!read) CHECK(read.error().kind == sdk::ErrorKind::not_found);
        return read.has_value();
    }

    ContentWorld world;
};

}  // namespace

TEST_CASE_METHOD(Held, "a child that several hold goes with the last of them") {
    const char* const type = "a:child";
    const std::string one = make();
    const std::string other = make();
    const std::string shared = make();
    const std::string below = make();
    const std::string own = make();
    tie(one, shared, type);
    tie(other, shared, type);
    tie(shared, below, type);
    // What is owned has one owner only.
    tie(one, own, GENERATE("a:child", "a:owned"));
    remove(one);
    CHECK_FALSE(has(own));
    CHECK(has(shared));
    CHECK(has(below));
    remove(other);
    CHECK_FALSE(has(shared));
    CHECK_FALSE(has(below));
}

TEST_CASE_METHOD(Held, "who goes along holds nothing any more") {
    const std::string top = make();
    const std::string left = make();
    const std::string right = make();
    const std::string shared = make();
    tie(top, left, "a:child");
    tie(top, right, "a:child");
    tie(left, shared, "a:child");
    tie(right, shared, "a:child");
    remove(top);
    for (const std::string& node : {left, right, shared})
        CHECK_FALSE(has(node));
}

TEST_CASE_METHOD(Held, "links and holders of another kind keep nothing, and take nothing along") {
    const std::string folder = make();
    const std::string friendly = make();
    const std::string child = make();
    const std::string linked = make();
    tie(folder, child, "a:child");
    tie(friendly, child, "a:linked");
    tie(folder, linked, "a:linked");
    remove(folder);
    CHECK_FALSE(has(child));
    CHECK(has(linked));
    CHECK(has(friendly));
}

}  // namespace stele::tests
