#include <atomic>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/storage/document/document_store_test_fixture.hpp"
#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

TEST_CASE("a record is read by its generated id, its custom id and its aliases") {
    StoreFixture fixture;
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

    const auto forget = [&](const std::string& name) {
        return fixture.write([&](sdk::Transaction& transaction) {
            return fixture.store.remove_alias(transaction, fixture.collection, name, sequence);
        });
    };
    REQUIRE(alias("other"));
    REQUIRE(forget("other"));
    CHECK(name_of("other").empty());
    REQUIRE(forget("nobody"));
    REQUIRE(forget("my-id"));
    CHECK(name_of("my-id") == "custom");
    CHECK(name_of("primary") == "plain");
    CHECK(fixture.differences().empty());

    REQUIRE(fixture.erase(plain));
    CHECK(name_of("primary").empty());
    CHECK(fixture.differences().empty());
}

TEST_CASE("a custom id that looks like a generated one works") {
    StoreFixture fixture;
    const std::string id = "00000000000000000abc";
    REQUIRE(fixture.insert(R"({"name":"odd"})", id));
    Record record;
    CHECK(fixture.store.read(*fixture.engine.snapshot(), fixture.collection, id, record).value());
    CHECK(fixture.insert(R"({"name":"again"})", id).error().code == "document.id_taken");
    const std::string generated = fixture.insert(R"({})").value();
    CHECK(fixture.insert(R"({})", generated).error().code == "document.id_taken");
}

TEST_CASE("a unique value is held by one record, also after updates and deletes") {
    CollectionRules rules;
    rules.unique_fields = {"key", "mail"};
    StoreFixture fixture(rules);
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

TEST_CASE("long unique values are told apart although keys are short") {
    CollectionRules rules;
    rules.unique_fields = {"key"};
    StoreFixture fixture(rules);
    const std::string common(5000, 'x');
    REQUIRE(fixture.insert(R"({"key":")" + common + R"(1"})"));
    CHECK(fixture.insert(R"({"key":")" + common + R"(2"})"));
    CHECK(fixture.insert(R"({"key":")" + common + R"(1"})").has_error());
    CHECK(fixture.differences().empty());
}

TEST_CASE("a record with very many values is found all the same") {
    StoreFixture fixture;
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

TEST_CASE("fields declared unindexed later lose their entries and are found by scanning") {
    StoreFixture fixture;
    REQUIRE(fixture.insert(R"({"name":"a","body":{"text":"long"}})"));
    fixture.rules.unindexed_fields = {"body"};
    REQUIRE(fixture.insert(R"({"name":"b","body":{"text":"long"}})"));
    const auto result = fixture.query(R"({"body.text":"long"})");
    CHECK(result.names == Names{"a", "b"});
    CHECK(result.explained.at("access") == "collection");
    CHECK(fixture.differences().empty());
}

TEST_CASE("a removed collection is swept step by step, and nothing of it stays") {
    StoreFixture fixture;
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

TEST_CASE("collections are told apart by platform, type and container") {
    StoreFixture fixture;
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

TEST_CASE("a collection that was opened and dropped with its transaction is not remembered") {
    StoreFixture fixture;
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

TEST_CASE("a transaction knows a collection that was opened since it began") {
    StoreFixture fixture;
    const auto early = fixture.engine.begin();
    const auto opening = fixture.engine.begin();
    const auto opened = fixture.store.open_collection(*opening, 7, "late", "box").value();
    REQUIRE(sdk::commit_and_wait(*opening));
    REQUIRE((fixture.store.find_collection(*fixture.engine.snapshot(), 7, "late", "box").value() ==
             opened));
    REQUIRE((fixture.store.find_collection(*early, 7, "late", "box").value() == opened));
    early->put("own", "write");
    const auto info = fixture.store.describe(*early, opened).value();
    REQUIRE(info);
    CHECK(info->type == "late");
    CHECK(info->container == "box");
    CHECK_FALSE(fixture.store.describe(*early, {7, opened.number + 1}).value());
}

TEST_CASE("writers of different records never conflict") {
    CollectionRules rules;
    rules.composite_indexes = {{"group", "name"}};
    rules.unique_fields = {"name"};
    StoreFixture fixture(rules);
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

TEST_CASE("a check tells what is wrong") {
    StoreFixture fixture;
    const std::string id = fixture.insert(R"({"name":"a"})").value();
    Sequence sequence;
    REQUIRE(parse_sequence(id, sequence));
    REQUIRE(fixture.differences().empty());
    REQUIRE(fixture.write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
        transaction.remove(record_path(fixture.collection, sequence));
        return {};
    }));
    // The number of records, that of names, and the entry without a record.
    CHECK(fixture.differences().size() == 3);
}

TEST_CASE("a record has index entries up to the bound, and none of its own beyond it") {
    StoreFixture fixture;
    const auto insert = [&](std::size_t entries) {
        Json fields = Json::object();
        for (std::size_t i = 0; i < entries; ++i)
            fields["tags"].push_back("tag " + std::to_string(i));
        REQUIRE(fixture.insert(fields.dump()));
    };
    const auto over_indexed = [&] {
        return sdk::read_counter(
            fixture.engine.snapshot()->get(over_indexed_counter(fixture.collection)).value());
    };
    insert(kMaxEntries);
    CHECK(over_indexed() == 0);
    insert(kMaxEntries + 1);
    CHECK(over_indexed() == 1);
    CHECK(fixture.query(R"({"tags":"tag 7"})").total == 2);
}

}  // namespace stele::kernel::storage
