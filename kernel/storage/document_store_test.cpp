#include "kernel/storage/document_store.hpp"

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/storage/index_entries.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::storage {

namespace {

using sdk::Json;

/// Whether it succeeded, whatever was answered.
template <class T>
sdk::Result<void> done(const sdk::Result<T>& result) {
    if (!result) return result.error();
    return {};
}

/// A store with one collection, driven in one transaction a call.
class Fixture {
public:
    explicit Fixture(CollectionRules given = {}) : rules(std::move(given)) {
        write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            collection = store.open_collection(transaction, 7, "article", "box").value();
            return {};
        }).value();
    }

    sdk::Result<void> write(const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
        return sdk::write_with_retry(engine, work);
    }

    sdk::Result<std::string> insert(const std::string& text, const std::string& custom_id = {}) {
        Json fields = sdk::parse_json(text).value();
        const Sequence sequence = next_sequence();
        const std::string id = custom_id.empty() ? sequence_text(sequence) : custom_id;
        fields["_doc"] = id;
        auto written = write([&](sdk::Transaction& transaction) {
            return done(store.insert(transaction, collection, rules,
                                     {sequence, custom_id, fields, "sealed"}));
        });
        if (!written) return written.error();
        return id;
    }

    sdk::Result<void> replace(const std::string& id, const std::string& text) {
        Json fields = sdk::parse_json(text).value();
        fields["_doc"] = id;
        return write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            Record before;
            REQUIRE(store.read(transaction, collection, id, before).value());
            return done(store.replace(transaction, rules, before, fields, "sealed"));
        });
    }

    sdk::Result<void> erase(const std::string& id) {
        return write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            Record before;
            REQUIRE(store.read(transaction, collection, id, before).value());
            return store.erase(transaction, rules, before);
        });
    }

    struct Page {
        std::vector<std::string> names;
        std::uint64_t total = 0;
        Json explained;
    };

    Page query(const std::string& text, const sdk::PageRequest& page = {},
               Visibility visibility = {}, bool numeric_sort = false) {
        const auto reader = engine.snapshot();
        auto run = store.query(*reader, collection, rules,
                               Query::parse(sdk::parse_json(text).value()).value(), page,
                               std::move(visibility), numeric_sort);
        Page result;
        Record row;
        while ((*run)->next(row).value()) {
            result.names.push_back(
                sdk::parse_json(row.text()).value().value("name", std::string("-")));
        }
        result.total = (*run)->total_rows().value();
        result.explained = (*run)->explain();
        return result;
    }

    std::vector<std::string> differences() { return store.check(*engine.snapshot()).value(); }

    sdk::testing::MemoryEngine engine;
    NameTable names{engine};
    DocumentStore store{engine, names};
    CollectionRules rules;
    CollectionId collection;
};

using Names = std::vector<std::string>;

sdk::PageRequest sorted(const std::string& field, bool is_ascending = true, std::uint64_t skip = 0,
                        std::int64_t limit = 1000) {
    sdk::PageRequest page;
    page.sort = {{field, is_ascending}};
    page.skip = skip;
    page.limit = limit;
    return page;
}

}  // namespace

TEST_CASE("A record is read by its generated id, its custom id and its aliases") {
    Fixture fixture;
    const std::string plain = fixture.insert(R"({"name":"plain"})").value();
    const std::string custom = fixture.insert(R"({"name":"custom"})", "my-id").value();
    REQUIRE(plain.size() == 20);
    const auto name_of = [&](const std::string& id) {
        Record record;
        if (!fixture.store.read(*fixture.engine.snapshot(), fixture.collection, id, record)
                 .value()) {
            return std::string();
        }
        REQUIRE(record.sealed() == "sealed");
        REQUIRE(record.version() == 1);
        return sdk::parse_json(record.text()).value().at("name").get<std::string>();
    };
    CHECK(name_of(plain) == "plain");
    CHECK(name_of("my-id") == "custom");
    CHECK(name_of("nobody").empty());

    Sequence sequence;
    REQUIRE(parse_sequence(plain, sequence));
    const auto alias = [&](const std::string& name) {
        return fixture.write([&](sdk::Transaction& transaction) {
            return fixture.store.set_alias(transaction, fixture.collection, name, sequence);
        });
    };
    REQUIRE(alias("primary"));
    CHECK(name_of("primary") == "plain");
    CHECK(alias("my-id").error().code == "document.id_taken");
    CHECK(fixture.differences().empty());

    REQUIRE(fixture.erase(plain));
    CHECK(name_of("primary").empty());
    CHECK(fixture.differences().empty());
}

TEST_CASE("A custom id that looks like a generated one works") {
    Fixture fixture;
    const std::string id = "00000000000000000abc";
    REQUIRE(fixture.insert(R"({"name":"odd"})", id));
    Record record;
    CHECK(fixture.store.read(*fixture.engine.snapshot(), fixture.collection, id, record).value());
    CHECK(fixture.insert(R"({"name":"again"})", id).error().code == "document.id_taken");
    const std::string generated = fixture.insert(R"({})").value();
    CHECK(fixture.insert(R"({})", generated).error().code == "document.id_taken");
}

TEST_CASE("A unique value is held by one record, also after updates and deletes") {
    CollectionRules rules;
    rules.unique_fields = {"key", "mail"};
    Fixture fixture(rules);
    const std::string first = fixture.insert(R"({"name":"a","key":"k1","mail":"m1"})").value();
    const auto refused = fixture.insert(R"({"name":"b","key":"k1","mail":"m1"})");
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == sdk::ErrorKind::conflict);
    CHECK(refused.error().code == "document.value_taken");
    REQUIRE(refused.error().violations.size() == 2);
    CHECK(refused.error().violations[0].path == "key");
    CHECK(refused.error().violations[1].path == "mail");

    REQUIRE(fixture.replace(first, R"({"name":"a","key":"k2"})"));
    const std::string second = fixture.insert(R"({"name":"b","key":"k1","mail":"m1"})").value();
    CHECK(fixture.replace(second, R"({"name":"b","key":"k2"})").error().code ==
          "document.value_taken");
    REQUIRE(fixture.erase(first));
    CHECK(fixture.replace(second, R"({"name":"b","key":"k2"})"));
    const auto by_key = [&](const std::string& value) {
        Record record;
        return fixture.store
            .read_unique(*fixture.engine.snapshot(), fixture.collection, "key", value, record)
            .value();
    };
    CHECK(by_key("k2"));
    CHECK_FALSE(by_key("k1"));
    CHECK(fixture.differences().empty());
}

TEST_CASE("Long unique values are told apart although keys are short") {
    CollectionRules rules;
    rules.unique_fields = {"key"};
    Fixture fixture(rules);
    const std::string common(5000, 'x');
    REQUIRE(fixture.insert(R"({"key":")" + common + R"(1"})"));
    CHECK(fixture.insert(R"({"key":")" + common + R"(2"})"));
    CHECK(fixture.insert(R"({"key":")" + common + R"(1"})").has_error());
    CHECK(fixture.differences().empty());
}

TEST_CASE("A list without a sort is in creation order and counted by a counter") {
    Fixture fixture;
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

TEST_CASE("Ties of a sort stay in creation order for either direction") {
    Fixture fixture;
    for (const char* text : {R"({"name":"1","rank":"b"})", R"({"name":"2","rank":"a"})",
                             R"({"name":"3","rank":"b"})", R"({"name":"4","rank":"a"})"}) {
        REQUIRE(fixture.insert(text));
    }
    CHECK(fixture.query("{}", sorted("rank")).names == Names{"2", "4", "1", "3"});
    const auto down = fixture.query("{}", sorted("rank", false));
    CHECK(down.names == Names{"1", "3", "2", "4"});
    CHECK(down.explained.at("access") == "order");
}

TEST_CASE("Numbers sort as text unless the setting says otherwise, and missing is lowest") {
    Fixture fixture;
    for (const char* text : {R"({"name":"nine","n":9})", R"({"name":"ten","n":10})",
                             R"({"name":"none"})", R"({"name":"text","n":"1"})"}) {
        REQUIRE(fixture.insert(text));
    }
    CHECK(fixture.query("{}", sorted("n")).names == Names{"none", "text", "ten", "nine"});
    CHECK(fixture.query("{}", sorted("n", false)).names == Names{"nine", "ten", "text", "none"});
    CHECK(fixture.query(R"({"n":{"$gt":0}})", sorted("n", true), {}, true).names ==
          Names{"nine", "ten"});
}

TEST_CASE("An equality is answered from the index without reading other records") {
    Fixture fixture;
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

TEST_CASE("A declared composite index answers a sorted page and its total by itself") {
    CollectionRules rules;
    rules.composite_indexes = {{"project", "title"}};
    Fixture fixture(rules);
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

TEST_CASE("A composite index that is declared later is built for the records there are") {
    Fixture fixture;
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

TEST_CASE("A shape of query that stays costly gets an index by itself") {
    Fixture fixture;
    for (int i = 0; i < 800; ++i) {
        REQUIRE(fixture.insert(R"({"name":")" + std::to_string(i) + R"(","p":1,"t":")" +
                               std::to_string(i % 37) + "\"}"));
    }
    Fixture::Page before;
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

TEST_CASE("A costly equality without a sort gets an index that counts, in creation order") {
    Fixture fixture;
    for (int i = 0; i < 1400; ++i) {
        // Custom ids fall while the records are made.
        REQUIRE(fixture.insert(
            R"({"name":")" + std::to_string(i) + R"(","p":)" + (i % 2 == 0 ? "true}" : "false}"),
            "id-" + std::to_string(9999 - i)));
    }
    sdk::PageRequest page;
    page.skip = 1;
    page.limit = 3;
    Fixture::Page before;
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

TEST_CASE("Conditions are explained on request") {
    Fixture fixture;
    for (int i = 0; i < 5; ++i)
        REQUIRE(fixture.insert(R"({"name":"ab|c","n":1})"));
    sdk::PageRequest page;
    page.explain = true;
    const auto explained = fixture.query(R"({"n":{"$gte":1}})", page).explained;
    CHECK(explained.at("conditions") == Json::array({"n $gte 1"}));
}

TEST_CASE("A literal beginning of a regular expression narrows, anything else does not") {
    Fixture fixture;
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

TEST_CASE("A record with an array where a composite index orders keeps the index from being used") {
    CollectionRules rules;
    rules.composite_indexes = {{"p", "t"}};
    Fixture fixture(rules);
    REQUIRE(fixture.insert(R"({"name":"a","p":1,"t":"x"})"));
    const std::string odd = fixture.insert(R"({"name":"b","p":1,"t":["y"]})").value();
    CHECK(fixture.query(R"({"p":1})", sorted("t")).explained.at("access") != "composite");
    REQUIRE(fixture.erase(odd));
    CHECK(fixture.query(R"({"p":1})", sorted("t")).explained.at("access") == "composite");
    CHECK(fixture.differences().empty());
}

TEST_CASE("Only visible records appear in rows and totals") {
    Fixture fixture;
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

TEST_CASE("A record with very many values is found all the same") {
    Fixture fixture;
    std::string wide = R"({"name":"wide","group":"g","values":[)";
    for (int i = 0; i < 600; ++i)
        wide += std::to_string(i) + ",";
    wide += "0]}";
    REQUIRE(fixture.insert(R"({"name":"narrow","group":"g"})"));
    const std::string id = fixture.insert(wide).value();
    CHECK(fixture.query(R"({"group":"g"})").names == Names{"narrow", "wide"});
    CHECK(fixture.query(R"({"group":"g"})", sorted("name", false)).names ==
          Names{"wide", "narrow"});
    CHECK(fixture.differences().empty());
    REQUIRE(fixture.replace(id, R"({"name":"slim","group":"g"})"));
    CHECK(fixture.query(R"({"group":"g"})").names == Names{"narrow", "slim"});
    CHECK(fixture.differences().empty());
}

TEST_CASE("Fields declared unindexed later lose their entries and are found by scanning") {
    Fixture fixture;
    REQUIRE(fixture.insert(R"({"name":"a","body":{"text":"long"}})"));
    fixture.rules.unindexed_fields = {"body"};
    REQUIRE(fixture.insert(R"({"name":"b","body":{"text":"long"}})"));
    const auto result = fixture.query(R"({"body.text":"long"})");
    CHECK(result.names == Names{"a", "b"});
    CHECK(result.explained.at("access") == "collection");
    CHECK(fixture.differences().empty());
}

TEST_CASE("A removed collection is swept step by step, and nothing of it stays") {
    Fixture fixture;
    for (int i = 0; i < 20; ++i) {
        REQUIRE(
            fixture.insert(R"({"name":")" + std::to_string(i) + R"("})", "id" + std::to_string(i)));
    }
    const auto& removed = fixture.collection;
    REQUIRE(fixture.write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
        fixture.store.mark_removed(transaction, {removed, "article"});
        return {};
    }));
    CHECK(fixture.store.is_removed(*fixture.engine.snapshot(), removed).value());
    const auto listed = fixture.store.removed_collections(*fixture.engine.snapshot(), 7).value();
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].type == "article");
    CHECK(listed[0].id == removed);

    int steps = 0;
    for (bool is_left = true; is_left; ++steps) {
        REQUIRE(fixture.write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            const auto swept = fixture.store.sweep_removed(transaction, removed, 10);
            if (swept) is_left = !*swept;
            return done(swept);
        }));
        REQUIRE(steps < 1000);
    }
    CHECK(steps > 6);  // 20 records, twice 20 rows of names and more of indexes
    const std::string platform = sdk::KeyWriter().integer(7).key();
    const auto reader = fixture.engine.snapshot();
    const auto left =
        reader->scan({platform, sdk::prefix_end(platform)}, sdk::ScanDirection::forward);
    REQUIRE(left->is_valid());  // the number of the last collection
    CHECK(left->key() == record_counter({7, 0}));
    left->next();
    CHECK_FALSE(left->is_valid());
    CHECK_FALSE(fixture.store.is_removed(*fixture.engine.snapshot(), removed).value());
}

TEST_CASE("Collections are told apart by platform, type and container") {
    Fixture fixture;
    const auto reader = fixture.engine.snapshot();
    const auto find = [&](std::uint64_t platform, std::string_view type,
                          std::string_view container) {
        return fixture.store.find_collection(*reader, platform, type, container).value();
    };
    CHECK((find(7, "article", "box") == fixture.collection));
    CHECK_FALSE(find(8, "article", "box").has_value());
    CHECK_FALSE(find(7, "articlebox", "").has_value());
    const auto info = fixture.store.describe(*reader, fixture.collection).value();
    REQUIRE(info);
    CHECK(info->type == "article");
    CHECK(info->container == "box");
}

TEST_CASE("A collection that was opened and dropped with its transaction is not remembered") {
    Fixture fixture;
    {
        const auto transaction = fixture.engine.begin();
        REQUIRE(fixture.store.open_collection(*transaction, 7, "dropped", "box").has_value());
        REQUIRE(
            fixture.store.find_collection(*transaction, 7, "dropped", "box").value().has_value());
    }
    CHECK_FALSE(fixture.store.find_collection(*fixture.engine.snapshot(), 7, "dropped", "box")
                    .value()
                    .has_value());
}

TEST_CASE("Writers of different records never conflict") {
    CollectionRules rules;
    rules.composite_indexes = {{"group", "name"}};
    rules.unique_fields = {"name"};
    Fixture fixture(rules);
    REQUIRE(fixture.insert(R"({"name":"first","group":1,"tags":["a"]})"));
    std::atomic<int> conflicts = 0;
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 8; ++writer) {
        writers.emplace_back([&, writer] {
            for (int i = 0; i < 40; ++i) {
                const Json fields = {{"name", std::to_string(writer) + "/" + std::to_string(i)},
                                     {"group", i % 3},
                                     {"tags", {"a", "b"}}};
                const auto transaction = fixture.engine.begin();
                const auto inserted = fixture.store.insert(*transaction, fixture.collection, rules,
                                                           {next_sequence(), "", fields, ""});
                if (!inserted || !sdk::commit_and_wait(*transaction)) ++conflicts;
            }
        });
    }
    for (std::thread& writer : writers)
        writer.join();
    CHECK(conflicts == 0);
    CHECK(fixture.query("{}").total == 321);
    CHECK(fixture.differences().empty());
}

TEST_CASE("A check tells what is wrong") {
    Fixture fixture;
    const std::string id = fixture.insert(R"({"name":"a"})").value();
    Sequence sequence;
    REQUIRE(parse_sequence(id, sequence));
    REQUIRE(fixture.differences().empty());
    REQUIRE(fixture.write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
        transaction.remove(record_path(fixture.collection, sequence));
        return {};
    }));
    // The number of records, and the entry without a record.
    CHECK(fixture.differences().size() == 2);
}

}  // namespace stele::kernel::storage
