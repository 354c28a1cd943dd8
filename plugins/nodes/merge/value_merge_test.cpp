// What a three-way merge of values does, rule by rule.
#include "merge/value_merge.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/json_difference.hpp>

#include "merge/value_path.hpp"

namespace stele::nodes {

namespace {

using sdk::Json;

Json json(const char* text) {
    return sdk::parse_json(text).value();
}

struct Case {
    const char* what;
    const char* base;
    const char* source;
    const char* target;
    const char* merged;
    /// Paths and kinds, in order.
    std::vector<std::string> conflicts = {};
};

ValueMerge merge_case(const Case& c, const ValueMergeOptions& options) {
    const Json base = *c.base == '\0' ? Json() : json(c.base);
    return merge_values(*c.base == '\0' ? nullptr : &base, json(c.source), json(c.target), options);
}

std::vector<std::string> named(const std::vector<ValueConflict>& conflicts) {
    std::vector<std::string> names;
    for (const ValueConflict& conflict : conflicts)
        names.push_back(conflict.path + ' ' + std::string(value_conflict_name(conflict.kind)));
    return names;
}

void check(const std::vector<Case>& cases, const ValueMergeOptions& options = {}) {
    for (const Case& c : cases) {
        INFO(c.what);
        const ValueMerge merge = merge_case(c, options);
        CHECK(merge.merged.dump() == json(c.merged).dump());
        CHECK(named(merge.conflicts) == c.conflicts);
        CHECK(merge.changes_target == !sdk::is_same_json(merge.merged, json(c.target)));
    }
}

bool is_fast(std::chrono::steady_clock::time_point begin) {
    return std::chrono::steady_clock::now() - begin < std::chrono::seconds(20);
}

}  // namespace

TEST_CASE("members that one side changed, added or removed hold beside the other's") {
    check({
        {"changes", R"({"a":1,"b":1})", R"({"a":2,"b":1})", R"({"a":1,"b":2})", R"({"a":2,"b":2})"},
        {"additions", R"({"a":1})", R"({"a":1,"s":1})", R"({"a":1,"t":1})",
         R"({"a":1,"t":1,"s":1})"},
        {"removals", R"({"a":1,"b":1,"c":1})", R"({"b":1,"c":1})", R"({"a":1,"b":1})",
         R"({"b":1})"},
        {"inside objects", R"({"a":{"b":{"c":1,"d":1}}})", R"({"a":{"b":{"c":2,"d":1}}})",
         R"({"a":{"b":{"c":1,"d":2}}})", R"({"a":{"b":{"c":2,"d":2}}})"},
        {"a value of another kind", R"({"a":{"b":1}})", R"({"a":[1]})", R"({"a":{"b":1}})",
         R"({"a":[1]})"},
        {"null is a value", R"({"a":1,"b":1})", R"({"a":null,"b":1})", R"({"a":1})",
         R"({"a":null})"},
        {"an array of values", R"({"a":[1,2]})", R"({"a":[1,2,3]})", R"({"a":[1,2]})",
         R"({"a":[1,2,3]})"},
    });
}

TEST_CASE("what both sides made alike is no conflict") {
    check({
        {"changes", R"({"a":1})", R"({"a":2})", R"({"a":2})", R"({"a":2})"},
        {"equal numbers", R"({"a":0})", R"({"a":1})", R"({"a":1.0})", R"({"a":1.0})"},
        {"a number written in another way", R"({"a":1,"b":[1]})", R"({"a":1.0,"b":[1.0]})",
         R"({"a":2,"b":[2]})", R"({"a":2,"b":[2]})"},
        {"additions", R"({})", R"({"a":[1,{"x":1,"y":1}]})", R"({"a":[1,{"y":1,"x":1}]})",
         R"({"a":[1,{"y":1,"x":1}]})"},
        {"removals", R"({"a":1,"b":1})", R"({"b":1})", R"({"b":1})", R"({"b":1})"},
        {"whole values", "", R"({"a":1})", R"({"a":1})", R"({"a":1})"},
        {"members of an object that both added", R"({})", R"({"a":{"s":1,"x":1}})",
         R"({"a":{"t":1,"x":1}})", R"({"a":{"t":1,"x":1,"s":1}})"},
    });
}

TEST_CASE("two different changes of a value are a conflict, and the target's stands") {
    check({
        {"changes", R"({"a":1})", R"({"a":2})", R"({"a":3})", R"({"a":3})", {"/a bothChanged"}},
        {"additions", R"({})", R"({"a":2})", R"({"a":3})", R"({"a":3})", {"/a bothAdded"}},
        {"without a base",
         "",
         R"({"a":2,"s":1})",
         R"({"a":3})",
         R"({"a":3,"s":1})",
         {"/a bothAdded"}},
        {"removed and changed",
         R"({"a":1})",
         R"({})",
         R"({"a":3})",
         R"({"a":3})",
         {"/a removedOnSource"}},
        {"changed and removed",
         R"({"a":1})",
         R"({"a":2})",
         R"({})",
         R"({})",
         {"/a removedOnTarget"}},
        {"kinds", R"({"a":1})", R"({"a":{}})", R"({"a":[]})", R"({"a":[]})", {"/a bothChanged"}},
        {"an object instead of something else",
         R"({"a":null})",
         R"({"a":{"s":1}})",
         R"({"a":{"t":1}})",
         R"({"a":{"t":1}})",
         {"/a bothChanged"}},
        {"arrays of values",
         R"({"a":[1]})",
         R"({"a":[1,2]})",
         R"({"a":[1,3]})",
         R"({"a":[1,3]})",
         {"/a bothChanged"}},
        {"texts",
         R"({"a":"x\ny\nz"})",
         R"({"a":"X\ny\nz"})",
         R"({"a":"x\ny\nZ"})",
         R"({"a":"x\ny\nZ"})",
         {"/a bothChanged"}},
        {"names that a pointer writes otherwise",
         R"({"a/b":{"~":1}})",
         R"({"a/b":{"~":2}})",
         R"({"a/b":{"~":3}})",
         R"({"a/b":{"~":3}})",
         {"/a~1b/~0 bothChanged"}},
        {"whole values", "1", "2", "3", "3", {" bothChanged"}},
        {"many",
         R"({"a":1,"b":{"c":1},"d":1})",
         R"({"d":2,"a":2,"b":{"c":2}})",
         R"({"a":3,"b":{"c":3}})",
         R"({"a":3,"b":{"c":3}})",
         {"/a bothChanged", "/b/c bothChanged", "/d removedOnTarget"}},
    });
}

TEST_CASE("a conflict has the value of each version, as far as it is there") {
    const auto conflicts =
        merge_case(
            {"", R"({"a":{"b":1},"c":1})", R"({"a":{"b":2}})", R"({"a":{"b":[3]},"c":2})", ""}, {})
            .conflicts;
    REQUIRE(conflicts.size() == 2);
    CHECK(conflicts[0].path == "/a/b");
    CHECK(conflicts[0].base == Json(1));
    CHECK(conflicts[0].source == Json(2));
    CHECK(conflicts[0].target == json("[3]"));
    CHECK(conflicts[1].base == Json(1));
    CHECK_FALSE(conflicts[1].source.has_value());
    CHECK(conflicts[1].target == Json(2));
    const auto added = merge_case({"", R"({})", R"({"a":2})", R"({"a":3})", ""}, {}).conflicts;
    REQUIRE(added.size() == 1);
    CHECK_FALSE(added[0].base.has_value());
}

TEST_CASE("arrays whose elements are told apart are merged by elements") {
    check({
        {"edits", R"([{"_key":"a","x":1},{"_key":"b","x":1}])",
         R"([{"_key":"a","x":2},{"_key":"b","x":1}])", R"([{"_key":"a","x":1},{"_key":"b","x":2}])",
         R"([{"_key":"a","x":2},{"_key":"b","x":2}])"},
        {"edits of one element", R"([{"id":"a","x":1,"y":1}])", R"([{"id":"a","x":2,"y":1}])",
         R"([{"id":"a","x":1,"y":2}])", R"([{"id":"a","x":2,"y":2}])"},
        {"additions and removals", R"([{"id":"a"},{"id":"b"},{"id":"c"}])",
         R"([{"id":"a"},{"id":"s"},{"id":"c"}])", R"([{"id":"b"},{"id":"c"},{"id":"t"}])",
         R"([{"id":"s"},{"id":"c"},{"id":"t"}])"},
        {"a move here and an edit there", R"([{"id":1},{"id":2},{"id":3}])",
         R"([{"id":3},{"id":1},{"id":2}])", R"([{"id":1},{"id":2},{"id":3,"x":1}])",
         R"([{"id":3,"x":1},{"id":1},{"id":2}])"},
        {"additions to nothing", R"({"a":[]})", R"({"a":[{"id":"s"}]})", R"({"a":[{"id":"t"}]})",
         R"({"a":[{"id":"t"},{"id":"s"}]})"},
        {"arrays that both made", R"({})", R"({"a":[{"id":"s"}]})", R"({"a":[{"id":"t"}]})",
         R"({"a":[{"id":"t"},{"id":"s"}]})"},
        {"relators", R"([{"ref":"node://p/r/b/1"}])",
         R"([{"ref":"node://p/r/b/1"},{"ref":"node://p/r/b/2"}])", R"([])",
         R"([{"ref":"node://p/r/b/2"}])"},
        {"by _key before id", R"([{"_key":"a","id":1}])", R"([{"_key":"a","id":2}])",
         R"([{"_key":"a","id":1,"x":1}])", R"([{"_key":"a","id":2,"x":1}])"},
        {"by id where a _key repeats", R"([{"_key":"a","id":"1"},{"_key":"a","id":"2"}])",
         R"([{"_key":"a","id":"2"}])", R"([{"_key":"a","id":"1"},{"_key":"a","id":"2","x":1}])",
         R"([{"_key":"a","id":"2","x":1}])"},
        {"conflicts inside elements",
         R"([{"id":"a/b","x":1}])",
         R"([{"id":"a/b","x":2}])",
         R"([{"id":"a/b","x":3}])",
         R"([{"id":"a/b","x":3}])",
         {"/id=a~1b/x bothChanged"}},
        {"an element that the source removed",
         R"([{"id":7},{"id":8}])",
         R"([{"id":8}])",
         R"([{"id":7,"x":1},{"id":8}])",
         R"([{"id":7,"x":1},{"id":8}])",
         {"/id=7 removedOnSource"}},
        {"an element that the target removed",
         R"([{"id":7},{"id":8}])",
         R"([{"id":7,"x":1},{"id":8}])",
         R"([{"id":8}])",
         R"([{"id":8}])",
         {"/id=7 removedOnTarget"}},
        {"an element that both added",
         R"([])",
         R"([{"id":"a","x":1,"y":1}])",
         R"([{"id":"a","x":2,"y":1}])",
         R"([{"id":"a","x":2,"y":1}])",
         {"/id=a/x bothAdded"}},
    });
}

TEST_CASE("arrays whose elements are not told apart are one value") {
    for (const char* const elements :
         {R"([{"id":"a"},{"id":"a"}])", R"([{"id":"a"},{"x":1}])", R"([{"id":"a"},1])",
          R"([{"id":""}])", R"([{"id":1.5}])", R"([{"id":1},{"id":"1"}])", R"([{"id":null}])"}) {
        INFO(elements);
        const Json special = json(elements);
        const Json one = json(R"([{"id":"a"}])");
        const Json other = json(R"([{"id":"b"}])");
        for (const auto& [base, source, target] :
             {std::tuple(special, one, other), std::tuple(one, special, other),
              std::tuple(one, other, special)}) {
            const ValueMerge merge = merge_values(&base, source, target);
            CHECK(merge.merged == target);
            CHECK(named(merge.conflicts) == std::vector<std::string>{" bothChanged"});
        }
    }
}

TEST_CASE("a relator is one value where it names something else") {
    check({
        {"instead of what the base names",
         R"({"a":{"id":"1","ref":"node://p/r/b/1","title":"one"}})",
         R"({"a":{"id":"2","ref":"node://p/r/b/2","title":"two"}})",
         R"({"a":{"id":"1","ref":"node://p/r/b/1","title":"first"}})",
         R"({"a":{"id":"1","ref":"node://p/r/b/1","title":"first"}})",
         {"/a bothChanged"}},
        {"on one side", R"({"a":{"ref":"node://p/r/b/1"}})", R"({"a":{"ref":"node://p/r/b/2"}})",
         R"({"a":{"ref":"node://p/r/b/1"}})", R"({"a":{"ref":"node://p/r/b/2"}})"},
        {"the same", R"({"a":{"ref":"node://p/r/b/1","s":1,"t":1}})",
         R"({"a":{"ref":"node://p/r/b/1","s":2,"t":1}})",
         R"({"a":{"ref":"node://p/r/b/1","s":1,"t":2}})",
         R"({"a":{"ref":"node://p/r/b/1","s":2,"t":2}})"},
        {"an element told apart by its key",
         R"([{"_key":"k","ref":"node://p/r/b/1"}])",
         R"([{"_key":"k","ref":"node://p/r/b/2"}])",
         R"([{"_key":"k","ref":"node://p/r/b/1","x":1}])",
         R"([{"_key":"k","ref":"node://p/r/b/1","x":1}])",
         {"/_key=k bothChanged"}},
        {"but a text of that name means nothing", R"({"a":{"ref":"one","x":1}})",
         R"({"a":{"ref":"two","x":1}})", R"({"a":{"ref":"one","x":2}})",
         R"({"a":{"ref":"two","x":2}})"},
        {"nor does a whole value's", R"({"ref":"node://p/r/b/1","x":1})",
         R"({"ref":"node://p/r/b/2","x":1})", R"({"ref":"node://p/r/b/1","x":2})",
         R"({"ref":"node://p/r/b/2","x":2})"},
    });
}

TEST_CASE("texts are merged by lines where they are said to be texts of lines") {
    std::vector<std::string> asked;
    ValueMergeOptions options;
    options.is_text_of_lines = [&](std::string_view path) {
        asked.emplace_back(path);
        return path != "/line";
    };
    check(
        {
            {"different lines", R"({"a":{"b":"x\ny\nz"}})", R"({"a":{"b":"X\ny\nz"}})",
             R"({"a":{"b":"x\ny\nZ"}})", R"({"a":{"b":"X\ny\nZ"}})"},
            {"of elements", R"({"a":[{"id":"1","b":"x\ny\nz"}]})",
             R"({"a":[{"id":"1","b":"X\ny\nz"}]})", R"({"a":[{"id":"1","b":"x\ny\nZ"}]})",
             R"({"a":[{"id":"1","b":"X\ny\nZ"}]})"},
            {"the same lines",
             R"({"a":"x\ny"})",
             R"({"a":"X\ny"})",
             R"({"a":"0\ny"})",
             R"({"a":"0\ny"})",
             {"/a textOverlaps"}},
            {"another value",
             R"({"line":"x\ny\nz"})",
             R"({"line":"X\ny\nz"})",
             R"({"line":"x\ny\nZ"})",
             R"({"line":"x\ny\nZ"})",
             {"/line bothChanged"}},
            {"no text",
             R"({"a":"x"})",
             R"({"a":1})",
             R"({"a":"z"})",
             R"({"a":"z"})",
             {"/a bothChanged"}},
            {"no base", R"({})", R"({"a":"x"})", R"({"a":"z"})", R"({"a":"z"})", {"/a bothAdded"}},
        },
        options);
    CHECK(asked == std::vector<std::string>{"/a/b", "/a/b", "/a", "/line"});
}

TEST_CASE("a chooser decides conflicts at once, or leaves them") {
    const Case c{"", R"({"a":1,"b":1,"c":1,"d":1,"e":[{"id":1},{"id":2},{"id":3}]})",
                 R"({"a":2,"b":2,"d":2,"e":[{"id":1},{"id":2,"x":1},{"id":3}]})",
                 R"({"a":3,"b":3,"c":3,"d":3,"e":[{"id":1},{"id":3}]})", ""};
    ValueMergeOptions options;
    options.choose = [](const ValueConflict& conflict) -> std::optional<ValueChoice> {
        if (conflict.path == "/b") return Side::target;
        if (conflict.path == "/a") return std::nullopt;
        if (conflict.path == "/d") return ValueChoice(json(R"({"given":true})"));
        return Side::source;
    };
    const ValueMerge merge = merge_case(c, options);
    CHECK(merge.merged.dump() ==
          R"({"a":3,"b":3,"d":{"given":true},"e":[{"id":1},{"id":2,"x":1},{"id":3}]})");
    CHECK(named(merge.conflicts) == std::vector<std::string>{"/a bothChanged"});
    options.choose = [](const ValueConflict&) -> std::optional<Side> { return Side::target; };
    const ValueMerge targets = merge_case(c, options);
    CHECK(targets.merged == json(c.target));
    CHECK(targets.conflicts.empty());
    CHECK_FALSE(targets.changes_target);
}

TEST_CASE("the path of a conflict finds the value in every version") {
    const Json value = json(R"({"a/b":[{"id":"x","~":[{"_key":"1=2","v":1},{"ref":"n","v":2}]},
                                       {"id":5,"v":3}, 7]})");
    CHECK(find_value(value, "") == &value);
    CHECK(find_value(value, "/a~1b") == &value["a/b"]);
    CHECK(find_value(value, "/a~1b/id=x/~0/_key=1=2/v") == &value["a/b"][0]["~"][0]["v"]);
    CHECK(find_value(value, "/a~1b/id=x/~0/ref=n/v") == &value["a/b"][0]["~"][1]["v"]);
    CHECK(find_value(value, "/a~1b/id=5/v") == &value["a/b"][1]["v"]);
    for (const char* const path : {"/b", "/a~1b/0", "/a~1b/id=y", "/a~1b/id=5/v/w", "/a~1b/id="}) {
        INFO(path);
        CHECK(find_value(value, path) == nullptr);
    }
}

TEST_CASE("more conflicts than there may be are one of the whole value") {
    const Case c{"", R"({"a":1,"b":1,"c":1})", R"({"a":2,"b":2,"c":2})", R"({"a":3,"b":3,"c":3})",
                 ""};
    ValueMergeOptions options;
    options.bounds.conflicts = 3;
    options.bounds.path_bytes = 6;
    CHECK(merge_case(c, options).conflicts.size() == 3);
    for (auto* const bound : {&options.bounds.conflicts, &options.bounds.path_bytes}) {
        --*bound;
        const ValueMerge merge = merge_case(c, options);
        CHECK(merge.merged == json(c.target));
        REQUIRE(named(merge.conflicts) == std::vector<std::string>{" tooMany"});
        CHECK(merge.conflicts[0].source == json(c.source));
        ++*bound;
    }
    options.bounds.conflicts = 0;
    options.choose = [](const ValueConflict& conflict) -> std::optional<Side> {
        return conflict.path.empty() ? std::optional(Side::source) : std::nullopt;
    };
    const ValueMerge chosen = merge_case(c, options);
    CHECK(chosen.merged == json(c.source));
    CHECK(chosen.conflicts.empty());
}

TEST_CASE("values beyond the depth and arrays beyond the elements that count are one value") {
    ValueMergeOptions options;
    options.bounds.depth = 1;
    const Case deep{"", R"({"a":{"b":1,"c":1}})", R"({"a":{"b":2,"c":1}})",
                    R"({"a":{"b":1,"c":2}})", ""};
    CHECK(named(merge_case(deep, options).conflicts) == std::vector<std::string>{"/a bothChanged"});
    options.bounds.depth = 2;
    CHECK(merge_case(deep, options).conflicts.empty());
    options.bounds.elements = 1;
    const Case wide{"", R"([{"id":1}])", R"([{"id":1,"s":1}])", R"([{"id":1},{"id":2}])", ""};
    CHECK(named(merge_case(wide, options).conflicts) == std::vector<std::string>{" bothChanged"});
    options.bounds.elements = 2;
    CHECK(merge_case(wide, options).conflicts.empty());
}

TEST_CASE("values that are made to be slow are merged in a moment") {
    const auto begin = std::chrono::steady_clock::now();
    SECTION("wide objects") {
        Json base = Json::object();
        auto& members = base.get_ref<Json::object_t&>();
        for (int i = 0; i < 100'000; ++i)
            members.emplace_back("member" + std::to_string(i), i);
        Json source = base;
        *source.begin() = "changed";
        Json target = base;
        target.get_ref<Json::object_t&>().emplace_back("added", 1);
        const ValueMerge merge = merge_values(&base, source, target);
        CHECK(merge.conflicts.empty());
        CHECK(merge.merged.size() == 100'001);
    }
    SECTION("many elements in another order") {
        Json base = Json::array();
        for (int i = 0; i < 100'000; ++i)
            base.push_back({{"id", i}});
        Json source = base;
        std::reverse(source.begin(), source.end());
        Json target = base;
        target.insert(target.begin() + 50'000, Json{{"id", -1}});
        const ValueMerge merge = merge_values(&base, source, target);
        CHECK(merge.conflicts.empty());
        CHECK(merge.merged.size() == 100'001);
    }
    SECTION("a long name over many conflicts") {
        const std::string name(1u << 20, 'n');
        Json versions[3];
        for (int version = 0; version < 3; ++version) {
            Json& inner = versions[version][name];
            for (int i = 0; i < 5000; ++i)
                inner[std::to_string(i)] = version;
        }
        const ValueMerge merge = merge_values(&versions[0], versions[1], versions[2]);
        CHECK(named(merge.conflicts) == std::vector<std::string>{" tooMany"});
    }
    SECTION("one inside the other a thousand times") {
        Json versions[3] = {1, 2, 3};
        for (int i = 0; i < 1000; ++i) {
            for (Json& value : versions)
                value = i % 2 == 0 ? Json{{"a", std::move(value)}, {"id", 1}}
                                   : Json::array({std::move(value)});
        }
        const ValueMerge merge = merge_values(&versions[0], versions[1], versions[2]);
        REQUIRE(merge.conflicts.size() == 1);
        CHECK(merge.conflicts[0].source == *find_value(versions[1], merge.conflicts[0].path));
        CHECK(merge.merged == versions[2]);
    }
    CHECK(is_fast(begin));
}

}  // namespace stele::nodes
