#include <atomic>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/job/budget.hpp"
#include "kernel/storage/document/document_store_test_fixture.hpp"

namespace stele::kernel::storage {

TEST_CASE("a list without a sort is in creation order and counted by a counter") {
    StoreFixture fixture;
    for (const char* name : {"c", "a", "b"}) {
        REQUIRE(fixture.insert(std::string(R"({"name":")") + name + "\"}"));
    }
    sdk::PageRequest page;
    page.skip = 1;
    page.limit = 1;
    const auto result = fixture.query("{}", page);
    CHECK(result.names == Names{"a"});
    CHECK(result.total == 3);
    CHECK(result.explained.at("total") == "counter");
    CHECK(result.explained.at("records") == 2);
}

TEST_CASE("ties of a sort stay in creation order for either direction") {
    StoreFixture fixture;
    for (const char* text : {R"({"name":"1","rank":"b"})", R"({"name":"2","rank":"a"})",
                             R"({"name":"3","rank":"b"})", R"({"name":"4","rank":"a"})"}) {
        REQUIRE(fixture.insert(text));
    }
    CHECK(fixture.query("{}", sorted("rank")).names == Names{"2", "4", "1", "3"});
    const auto down = fixture.query("{}", sorted("rank", false));
    CHECK(down.names == Names{"1", "3", "2", "4"});
    CHECK(down.explained.at("access") == "order");
}

TEST_CASE("numbers sort as text unless the setting says otherwise, and missing is lowest") {
    StoreFixture fixture;
    for (const char* text : {R"({"name":"nine","n":9})", R"({"name":"ten","n":10})",
                             R"({"name":"none"})", R"({"name":"text","n":"1"})"}) {
        REQUIRE(fixture.insert(text));
    }
    CHECK(fixture.query("{}", sorted("n")).names == Names{"none", "text", "ten", "nine"});
    CHECK(fixture.query("{}", sorted("n", false)).names == Names{"nine", "ten", "text", "none"});
    CHECK(fixture.query(R"({"n":{"$gt":0}})", sorted("n", true), {}, true).names ==
          Names{"nine", "ten"});
}

TEST_CASE("an equality is answered from the index without reading other records") {
    StoreFixture fixture;
    for (int i = 0; i < 300; ++i) {
        REQUIRE(fixture.insert(R"({"name":")" + std::to_string(i) + R"(","group":")" +
                               std::to_string(i % 100) + "\"}"));
    }
    const auto result = fixture.query(R"({"group":"17"})");
    CHECK(result.names == Names{"17", "117", "217"});
    CHECK(result.total == 3);
    CHECK(result.explained.at("access") == "index");
    CHECK(result.explained.at("records") == 3);
    CHECK(fixture.query(R"({"group":{"$in":["17","3"]},"name":{"$ne":"3"}})").names ==
          Names{"17", "103", "117", "203", "217"});
    CHECK(fixture.query(R"({"$or":[{"group":"1"},{"name":"5"}]})").total == 4);
}

TEST_CASE("a declared composite index answers a sorted page and its total by itself") {
    CollectionRules rules;
    rules.composite_indexes = {{"project", "title"}};
    StoreFixture fixture(rules);
    for (int i = 0; i < 200; ++i) {
        REQUIRE(fixture.insert(R"({"name":")" + std::to_string(i) + R"(","project":")" +
                               std::to_string(i % 2) + R"(","title":"t)" +
                               std::to_string(100 + i % 50) + "\"}"));
    }
    const auto result = fixture.query(R"({"project":"1"})", sorted("title", false, 1, 4));
    CHECK(result.names == Names{"99", "149", "199", "47"});
    CHECK(result.total == 100);
    CHECK(result.explained.at("access") == "composite");
    CHECK(result.explained.at("total") == "counter");
    CHECK(result.explained.at("records") == 4);
    CHECK(fixture.differences().empty());
}

TEST_CASE("a composite index that is declared later is built for the records there are") {
    StoreFixture fixture;
    for (int i = 0; i < 700; ++i) {
        REQUIRE(fixture.insert(R"({"name":")" + std::to_string(i) + R"(","p":true,"t":")" +
                               std::to_string(1000 - i) + "\"}"));
    }
    fixture.rules.composite_indexes = {{"p", "t"}};
    REQUIRE(fixture.insert(R"({"name":"last","p":true,"t":"9999"})"));
    fixture.store.finish_index_builds();
    const auto result = fixture.query(R"({"p":true})", sorted("t", false, 0, 2));
    CHECK(result.names == Names{"last", "1"});
    CHECK(result.total == 701);
    CHECK(result.explained.at("access") == "composite");
    CHECK(fixture.differences().empty());
}

TEST_CASE("a shape of query that stays costly gets an index by itself") {
    StoreFixture fixture;
    for (int i = 0; i < 800; ++i) {
        REQUIRE(fixture.insert(R"({"name":")" + std::to_string(i) + R"(","p":1,"t":")" +
                               std::to_string(i % 37) + "\"}"));
    }
    StoreFixture::Page before;
    for (int i = 0; i < 8; ++i)
        before = fixture.query(R"({"p":1})", sorted("t", true, 0, 25));
    REQUIRE(before.explained.at("access") != "composite");
    fixture.store.finish_index_builds();
    const auto after = fixture.query(R"({"p":1})", sorted("t", true, 0, 25));
    CHECK(after.explained.at("access") == "composite");
    CHECK(after.names == before.names);
    CHECK(after.total == 800);
    CHECK(fixture.differences().empty());
}

TEST_CASE("a costly equality without a sort gets an index that counts, in creation order") {
    StoreFixture fixture;
    for (int i = 0; i < 1400; ++i) {
        // Custom ids fall while the records are made.
        REQUIRE(fixture.insert(
            R"({"name":")" + std::to_string(i) + R"(","p":)" + (i % 2 == 0 ? "true}" : "false}"),
            "id-" + std::to_string(9999 - i)));
    }
    sdk::PageRequest page;
    page.skip = 1;
    page.limit = 3;
    StoreFixture::Page before;
    for (int i = 0; i < 8; ++i)
        before = fixture.query(R"({"p":true})", page);
    CHECK(before.explained.at("access") == "index");
    fixture.store.finish_index_builds();
    const auto after = fixture.query(R"({"p":true})", page);
    CHECK(after.explained.at("access") == "composite");
    CHECK(after.explained.at("entries") == 4);
    CHECK(after.names == Names{"2", "4", "6"});
    CHECK(after.names == before.names);
    CHECK(after.total == 700);
    CHECK(fixture.differences().empty());
}

TEST_CASE("a query of more conditions than are looked at as ways finds the same") {
    StoreFixture fixture;
    for (int i = 0; i < 200; ++i) {
        REQUIRE(fixture.insert(R"({"name":"n)" + std::to_string(i) + R"(","kind":")" +
                               (i % 2 == 0 ? "a" : "b") + "\"}"));
    }
    std::string conditions;
    for (int i = 0; i < 300; ++i)
        conditions += R"({"kind":"a"},)";
    const auto many = fixture.query(R"({"$and":[)" + conditions + R"({"kind":"a"}]})");
    CHECK(many.total == 100);
    CHECK(many.names == fixture.query(R"({"kind":"a"})").names);
    CHECK(fixture.query(R"({"$and":[)" + conditions + R"({"name":"n8"}]})").names == Names{"n8"});
    CHECK(fixture.query(R"({"$and":[)" + conditions + R"({"name":"n7"}]})").names.empty());
}

TEST_CASE("conditions are explained on request") {
    StoreFixture fixture;
    for (int i = 0; i < 5; ++i)
        REQUIRE(fixture.insert(R"({"name":"ab|c","n":1})"));
    sdk::PageRequest page;
    page.explain = true;
    const auto explained = fixture.query(R"({"n":{"$gte":1}})", page).explained;
    CHECK(explained.at("conditions") == Json::array({"n $gte 1"}));
}

TEST_CASE("a literal beginning of a regular expression narrows, anything else does not") {
    StoreFixture fixture;
    for (const char* name : {"abc", "ab", "b", "a", "xab", "AB"})
        REQUIRE(fixture.insert(std::string(R"({"name":")") + name + "\"}"));
    const auto access = [&](const std::string& pattern, std::size_t matches) {
        const auto result = fixture.query(R"({"name":{"$regex":")" + pattern + "\"}}");
        CHECK(result.total == matches);
        return result.explained.at("access").get<std::string>();
    };
    CHECK(access("^ab", 2) == "index");
    CHECK(access("^ab?c?", 3) == "index");
    CHECK(access("^ab{0,1}$", 2) == "index");
    CHECK(access("^a|^b", 4) == "collection");
    CHECK(access("^(a|x)", 4) == "collection");
    CHECK(access("^a?b", 3) == "collection");
    CHECK(access("(?i)^ab", 3) == "collection");
    CHECK(access("ab", 3) == "collection");
}

TEST_CASE("a record with an array where a composite index orders keeps the index from being used") {
    CollectionRules rules;
    rules.composite_indexes = {{"p", "t"}};
    StoreFixture fixture(rules);
    REQUIRE(fixture.insert(R"({"name":"a","p":1,"t":"x"})"));
    const std::string odd = fixture.insert(R"({"name":"b","p":1,"t":["y"]})").value();
    CHECK(fixture.query(R"({"p":1})", sorted("t")).explained.at("access") != "composite");
    REQUIRE(fixture.erase(odd));
    CHECK(fixture.query(R"({"p":1})", sorted("t")).explained.at("access") == "composite");
    CHECK(fixture.differences().empty());
}

TEST_CASE("only visible records appear in rows and totals") {
    StoreFixture fixture;
    std::vector<Sequence> sequences;
    for (int i = 0; i < 10; ++i) {
        const std::string id = fixture
                                   .insert(R"({"name":")" + std::to_string(i) + R"(","even":)" +
                                           (i % 2 == 0 ? "true}" : "false}"))
                                   .value();
        parse_sequence(id, sequences.emplace_back());
    }
    Visibility listed{false, std::vector{sequences[1], sequences[2], sequences[4]}, {}};
    const auto some = fixture.query(R"({"even":true})", {}, listed);
    CHECK(some.names == Names{"2", "4"});
    CHECK(some.total == 2);
    Visibility asked{false, {}, [&](const Record& record) -> sdk::Result<bool> {
                         return record.sequence >= sequences[5];
                     }};
    const auto late = fixture.query("{}", sorted("name", false, 0, 2), asked);
    CHECK(late.names == Names{"9", "8"});
    CHECK(late.total == 5);
    CHECK(fixture.query("{}", {}, Visibility{false, {}, {}}).total == 0);
}

TEST_CASE("a query asks after a few large records whether its caller is still there") {
    StoreFixture fixture;
    const std::string text(400'000, 'x');
    constexpr int kRecords = 8;
    for (int i = 0; i < kRecords; ++i)
        fixture.insert(R"({"n":)" + std::to_string(i) + R"(,"text":")" + text + R"("})").value();
    const sdk::PageRequest page = GENERATE(sdk::PageRequest{}, sorted("n"), sorted("text"));
    const auto reader = fixture.engine.snapshot();
    auto run = fixture.store.query(*reader, fixture.collection, fixture.rules,
                                   Query::parse(sdk::Json::object()).value(), page, {}, false);
    REQUIRE(run.has_value());
    std::atomic<bool> is_abandoned = false;
    const job::Budget budget(job::Budget::Clock::time_point::max(), is_abandoned);
    const job::Budget::Scope scope(&budget);
    Record row;
    REQUIRE((*run)->next(row).value());
    is_abandoned = true;
    int more = 0;
    sdk::Result<bool> next = true;
    while ((next = (*run)->next(row)) && *next)
        ++more;
    REQUIRE_FALSE(next);
    CHECK(next.error().code == "http.budget_spent");
    CHECK(more < 3);
}

}  // namespace stele::kernel::storage
