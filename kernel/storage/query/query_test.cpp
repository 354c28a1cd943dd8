#include "kernel/storage/query/query.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {
namespace {

using sdk::Json;

Query parsed(std::string_view text) {
    INFO(text);
    auto document = sdk::parse_json(text);
    REQUIRE(document.has_value());
    auto query = Query::parse(*document);
    if (!query) FAIL(query.error().message);
    return std::move(*query);
}

sdk::Error problem_of(std::string_view text) {
    INFO(text);
    auto document = sdk::parse_json(text);
    REQUIRE(document.has_value());
    auto query = Query::parse(*document);
    REQUIRE(query.has_error());
    CHECK(query.error().kind == sdk::ErrorKind::invalid);
    REQUIRE_FALSE(query.error().violations.empty());
    CHECK(query.error().violations.front().code == query.error().code);
    return query.error();
}

/// A text with the bytes behind it that a record has.
class Padded {
public:
    explicit Padded(std::string_view text) : bytes_(text), size_(text.size()) {
        bytes_.append(Record::kPadding, '\0');
    }
    std::string_view text() const { return std::string_view(bytes_).substr(0, size_); }

private:
    std::string bytes_;
    std::size_t size_;
};

bool matches(std::string_view query, std::string_view document) {
    return parsed(query).matches(Padded(document).text());
}

std::string projected(std::string_view fields, std::string_view document) {
    return parsed("{\"_fields\":" + std::string(fields) + "}").project(Padded(document).text());
}

struct Case {
    const char* query;
    const char* document;
    bool is_match;
};

void check(std::initializer_list<Case> cases) {
    for (const Case& one : cases) {
        INFO(one.query << " on " << one.document);
        CHECK(matches(one.query, one.document) == one.is_match);
    }
}

TEST_CASE("an empty query matches everything") {
    CHECK(parsed("{}").matches_everything());
    CHECK(parsed("{\"_fields\":{\"a\":1}}").matches_everything());
    CHECK(matches("{}", "{\"a\":1}"));
    CHECK_FALSE(parsed("{\"a\":1}").matches_everything());
}

TEST_CASE("a bare value matches by equality, an array also by one element") {
    check({{R"({"a":1})", R"({"a":1})", true},
           {R"({"a":1})", R"({"a":1.0})", true},
           {R"({"a":1})", R"({"a":"1"})", false},
           {R"({"a":1})", R"({"a":true})", false},
           {R"({"a":"x"})", R"({"a":["w","x"]})", true},
           {R"({"a":["w","x"]})", R"({"a":["w","x"]})", true},
           {R"({"a":["x","w"]})", R"({"a":["w","x"]})", false},
           {R"({"a":["w","x"]})", R"({"a":[["w","x"]]})", true},
           {R"({"a":"x"})", R"({"a":[["x"]]})", false},
           {R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1,"c":2}})", true},
           {R"({"a":{"b":1}})", R"({"a":{"b":1,"c":2}})", false},
           {R"({"a":{"c":2,"b":1}})", R"({"a":{"b":1,"c":2}})", false},
           {R"({"a":{}})", R"({"a":{}})", true},
           {R"({"a":"\u00e4"})", "{\"a\":\"\xc3\xa4\"}", true}});
}

TEST_CASE("null matches null and what is missing") {
    check({{R"({"a":null})", R"({"a":null})", true},
           {R"({"a":null})", R"({"b":1})", true},
           {R"({"a":null})", R"({"a":0})", false},
           {R"({"a":null})", R"({"a":[1,null]})", true},
           {R"({"a.b":null})", R"({"a":1})", true},
           {R"({"a.b":null})", R"({"a":[{"b":1},{}]})", true},
           {R"({"a.b":null})", R"({"a":[{"b":1}]})", false},
           {R"({"a":{"$ne":null}})", R"({"b":1})", false},
           {R"({"a":{"$gte":null}})", R"({"b":1})", true},
           {R"({"a":{"$gt":null}})", R"({"b":1})", false}});
}

TEST_CASE("dotted names reach into objects and, element by element, into arrays") {
    check({{R"({"a.b.c":1})", R"({"a":{"b":{"c":1}}})", true},
           {R"({"a.b":1})", R"({"a":[{"b":2},{"b":1}]})", true},
           {R"({"a.b":1})", R"({"a":[{"b":[2,1]}]})", true},
           {R"({"a.b":1})", R"({"a":[[{"b":1}]]})", false},
           {R"({"a.1":"y"})", R"({"a":["x","y"]})", true},
           {R"({"a.0":"y"})", R"({"a":["x","y"]})", false},
           {R"({"a.01":"y"})", R"({"a":["x","y"]})", false},
           {R"({"a.0.b":1})", R"({"a":[{"b":1}]})", true},
           {R"({"a.0.b":1})", R"({"a":[{"0":{"b":1}}]})", true},
           {R"({"a.0":1})", R"({"a":{"0":1}})", true},
           {R"({"a.0":1})", R"({"a":[[1,2]]})", true},
           {R"({"a.b":1})", R"({"a.b":1})", false}});
}

TEST_CASE("comparisons stay inside one type") {
    check({{R"({"a":{"$gt":5}})", R"({"a":6})", true},
           {R"({"a":{"$gt":5}})", R"({"a":5})", false},
           {R"({"a":{"$gt":5}})", R"({"a":"6"})", false},
           {R"({"a":{"$gt":5}})", R"({"a":true})", false},
           {R"({"a":{"$lt":5}})", R"({})", false},
           {R"({"a":{"$lt":5}})", R"({"a":null})", false},
           {R"({"a":{"$gte":"b"}})", R"({"a":"b"})", true},
           {R"({"a":{"$gt":"B"}})", R"({"a":"a"})", true},
           {R"({"a":{"$gt":"a"}})", R"({"a":"B"})", false},
           // U+FFFD comes before U+10000; in UTF-16 it would not.
           {R"({"a":{"$gt":"\ufffd"}})", R"({"a":"\ud800\udc00"})", true},
           {R"({"a":{"$gt":false}})", R"({"a":true})", true},
           {R"({"a":{"$gt":1,"$lt":4}})", R"({"a":[0,5]})", true},
           {R"({"a":{"$gt":1,"$lt":4}})", R"({"a":[0,1]})", false}});
}

TEST_CASE("numbers compare by exact value") {
    check({{R"({"a":9007199254740993})", R"({"a":9007199254740993})", true},
           {R"({"a":9007199254740993})", R"({"a":9007199254740992})", false},
           {R"({"a":9007199254740992.0})", R"({"a":9007199254740993})", false},
           {R"({"a":{"$gt":9007199254740992.0}})", R"({"a":9007199254740993})", true},
           {R"({"a":{"$lt":1.8446744073709552e19}})", R"({"a":18446744073709551615})", true},
           {R"({"a":18446744073709551615})", R"({"a":18446744073709551614})", false},
           {R"({"a":{"$gt":-1}})", R"({"a":18446744073709551615})", true},
           {R"({"a":{"$lt":-9.3e18}})", R"({"a":-9223372036854775808})", false},
           {R"({"a":0})", R"({"a":-0.0})", true},
           {R"({"a":{"$lt":3}})", R"({"a":2.5})", true},
           {R"({"a":0.12345678901234567890123})", R"({"a":0.12345678901234567890123})", true},
           {R"({"a":12345678901234567890123})", R"({"a":12345678901234567890123})", true},
           {R"({"a":{"$gt":-3}})", R"({"a":-2.5})", true}});
}

TEST_CASE("lists") {
    check({{R"({"a":{"$in":[1,"x",null]}})", R"({"a":"x"})", true},
           {R"({"a":{"$in":["z","x",3,1]}})", R"({"a":1.0})", true},
           {R"({"a":{"$in":[1,"x",null]}})", R"({})", true},
           {R"({"a":{"$in":[1,"x"]}})", R"({"a":["y","x"]})", true},
           {R"({"a":{"$in":[["y","x"]]}})", R"({"a":["y","x"]})", true},
           {R"({"a":{"$in":[]}})", R"({"a":1})", false},
           {R"({"a":{"$nin":[1,"x"]}})", R"({"a":["y","x"]})", false},
           {R"({"a":{"$nin":[1,"x"]}})", R"({"a":2})", true},
           {R"({"a":{"$nin":[1,"x"]}})", R"({})", true},
           {R"({"a":{"$all":["x","y"]}})", R"({"a":["y","z","x"]})", true},
           {R"({"a":{"$all":["x","y"]}})", R"({"a":["y","z"]})", false},
           {R"({"a":{"$all":["x"]}})", R"({"a":"x"})", true},
           {R"({"a":{"$all":[]}})", R"({"a":[]})", false},
           {R"({"a":{"$size":2}})", R"({"a":[1,2]})", true},
           {R"({"a":{"$size":2}})", R"({"a":[[1,2]]})", false},
           {R"({"a":{"$size":0}})", R"({})", false},
           {R"({"a.b":{"$size":1}})", R"({"a":[{"b":[]},{"b":[3]}]})", true}});
}

TEST_CASE("presence and types") {
    check({{R"({"a":{"$exists":true}})", R"({"a":null})", true},
           {R"({"a":{"$exists":true}})", R"({"b":null})", false},
           {R"({"a":{"$exists":false}})", R"({"b":null})", true},
           {R"({"a.b":{"$exists":false}})", R"({"a":[{"b":1},{}]})", false},
           {R"({"a.b":{"$exists":0}})", R"({"a":[]})", true},
           {R"({"a":{"$type":"string"}})", R"({"a":"x"})", true},
           {R"({"a":{"$type":"string"}})", R"({"a":[1,"x"]})", true},
           {R"({"a":{"$type":"array"}})", R"({"a":[]})", true},
           {R"({"a":{"$type":4}})", R"({"a":{}})", false},
           {R"({"a":{"$type":3}})", R"({"a":{}})", true},
           {R"({"a":{"$type":"number"}})", R"({"a":1.5})", true},
           {R"({"a":{"$type":"int"}})", R"({"a":2147483647})", true},
           {R"({"a":{"$type":"long"}})", R"({"a":2147483648})", true},
           {R"({"a":{"$type":"int"}})", R"({"a":2147483648})", false},
           {R"({"a":{"$type":"double"}})", R"({"a":1.0})", true},
           {R"({"a":{"$type":["bool","null"]}})", R"({"a":null})", true},
           {R"({"a":{"$type":"null"}})", R"({})", false},
           {R"({"a":{"$type":"date"}})", R"({"a":"2020"})", false}});
}

TEST_CASE("regular expressions search") {
    check({{R"({"a":{"$regex":"^b.d$"}})", R"({"a":"bad"})", true},
           {R"({"a":{"$regex":"b"}})", R"({"a":"abc"})", true},
           {R"({"a":{"$regex":"B"}})", R"({"a":"abc"})", false},
           {R"({"a":{"$regex":"B","$options":"i"}})", R"({"a":"abc"})", true},
           {R"({"a":{"$options":"i","$regex":"\u00c4"}})", R"({"a":"\u00e4"})", true},
           {R"({"a":{"$regex":"^b"}})", R"({"a":"a\nb"})", false},
           {R"({"a":{"$regex":"^b","$options":"m"}})", R"({"a":"a\nb"})", true},
           {R"({"a":{"$regex":"a.b"}})", R"({"a":"a\nb"})", false},
           {R"({"a":{"$regex":"a.b","$options":"s"}})", R"({"a":"a\nb"})", true},
           {R"({"a":{"$regex":"a b # two\n[ #]c","$options":"x"}})", R"({"a":"ab c"})", true},
           {R"({"a":{"$regex":"a\\ b","$options":"x"}})", R"({"a":"a b"})", true},
           {R"({"a":{"$regex":"b"}})", R"({"a":["a","b"]})", true},
           {R"({"a":{"$regex":"1"}})", R"({"a":1})", false},
           {R"({"a":{"$not":{"$regex":"b"}}})", R"({"a":"abc"})", false},
           {R"({"a":{"$not":{"$regex":"b"}}})", R"({"a":1})", true},
           {R"({"a":{"$regex":"b","$ne":"ab"}})", R"({"a":"ab"})", false}});
}

TEST_CASE("remainders round towards zero") {
    check({{R"({"a":{"$mod":[4,2]}})", R"({"a":6})", true},
           {R"({"a":{"$mod":[4,2]}})", R"({"a":6.9})", true},
           {R"({"a":{"$mod":[4,-2]}})", R"({"a":-6})", true},
           {R"({"a":{"$mod":[4,2]}})", R"({"a":"6"})", false},
           {R"({"a":{"$mod":[4,0]}})", R"({"a":1e300})", false},
           {R"({"a":{"$mod":[-1,0]}})", R"({"a":-9223372036854775808})", true}});
}

TEST_CASE("conditions on one element") {
    check({{R"({"a":{"$elemMatch":{"b":1,"c":2}}})", R"({"a":[{"b":1,"c":2}]})", true},
           {R"({"a":{"$elemMatch":{"b":1,"c":2}}})", R"({"a":[{"b":1},{"c":2}]})", false},
           {R"({"a":{"$elemMatch":{"b":1}}})", R"({"a":{"b":1}})", false},
           {R"({"a":{"$elemMatch":{"$gt":1,"$lt":4}}})", R"({"a":[0,5]})", false},
           {R"({"a":{"$elemMatch":{"$gt":1,"$lt":4}}})", R"({"a":[0,3]})", true},
           {R"({"a":{"$elemMatch":{"$eq":1}}})", R"({"a":[[1]]})", false},
           {R"({"a":{"$elemMatch":{"$elemMatch":{"$eq":1}}}})", R"({"a":[[1]]})", true},
           {R"({"a":{"$elemMatch":{"$size":1}}})", R"({"a":[[1]]})", true},
           {R"({"a":{"$elemMatch":{"$not":{"$gt":1}}}})", R"({"a":[2,"x"]})", true},
           {R"({"a":{"$elemMatch":{"$or":[{"b":1},{"c":1}]}}})", R"({"a":[{"c":1}]})", true},
           {R"({"a":{"$elemMatch":{}}})", R"({"a":[1]})", false},
           {R"({"a":{"$elemMatch":{}}})", R"({"a":[{}]})", true},
           {R"({"a":{"$all":[{"$elemMatch":{"b":1}},{"$elemMatch":{"b":2}}]}})",
            R"({"a":[{"b":1},{"b":2}]})", true},
           {R"({"a":{"$all":[{"$elemMatch":{"b":1}},{"$elemMatch":{"b":2}}]}})",
            R"({"a":[{"b":1}]})", false}});
}

TEST_CASE("logical operators") {
    check({{R"({"$and":[{"a":1},{"b":2}]})", R"({"a":1,"b":2})", true},
           {R"({"$and":[{"a":1},{"b":2}]})", R"({"a":1})", false},
           {R"({"$or":[{"a":1},{"b":2}]})", R"({"b":2})", true},
           {R"({"$or":[{"a":1},{"b":2}],"c":3})", R"({"b":2})", false},
           {R"({"$nor":[{"a":1},{"b":2}]})", R"({"b":2})", false},
           {R"({"$nor":[{"a":1},{"b":2}]})", R"({"b":1})", true},
           {R"({"$or":[{}]})", R"({})", true},
           {R"({"a":{"$not":{"$gt":1,"$lt":4}}})", R"({"a":2})", false},
           {R"({"a":{"$not":{"$gt":1}}})", R"({"a":"x"})", true},
           {R"({"a":{"$ne":1}})", R"({"a":[2,1]})", false}});
}

TEST_CASE("what all records must meet stands directly under the root") {
    const Query query = parsed(R"({"$and":[{"a":{"$gt":1,"$lt":4}},{"$and":[{"b":1}]}],"c":2})");
    CHECK(query.root().operation == QueryOperator::all_of);
    CHECK(query.root().children.size() == 4);
}

TEST_CASE("wrong queries are refused with the place of the mistake") {
    struct Wrong {
        const char* query;
        const char* code;
        const char* path;
    };
    for (const Wrong& one : std::initializer_list<Wrong>{
             {R"({"config.port":{"$gtt":1}})", "query.operator_unknown", "config.port.$gtt"},
             {R"({"$where":"true"})", "query.operator_unknown", "$where"},
             {R"({"a":{"$function":{}}})", "query.operator_unknown", "a.$function"},
             {R"({"$or":[{"a":1},{"$expr":{}}]})", "query.operator_unknown", "$or.1.$expr"},
             {R"({"$gt":1})", "query.operator_misplaced", "$gt"},
             {R"({"a":{"$or":[{}]}})", "query.operator_misplaced", "a.$or"},
             {R"({"a":{"$gt":1,"b":2}})", "query.operator_misplaced", "a.b"},
             {R"({"a":{"b":{"$gt":1}}})", "query.operator_misplaced", "a.b.$gt"},
             {R"({"a":{"$in":[{"$regex":"x"}]}})", "query.operator_misplaced", "a.$in.0.$regex"},
             {R"({"a":{"$options":"i"}})", "query.operator_misplaced", "a.$options"},
             {R"({"a":{"$gt":[1]}})", "query.operand_invalid", "a.$gt"},
             {R"({"a":{"$in":1}})", "query.operand_invalid", "a.$in"},
             {R"({"a":{"$exists":"yes"}})", "query.operand_invalid", "a.$exists"},
             {R"({"a":{"$type":"text"}})", "query.operand_invalid", "a.$type"},
             {R"({"a":{"$mod":[0,1]}})", "query.operand_invalid", "a.$mod"},
             {R"({"a":{"$mod":[1.5,1]}})", "query.operand_invalid", "a.$mod"},
             {R"({"a":{"$size":-1}})", "query.operand_invalid", "a.$size"},
             {R"({"a":{"$not":1}})", "query.operand_invalid", "a.$not"},
             {R"({"a":{"$elemMatch":[]}})", "query.operand_invalid", "a.$elemMatch"},
             {R"({"$and":[]})", "query.operand_invalid", "$and"},
             {R"({"$and":[1]})", "query.operand_invalid", "$and.0"},
             {R"({"a":{"$regex":"("}})", "query.regex_invalid", "a.$regex"},
             {R"({"a":{"$regex":"a","$options":"g"}})", "query.regex_invalid", "a.$regex"},
             {R"({"a":{"$regex":"((a{1,100}){1,100}){1,100}"}})", "query.regex_invalid",
              "a.$regex"},
             {R"({"a..b":1})", "query.field_invalid", "a..b"},
             {R"([])", "query.document_invalid", ""},
             {R"({"_fields":{"a":1,"b":0}})", "query.fields_invalid", "_fields.b"},
             {R"({"_fields":{"a":2}})", "query.fields_invalid", "_fields.a"},
             {R"({"_fields":["a"]})", "query.fields_invalid", "_fields"}}) {
        INFO(one.query);
        const sdk::Error error = problem_of(one.query);
        CHECK(error.code == one.code);
        CHECK(error.violations.front().path == one.path);
    }
}

TEST_CASE("all mistakes are told at once") {
    CHECK(problem_of(R"({"a":{"$x":1},"b":{"$y":1,"$size":"z"}})").violations.size() == 3);
}

TEST_CASE("depth and size of a query are bounded") {
    std::string deep = "1";
    for (int i = 0; i < 60; ++i)
        deep = "{\"a\":" + deep + "}";
    CHECK(problem_of(deep).code == "query.document_too_deep");

    Json wide;
    for (int i = 0; i <= 1000; ++i)
        wide["$or"].push_back({{"a", i}});
    CHECK(problem_of(sdk::dump_json(wide)).code == "query.document_too_large");
    wide["$or"].erase(0);
    CHECK(matches(sdk::dump_json(wide), R"({"a":1000})"));

    Json listed;
    for (int i = 0; i <= 10000; ++i)
        listed["a"]["$in"].push_back(i);
    CHECK(problem_of(sdk::dump_json(listed)).code == "query.document_too_large");

    listed["a"]["$in"].erase(0);
    listed["b"] = listed["a"];
    CHECK(matches(sdk::dump_json(listed), R"({"a":1,"b":10000})"));
    // What lies inside of values counts as well: here 27,000 lists with a value in each.
    Json nested;
    for (int i = 0; i < 9000; ++i)
        for (const char* name : {"a", "b", "c"})
            nested[name]["$nin"].push_back(Json::array({i}));
    CHECK(problem_of(sdk::dump_json(nested)).code == "query.document_too_large");

    Json not_finite;
    not_finite["a"] = std::numeric_limits<double>::infinity();
    CHECK(Query::parse(not_finite).has_error());
}

TEST_CASE("a query reaches each of its bounds, and goes not one step beyond") {
    // docs/reference/query-language.md, Bounds.
    const auto is_taken = [](const Json& query) { return !Query::parse(query).has_error(); };
    const auto code_of = [](const Json& query) {
        const auto parsed = Query::parse(query);
        return parsed.has_error() ? parsed.error().code : std::string();
    };
    const auto nested = [](int levels) {
        Json query = 1;
        for (int i = 0; i < levels; ++i)
            query = {{"a", query}};
        return query;
    };
    CHECK(is_taken(nested(49)));
    CHECK(is_taken(nested(50)));
    CHECK(code_of(nested(51)) == "query.document_too_deep");

    // The query, each member's object and its list count, too.
    const auto with_values = [](int values) {
        Json query;
        int left = values - 1;
        for (const char* name : {"a", "b", "c"}) {
            left -= 2;
            Json& list = query[name]["$nin"] = Json::array();
            for (int i = 0; i < 9998 && left > 0; ++i, --left)
                list.push_back(i);
        }
        for (; left > 0; --left)
            query["a"]["$nin"].push_back(0);
        return query;
    };
    CHECK(is_taken(with_values(29'999)));
    CHECK(is_taken(with_values(30'000)));
    CHECK(code_of(with_values(30'001)) == "query.document_too_large");

    const auto expressions = [](int count) {
        Json query;
        for (int i = 0; i < count; ++i)
            query["a" + std::to_string(i)]["$regex"] = "x";
        return query;
    };
    CHECK(is_taken(expressions(32)));
    CHECK(code_of(expressions(33)) == "query.document_too_large");
    const auto expression = [](std::size_t bytes) {
        return Json{{"a", {{"$regex", std::string(bytes, 'x')}}}};
    };
    CHECK(is_taken(expression(4096)));
    CHECK_FALSE(is_taken(expression(4097)));

    const auto fields = [](int count) {
        Json query;
        for (int i = 0; i < count; ++i)
            query["_fields"]["f" + std::to_string(i)] = 1;
        return query;
    };
    CHECK(is_taken(fields(1000)));
    CHECK_FALSE(is_taken(fields(1001)));
}

TEST_CASE("a text that is no object matches nothing") {
    CHECK_FALSE(matches(R"({"a":null})", "[1]"));
    CHECK_FALSE(matches(R"({"a":null})", "{\"b\":"));
    CHECK_FALSE(matches(R"({"a":{"$size":1}})", ""));
}

TEST_CASE("fields to come back are selected") {
    const char* const document =
        R"({"_doc":"d","_type":"t","_qname":"q","a":{"b":1,"c":[1, 2]},"e":[{"f":1,"g":2},3],"h":"\u00e4"})";
    CHECK(projected(R"({"h":1})", document) == "{\"_doc\":\"d\",\"h\":\"\\u00e4\"}");
    CHECK(projected(R"({"a.b":1})", document) == R"({"_doc":"d","a":{"b":1}})");
    CHECK(projected(R"({"e.g":true,"_doc":0})", document) == R"({"_doc":"d","e":[{"g":2}]})");
    CHECK(projected(R"({"a":1,"a.b":1})", document) == R"({"_doc":"d","a":{"b":1,"c":[1, 2]}})");
    CHECK(projected(R"({"_doc":1})", document) == R"({"_doc":"d"})");
    CHECK(projected(R"({"a":0,"e.f":0,"_qname":0,"h":0,"_doc":0})", document) ==
          R"({"_doc":"d","_type":"t","e":[{"g":2},3]})");
    CHECK(projected(R"({"_doc":0})", document) == document);
    CHECK_FALSE(parsed(R"({"_fields":{}})").has_projection());
    CHECK(parsed(R"({"_fields":{"a":1}})").has_projection());
}

}  // namespace
}  // namespace stele::kernel::storage
