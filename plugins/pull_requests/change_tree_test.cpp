#include "change_tree.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::pull_requests {

namespace {

sdk::Json row(const char* id, const char* path = nullptr) {
    sdk::Json row = {{"nodeId", id}, {"operation", "update"}};
    if (path != nullptr) row["path"] = path;
    return row;
}

sdk::Json folder(const char* name, const char* path, sdk::Json children) {
    return {{"name", name}, {"path", path}, {"children", std::move(children)}};
}

sdk::Json changed(const char* id, const char* name, const char* path,
                  sdk::Json children = sdk::Json::array()) {
    sdk::Json node = folder(name, path, std::move(children));
    node["nodeId"] = id;
    node["operation"] = "update";
    return node;
}

}  // namespace

TEST_CASE("changed nodes lie below the folders of their paths") {
    sdk::Json tree =
        folder("", "/",
               {changed("box", "Box", "/Box",
                        {changed("a", "A", "/Box/A"),
                         folder("Inner", "/Box/Inner", {changed("b", "B", "/Box/Inner/B")})}),
                changed("top", "Top", "/Top")});
    tree["unplaced"] = {row("lone")};
    CHECK(change_tree({row("a", "/Box/A"), row("b", "/Box/Inner/B"), row("box", "/Box"),
                       row("top", "/Top"), row("lone")}) == tree);
}

TEST_CASE("a node that goes and one that comes in its place are both in the tree") {
    const sdk::Json tree = change_tree({row("gone", "/Box/A"), row("new", "/Box/A")});
    CHECK(tree.at("children").at(0).at("children") ==
          sdk::Json{changed("gone", "A", "/Box/A"), changed("new", "A", "/Box/A")});
}

TEST_CASE("without changes there is the root alone") {
    sdk::Json tree = folder("", "/", sdk::Json::array());
    tree["unplaced"] = sdk::Json::array();
    CHECK(change_tree({}) == tree);
}

TEST_CASE("rows are sorted by path, what lies nowhere comes last") {
    std::vector<sdk::Json> rows{row("lone"), row("b", "/b"), row("also"), row("a", "/a")};
    sort_by_path(rows);
    CHECK(rows == std::vector<sdk::Json>{row("a", "/a"), row("b", "/b"), row("lone"), row("also")});
}

}  // namespace stele::pull_requests
