#include "archive_template.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

sdk::Json settled(sdk::Json fields, const sdk::Json& before = nullptr) {
    settle_template(before.is_null() ? nullptr : &before, fields);
    return fields;
}

const sdk::Json kBoth = {{"template", {{"templateType", "project"}, {"templateKey", "blog"}}},
                         {"templateType", "project"},
                         {"templateKey", "blog"}};

}  // namespace

TEST_CASE("either form of the members of a template makes the other") {
    CHECK(settled({{"template", {{"templateType", "project"}, {"templateKey", "blog"}}}}) == kBoth);
    const sdk::Json made = settled({{"templateType", "project"}, {"templateKey", "blog"}});
    CHECK(made["template"] == kBoth["template"]);
    CHECK(made["templateKey"] == "blog");
    CHECK(settled(sdk::Json::object()).empty());
}

TEST_CASE("a template that is no object stays beside its members") {
    CHECK(settled({{"template", true}, {"templateKey", "blog"}}) ==
          sdk::Json({{"template", true}, {"templateKey", "blog"}}));
}

TEST_CASE("of two forms the one counts that was changed") {
    sdk::Json sent = kBoth;
    sent["templateKey"] = "wiki";
    CHECK(settled(sent, kBoth)["template"]["templateKey"] == "wiki");
    sent = kBoth;
    sent["template"]["templateKey"] = "wiki";
    CHECK(settled(sent, kBoth)["templateKey"] == "wiki");
    sent["templateKey"] = "forum";
    CHECK(settled(sent, kBoth)["templateKey"] == "wiki");
    CHECK(settled(sent)["templateKey"] == "wiki");
}

}  // namespace stele::archives
