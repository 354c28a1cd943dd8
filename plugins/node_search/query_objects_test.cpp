#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "expression_text.hpp"
#include "query_objects.hpp"

namespace stele::node_search {

namespace {

struct ObjectCase {
    const char* object;
    const char* wanted;
};

std::string object_outcome(const char* object) {
    const auto parsed = parse_search(sdk::Json::parse(object));
    if (parsed) return expression_text(*parsed);
    REQUIRE(parsed.error().kind == sdk::ErrorKind::invalid);
    REQUIRE(parsed.error().violations.size() == 1);
    return parsed.error().violations[0].path + " " + parsed.error().violations[0].message;
}

}  // namespace

TEST_CASE("objects of the search language are read") {
    const ObjectCase cases[] = {
        {R"("War peace")", "([war] [peace])"},
        {R"({"match_all": {}})", "*"},
        {R"({"match_all": {"boost": 2}})", "*^2"},
        {R"({"query": {"match_all": {}}})", "*"},
        {R"({"query_string": {"query": "a AND b"}})", "((+[a] +[b]))"},
        {R"({"query_string": {"query": "a b", "default_operator": "AND"}})", "((+[a] +[b]))"},
        {R"({"query_string": {"query": "a", "default_field": "title"}})", "(title:[a])"},
        {R"({"query_string": {"query": "a", "fields": ["x", "y"]}})", "(x:[a] y:[a])"},
        {R"({"match": {"title": "War and Peace"}})", "(title:[war] title:[and] title:[peace])"},
        {R"({"match": {"title": {"query": "a b", "operator": "and"}}})", "(+title:[a] +title:[b])"},
        {R"({"match": {"_all": 5}})", "([5])"},
        {R"({"match_phrase": {"title": "War and"}})", "title:[war and]"},
        {R"({"match_phrase": {"title": {"query": "War and", "slop": 2, "boost": 3}}})",
         "title:[war and]~2^3"},
        {R"({"match_phrase_prefix": {"title": "war a"}})", "title:[war a..]"},
        {R"({"multi_match": {"query": "a b", "fields": ["x", "y"]}})",
         "((x:[a] x:[b]) (y:[a] y:[b]))"},
        {R"({"multi_match": {"query": "a b", "fields": ["x"], "type": "phrase"}})", "(x:[a b])"},
        {R"({"term": {"n": 5.5}})", "n:[5.5]"},
        {R"({"term": {"ok": {"value": true}}})", "ok:[true]"},
        {R"({"terms": {"kind": ["A b", 5]}})", "(kind:[a b] kind:[5])"},
        {R"({"terms": {"boost": 2, "kind": [true]}})", "(kind:[true])^2"},
        {R"({"terms": {"kind": "a"}})", "search.terms.kind must be a list of values"},
        {R"({"terms": {"kind": [{}]}})",
         "search.terms.kind[0] must be text of at most 16 KiB, a number or a truth value"},
        {R"({"terms": {"a": ["x"], "b": ["y"]}})", "search.terms must name one field"},
        {R"({"ids": {"values": ["0f", "1f"]}})", "(_doc:[0f] _doc:[1f])"},
        {R"({"ids": {}})", "search.ids.values is missing"},
        {R"({"prefix": {"title": "WA"}})", "title:[wa..]"},
        {R"({"wildcard": {"title": {"value": "W*r"}}})", "title:/w*r/"},
        {R"({"simple_query_string": {"query": "a + b"}})", "((+[a] +[b]))"},
        {R"({"simple_query_string": {"query": "a | b"}})", "(([a] [b]))"},
        {R"({"simple_query_string": {"query": "\"a b\" c*", "fields": ["t"]}})",
         "((t:[a b] t:/c*/))"},
        {R"({"simple_query_string": {"query": "A AND b:c ("}})", "(([a] [and] [b] [c]))"},
        {R"({"exists": {"field": "title"}})", "title:present"},
        {R"({"range": {"title": {"gte": "A", "lt": "War"}}})", "title:[a..war}"},
        {R"({"range": {"title": {"gt": "b", "boost": 2}}})", "title:{b..*]^2"},
        {R"({"range": {"_system.created_on.iso_8601": {"lte": "2026-11-22"}}})",
         "_system.created_on.iso_8601:[*..2026 11 22t00 00 00z]"},
        {R"({"bool": {"must": {"match_all": {}}, "must_not": [{"term": {"a": "b"}}],
            "should": [{"term": {"c": "d"}}], "filter": [{"term": {"e": "f"}}]}})",
         "(+* #e:[f] c:[d] -a:[b])"},
    };
    for (const ObjectCase& each : cases) {
        CAPTURE(each.object);
        CHECK(object_outcome(each.object) == each.wanted);
    }
}

TEST_CASE("wrong objects are refused by the part") {
    const ObjectCase cases[] = {
        {"5", "search must be an object with one member, which names what it does"},
        {"{}", "search must be an object with one member, which names what it does"},
        {R"({"match_all": {}, "term": {}})",
         "search must be an object with one member, which names what it does"},
        {R"({"fly": {}})", "search.fly is unknown"},
        {R"({"range": {"a": {}}})", "search.range.a must have gt, gte, lt or lte"},
        {R"({"range": {"a": 5}})", "search.range.a must be an object with gt, gte, lt or lte"},
        {R"({"range": {"a": {"gt": 1}, "b": {"gt": 1}}})", "search.range must name one field"},
        {R"({"range": {"_all": {"gt": 1}}})", "search.range._all must be a field of its own"},
        {R"({"range": {"a": {"gt": true}}})", "search.range.a.gt must be text or a number"},
        {R"({"range": {"a": {"gt": 1, "gte": 1}}})",
         "search.range.a.gte is a second bound on that side"},
        {R"({"range": {"a": {"gt": 1, "lt": "b"}}})",
         "search.range.a.lt must be of the kind of the other end"},
        {R"({"range": {"a": {"gt": "..."}}})",
         "search.range.a.gt has neither a letter nor a digit"},
        {R"({"range": {"a": {"from": 1}}})", "search.range.a.from is unknown"},
        {R"({"match_all": {"x": 1}})", "search.match_all.x is unknown"},
        {R"({"match_all": 5})", "search.match_all must be an object"},
        {R"({"query_string": {}})", "search.query_string.query is missing"},
        {R"({"query_string": {"query": []}})",
         "search.query_string.query must be text of at most 16 KiB, a number or a truth value"},
        {R"({"query_string": {"query": "\""}})",
         "search.query_string.query at character 2: a quotation mark is not closed"},
        {R"({"query_string": {"query": "a", "default_operator": "xor"}})",
         R"(search.query_string.default_operator must be "and" or "or")"},
        {R"({"query_string": {"query": "a", "fields": []}})",
         "search.query_string.fields must be a list of 1 to 100 names"},
        {R"({"match": {}})", "search.match must name one field"},
        {R"({"match": {"a": []}})", "search.match.a must be text, a number or an object"},
        {R"({"match": {"a": {"query": "b", "fuzz": 1}}})", "search.match.a.fuzz is unknown"},
        {R"({"match_phrase": {"a": {"query": "b", "slop": -1}}})",
         "search.match_phrase.a.slop must be a number from 0 to 1000"},
        {R"({"term": {"a": {"value": "b", "boost": 0}}})",
         "search.term.a.boost must be a number above 0, at most 1000"},
        {R"({"multi_match": {"query": "a", "fields": ["x"], "type": "odd"}})",
         "search.multi_match.type must be best_fields, most_fields, phrase or phrase_prefix"},
        {R"({"bool": {}})", "search.bool must be an object with must, should, must_not or filter"},
        {R"({"bool": {"must": [{"match_all": {}}, {"fly": {}}]}})",
         "search.bool.must[1].fly is unknown"},
        {R"({"bool": {"may": []}})", "search.bool.may is unknown"},
    };
    for (const ObjectCase& each : cases) {
        CAPTURE(each.object);
        CHECK(object_outcome(each.object) == each.wanted);
    }
}

TEST_CASE("objects are bounded in depth and parts") {
    std::string deep = R"({"match_all":{}})";
    for (int i = 0; i < 60; ++i)
        deep = R"({"bool":{"must":)" + deep + "}}";
    CHECK(object_outcome(deep.c_str()).ends_with("is nested too deep"));
    const auto nested = [](int objects) {
        std::string text = R"({"match_all":{}})";
        for (int i = 1; i < objects; ++i)
            text = R"({"bool":{"must":)" + text + "}}";
        return object_outcome(text.c_str());
    };
    CHECK_FALSE(nested(50).ends_with("is nested too deep"));
    CHECK(nested(51).ends_with("is nested too deep"));
    std::string wide;
    for (int i = 0; i < 1001; ++i)
        wide += R"({"match_all":{}},)";
    wide.back() = ' ';
    CHECK(object_outcome((R"({"bool":{"should":[)" + wide + "]}}").c_str()) ==
          "search.bool.should[999] is one of more than 1000 parts");
}

}  // namespace stele::node_search
