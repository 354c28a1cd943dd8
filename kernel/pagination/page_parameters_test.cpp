#include "kernel/pagination/page_parameters.hpp"

#include <catch2/catch.hpp>
#include <map>

namespace stele::kernel::pagination {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

sdk::Result<sdk::PageRequest> read(const Given& given) {
    return read_page_parameters(
        [&given](std::string_view name) -> std::optional<std::string> {
            const auto at = given.find(name);
            if (at == given.end()) return std::nullopt;
            return at->second;
        },
        PageLimits{});
}

sdk::PageRequest page(const Given& given) {
    auto result = read(given);
    if (result.has_error()) FAIL(result.error().message);
    return *result;
}

/// Paths and codes of the problems.
std::map<std::string, std::string> problems(const Given& given) {
    const auto result = read(given);
    REQUIRE(result.has_error());
    CHECK(result.error().kind == sdk::ErrorKind::invalid);
    std::map<std::string, std::string> found;
    for (const auto& violation : result.error().violations)
        found[violation.path] = violation.code;
    return found;
}

using Found = std::map<std::string, std::string>;

TEST_CASE("without parameters a page begins at 0 and has the default limit") {
    const sdk::PageRequest request = page({});
    CHECK(request.skip == 0);
    CHECK(request.limit == 1000);
    CHECK(request.sort.empty());
    CHECK(request.options.locale.empty());
    CHECK_FALSE(request.explain);
}

TEST_CASE("skip and limit are numbers, with or without quotes") {
    CHECK(page({{"skip", "10"}, {"limit", "5"}}).skip == 10);
    CHECK(page({{"skip", "10"}, {"limit", "5"}}).limit == 5);
    CHECK(page({{"skip", "\"1\""}, {"limit", "\"-1\""}}).skip == 1);
    CHECK(page({{"skip", "\"1\""}, {"limit", "\"-1\""}}).limit == -1);
    CHECK(page({{"limit", "0"}}).limit == 0);
    CHECK(page({{"skip", "9223372036854775807"}}).skip == 9223372036854775807U);
}

TEST_CASE("a sort may come in brackets, field by field") {
    const Given given{{"sort[b]", "1"}, {"sort[a]", "\"-1\""}, {"sort", "[object Object]"}};
    const auto read_with = [&given](const std::vector<std::string>& names, bool has_sort) {
        return read_page_parameters(
            [&](std::string_view name) -> std::optional<std::string> {
                const auto at = given.find(name);
                const bool is_given = at != given.end() && (has_sort || name != "sort");
                return is_given ? std::optional(at->second) : std::nullopt;
            },
            PageLimits{}, names);
    };
    const auto sorted = read_with({"sort[b]", "other[x]", "sort[a]"}, false);
    REQUIRE_FALSE(sorted.has_error());
    REQUIRE(sorted->sort.size() == 2);
    CHECK(sorted->sort[0].field == "b");
    CHECK(sorted->sort[0].ascending);
    CHECK(sorted->sort[1].field == "a");
    CHECK_FALSE(sorted->sort[1].ascending);
    const auto as_text = read_with({"sort"}, true);
    REQUIRE_FALSE(as_text.has_error());
    CHECK(as_text->sort.empty());
    CHECK(read_with({"sort[]"}, false).has_error());
}

TEST_CASE("wrong numbers are named") {
    for (const char* const skip : {"-1", "x", "", "1.5", "1x", " 1", "9223372036854775808",
                                   "99999999999999999999999", "\"", "0x1"}) {
        INFO(skip);
        CHECK(problems({{"skip", skip}}) == Found{{"skip", "page.skip_invalid"}});
    }
    for (const char* const limit : {"-2", "many", "", "-9223372036854775809"}) {
        INFO(limit);
        CHECK(problems({{"limit", limit}}) == Found{{"limit", "page.limit_invalid"}});
    }
}

TEST_CASE("a sort names fields with 1 or -1 and keeps their order") {
    const auto sort = page({{"sort", R"({"b":1,"a.c":-1,"c":"1","d":"-1","e":1.0})"}}).sort;
    REQUIRE(sort.size() == 5);
    CHECK(sort[0].field == "b");
    CHECK(sort[0].ascending);
    CHECK(sort[1].field == "a.c");
    CHECK_FALSE(sort[1].ascending);
    CHECK(sort[2].ascending);
    CHECK_FALSE(sort[3].ascending);
    CHECK(sort[4].ascending);
}

TEST_CASE("the old name of sort and doubly encoded objects are understood") {
    CHECK(page({{"sorting", R"({"a":1})"}}).sort.size() == 1);
    CHECK(page({{"sort", R"({"a":1,"b":1})"}, {"sorting", R"({"c":1})"}}).sort.size() == 2);
    CHECK(page({{"sort", R"("{\"a\":1}")"}}).sort.size() == 1);
    CHECK(page({{"sort", "{}"}}).sort.empty());
    CHECK(page({{"sort", ""}, {"options", "null"}}).sort.empty());
}

TEST_CASE("wrong sorts are named") {
    CHECK(problems({{"sort", R"({"a":2,"b":1,"c":"up","d":true})"}}) ==
          Found{{"sort.a", "page.sort_invalid"},
                {"sort.c", "page.sort_invalid"},
                {"sort.d", "page.sort_invalid"}});
    CHECK(problems({{"sorting", R"({"a":0})"}}) == Found{{"sorting.a", "page.sort_invalid"}});
    for (const char* const sort :
         {"[1]", "title", "{\"a\":", "{\"a\":1,\"a\":-1}", "5", "\"\\\"\\\"\""}) {
        INFO(sort);
        CHECK(problems({{"sort", sort}}) == Found{{"sort", "page.sort_invalid"}});
    }
    CHECK(problems({{"sort", R"({"":1})"}}).count("sort.") == 1);
    CHECK(problems({{"sort", R"({"a..b":1})"}}).count("sort.a..b") == 1);

    std::string many = "{";
    for (int i = 0; i < 16; ++i)
        many += "\"f" + std::to_string(i) + "\":1,";
    CHECK(page({{"sort", many.substr(0, many.size() - 1) + "}"}}).sort.size() == 16);
    CHECK(problems({{"sort", many + "\"g\":1}"}}) == Found{{"sort", "page.sort_invalid"}});
}

TEST_CASE("options give a locale and how it sorts") {
    const auto options =
        page(
            {{"options",
              R"({"locale":"de@collation=phonebook","numericOrdering":true,"caseFirst":"upper"})"}})
            .options;
    CHECK(options.locale == "de@collation=phonebook");
    CHECK(options.numeric_ordering);
    CHECK(options.case_first == sdk::CaseFirst::upper);
    const auto others = page({{"options", R"({"locales":"fr_CA","caseFirst":"lower"})"}}).options;
    CHECK(others.locale == "fr_CA");
    CHECK_FALSE(others.numeric_ordering);
    CHECK(others.case_first == sdk::CaseFirst::lower);
}

TEST_CASE("options without a locale are accepted unless they need one") {
    CHECK(page({{"options", R"({"countTotal":true})"}}).options.locale.empty());
    CHECK(page({{"options", "{}"}}).options.locale.empty());
    const Found missing{{"options.locale", "page.locale_missing"}};
    CHECK(problems({{"options", R"({"numericOrdering":true})"}}) == missing);
    CHECK(problems({{"options", R"({"numericOrdering":false})"}}) == missing);
    CHECK(problems({{"options", R"({"caseFirst":"upper"})"}}) == missing);
    CHECK(problems({{"options", R"({"locale":"","caseFirst":"upper"})"}}) == missing);
}

TEST_CASE("wrong options are named") {
    CHECK(problems({{"options", R"({"locale":"de","caseFirst":"both","numericOrdering":3})"}}) ==
          Found{{"options.caseFirst", "page.options_invalid"},
                {"options.numericOrdering", "page.options_invalid"}});
    CHECK(problems({{"options", R"({"locale":"de/../x"})"}}) ==
          Found{{"options.locale", "page.locale_invalid"}});
    CHECK(problems({{"options", R"({"locales":5})"}}) ==
          Found{{"options.locales", "page.locale_invalid"}});
    CHECK(problems({{"options", "[]"}}) == Found{{"options", "page.options_invalid"}});
}

TEST_CASE("explain is a boolean") {
    CHECK(page({{"explain", "true"}}).explain);
    CHECK(page({{"explain", "\"true\""}}).explain);
    CHECK_FALSE(page({{"explain", "false"}}).explain);
    CHECK(problems({{"explain", "maybe"}}) == Found{{"explain", "page.explain_invalid"}});
}

TEST_CASE("all wrong parameters are told at once") {
    CHECK(problems({{"skip", "x"}, {"limit", "x"}, {"sort", "x"}, {"options", "x"}}).size() == 4);
}

}  // namespace
}  // namespace stele::kernel::pagination
