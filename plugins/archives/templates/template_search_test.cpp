#include "templates/template_search.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

TEST_CASE("an identifier comes apart at each of its hyphens") {
    CHECK(coordinates_condition("a.b-c-d-1") ==
          sdk::Json({{"group", {{"$in", {"a.b", "a.b-c", "a.b-c-d"}}}},
                     {"artifact", {{"$in", {"c", "c-d", "d"}}}},
                     {"version", {{"$in", {"c-d-1", "d-1", "1"}}}}}));
}

TEST_CASE("a name with too few hyphens, or too many to ask for, is no identifier") {
    CHECK(coordinates_condition("").is_null());
    CHECK(coordinates_condition("blog").is_null());
    CHECK(coordinates_condition("my-blog").is_null());
    CHECK(coordinates_condition("g-" + std::string(64, '-')).is_null());
    const sdk::Json most = coordinates_condition("g-" + std::string(63, '-'));
    CHECK(most["group"]["$in"].size() == 64);
    CHECK(most["artifact"]["$in"].size() == 64 * 63 / 2);
}

TEST_CASE("only a published archive of a project is a template, and of nothing else") {
    const sdk::Json archive{{"published", true}, {"type", "project"}};
    const auto with = [&archive](const char* name, const sdk::Json& value) {
        sdk::Json changed = archive;
        changed[name] = value;
        return is_project_template(changed);
    };
    CHECK(is_project_template(archive));
    CHECK(with("templateType", "project"));
    CHECK(with("templateType", "PROJECT"));
    CHECK(with("templateType", ""));
    CHECK_FALSE(with("templateType", "site"));
    CHECK_FALSE(with("type", "stack"));
    CHECK_FALSE(with("published", false));
}

}  // namespace stele::archives
