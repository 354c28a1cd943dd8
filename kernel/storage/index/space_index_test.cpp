#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/storage/document/document_store_test_fixture.hpp"

namespace stele::kernel::storage {

namespace {

/// A collection that takes the store itself for its space.
class SpaceFixture : public StoreFixture {
public:
    SpaceFixture() : StoreFixture(rules_in_space()) {}

    sdk::Result<void> add(const std::string& name, std::vector<sdk::IndexMember> members) {
        return write([&](sdk::Transaction& transaction) {
            return store.add_index(transaction, collection, rules, {name, members});
        });
    }
    bool build(std::size_t most) {
        bool is_done = false;
        write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            is_done = store.build_indexes(transaction, collection, rules, most).value();
            return {};
        }).value();
        return is_done;
    }
    std::vector<std::string> differences() {
        return store.check(*engine.snapshot(), [this](CollectionId) {
            return sdk::Result<std::optional<DocumentStore::CheckedSpace>>(
                DocumentStore::CheckedSpace{engine.snapshot(), &rules});
        });
    }

private:
    static CollectionRules rules_in_space() {
        CollectionRules rules;
        rules.unindexed_fields = {"secret"};
        rules.is_in_space = true;
        return rules;
    }
};

std::string good(const std::string& name, const std::string& kind, const std::string& price) {
    return R"({"name":")" + name + R"(","kind":")" + kind + "\"" +
           (price.empty() ? "" : ",\"price\":" + price) + "}";
}

}  // namespace

TEST_CASE("an index of a space is built in steps, kept up meanwhile and used when it is complete") {
    SpaceFixture fixture;
    std::vector<std::string> ids;
    for (const char* name : {"0", "1", "2", "3", "4", "5"})
        ids.push_back(fixture.insert(good(name, "a", name)).value());
    REQUIRE(fixture.add("kind", {{"kind"}, {"price"}}));
    CHECK_FALSE(fixture.build(2));
    REQUIRE(fixture.replace(ids[0], good("0", "a", "9")));
    REQUIRE(fixture.erase(ids[1]));
    REQUIRE(fixture.replace(ids[4], good("4", "b", "9")));
    REQUIRE(fixture.insert(good("6", "a", "35")));
    const Names expected{"2", "3", "6", "5", "0"};
    const auto early = fixture.query(R"({"kind":"a"})", sorted("price"));
    CHECK(early.names == expected);
    CHECK(early.explained.at("access") != "composite");
    CHECK(fixture.differences() == Names());

    CHECK_FALSE(fixture.build(2));
    CHECK(fixture.build(2));
    CHECK(fixture.build(2));
    const auto page = fixture.query(R"({"kind":"a"})", sorted("price", false, 1, 2));
    CHECK(page.names == Names{"5", "6"});
    CHECK(page.total == 5);
    CHECK(page.explained.at("index") == "kind");
    CHECK(page.explained.at("records") == 2);
    CHECK(fixture.differences() == Names());
}

TEST_CASE("a costly list of a space says which index it wants, until there is one") {
    SpaceFixture fixture;
    for (int i = 0; i < 600; ++i) {
        const std::string name = std::to_string(i);
        REQUIRE(fixture.insert(good(name, i % 2 == 0 ? "a" : "b", name)));
    }
    // Each has a price, so the prices tell the order.
    CHECK_FALSE(fixture.query(R"({"kind":"a"})", sorted("price", true, 0, 5)).wanted.has_value());
    REQUIRE(fixture.insert(good("without", "a", "")));
    const std::string query = R"({"kind":"a"})";
    const auto dear = fixture.query(query, sorted("price", true, 0, 5));
    CHECK(dear.names.size() == 5);
    REQUIRE(dear.wanted.has_value());
    CHECK(dear.wanted->members == Names{"kind", "price"});
    CHECK(dear.wanted->rows == 5);
    CHECK(dear.wanted->looked_at >= 600);
    CHECK(dear.explained.at("wanted_index") == Json{"kind", "price"});
    // A page of most of what was looked at, a list of few, and one by a single member want none.
    CHECK_FALSE(fixture.query(query, sorted("price", true, 0, 200)).wanted.has_value());
    CHECK_FALSE(
        fixture.query(R"({"kind":"a","price":7})", sorted("name", true, 0, 5)).wanted.has_value());
    CHECK_FALSE(fixture.query("{}", sorted("name", true, 0, 5)).wanted.has_value());

    // Further pages reach as far into an index.
    CHECK_FALSE(fixture.query(query, sorted("price", true, 200, 5)).wanted.has_value());
    // Sorted by what is the same in all.
    const auto twice = fixture.query(query, sorted("kind", true, 0, 5));
    CHECK_FALSE(twice.wanted.has_value());
    CHECK_FALSE(twice.explained.contains("wanted_index"));

    REQUIRE(fixture.add("kind", {{"kind"}, {"price"}}));
    CHECK_FALSE(fixture.query(query, sorted("price", true, 0, 5)).wanted.has_value());
    while (!fixture.build(100)) {
    }
    const auto cheap = fixture.query(query, sorted("price", true, 0, 5));
    CHECK(cheap.explained.at("access") == "composite");
    CHECK_FALSE(cheap.wanted.has_value());
    CHECK_FALSE(cheap.explained.contains("wanted_index"));
}

TEST_CASE("a sort by an index knows missing members and values of several types") {
    SpaceFixture fixture;
    REQUIRE(fixture.add("kind", {{"kind"}, {"price"}}));
    REQUIRE(fixture.add("alone", {{"price"}}));
    CHECK_FALSE(fixture.build(1));
    CHECK(fixture.build(1));
    const std::vector<std::pair<const char*, const char*>> goods{
        {"ten", "10"}, {"nine", "9"}, {"none", ""}, {"text", "\"5\""}, {"flag", "true"}};
    for (const auto& [name, price] : goods)
        REQUIRE(fixture.insert(good(name, "a", price)));
    for (const char* query : {R"({"kind":"a"})", "{}"}) {
        const auto as_text = fixture.query(query, sorted("price"));
        CHECK(as_text.names == Names{"none", "ten", "text", "nine", "flag"});
        CHECK(as_text.explained.at("access") == "composite");
        const auto by_value = fixture.query(query, sorted("price", false), {}, true);
        CHECK(by_value.names == Names{"flag", "text", "ten", "nine", "none"});
        CHECK(by_value.explained.at("access") == "composite");
        CHECK(by_value.total == 5);
    }
    // An array has no place in the order.
    REQUIRE(fixture.insert(good("many", "a", "[7,8]")));
    const auto page = fixture.query(R"({"kind":"a"})", sorted("price"));
    CHECK(page.names == Names{"none", "ten", "text", "nine", "many", "flag"});
    CHECK(page.explained.at("access") != "composite");
    CHECK(fixture.query(R"({"kind":"a","price":{"$gt":7,"$lt":9}})").names == Names{"many"});
}

TEST_CASE("wrong indexes of a space are refused, and one that is taken away is not used") {
    SpaceFixture fixture;
    const auto code = [&](std::vector<sdk::IndexMember> members) {
        const auto added = fixture.add("new", std::move(members));
        return added ? std::string() : added.error().violations.at(0).path;
    };
    CHECK(code({}) == "index");
    CHECK(code(std::vector<sdk::IndexMember>(9, {"a"})) == "index");
    CHECK(code({{"a"}, {"b"}, {"a"}}) == "index.a");
    CHECK(code({{"a"}, {"secret.part"}}) == "index.secret.part");
    CHECK(code({{"_doc"}}) == "index._doc");
    REQUIRE(fixture.insert(good("x", "a", "1")));
    REQUIRE(fixture.add("kind", {{"kind"}, {"price"}}));
    CHECK(fixture.add("kind", {{"price"}}).error().code == "document.index_exists");
    CHECK(fixture.build(9));
    const auto remove = [&](std::string_view name) {
        return fixture.write([&](sdk::Transaction& transaction) {
            return fixture.store.remove_index(transaction, fixture.collection, fixture.rules, name);
        });
    };
    CHECK(remove("other").error().code == "document.index_unknown");
    REQUIRE(remove("kind"));
    REQUIRE(fixture.insert(good("y", "a", "0")));
    const auto page = fixture.query(R"({"kind":"a"})", sorted("price"));
    CHECK(page.names == Names{"y", "x"});
    CHECK(page.explained.at("access") != "composite");
    REQUIRE(fixture.add("kind", {{"kind"}, {"price"}}));
    CHECK(fixture.build(9));
    CHECK(fixture.query(R"({"kind":"a"})", sorted("price")).names == Names{"y", "x"});
    CHECK(fixture.differences() == Names());
}

TEST_CASE("what the indexes of a space lack about a record is put back, and counted") {
    SpaceFixture fixture;
    const std::string id = fixture.insert(good("0", "a", "5")).value();
    fixture.insert(good("1", "a", "6")).value();
    REQUIRE(fixture.add("kind", {{"kind"}, {"price"}}));
    REQUIRE(fixture.build(9));
    REQUIRE(fixture.differences().empty());
    const auto missing = [&] {
        return fixture.store
            .missing_entries(*fixture.engine.snapshot(), fixture.collection, fixture.rules, id)
            .value();
    };
    CHECK(missing().count() == 0);
    const Sequence sequence = missing().sequence;
    std::size_t lost = 0;
    fixture
        .write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            lost = 0;
            for (const char kind : {'x', 'y'}) {
                const std::string prefix = collection_prefix(fixture.collection, kind);
                std::vector<std::string> keys;
                const auto cursor = transaction.scan({prefix, sdk::prefix_end(prefix)},
                                                     sdk::ScanDirection::forward);
                for (; cursor->is_valid(); cursor->next()) {
                    // The row that describes the indexes is shorter.
                    const bool is_entry = cursor->key().size() > prefix.size() + kSequenceSize;
                    if (is_entry && sequence_of(cursor->key()) == sequence)
                        keys.emplace_back(cursor->key());
                }
                for (const std::string& key : keys)
                    transaction.remove(key);
                lost += keys.size();
            }
            return {};
        })
        .value();
    REQUIRE(lost > 4);
    REQUIRE(fixture.query(R"({"kind": "a"})").names == Names{"1"});
    CHECK(missing().count() == lost);
    fixture
        .write([&](sdk::Transaction& transaction) {
            return fixture.store.put_missing(transaction, fixture.collection, fixture.rules,
                                             missing());
        })
        .value();
    CHECK(missing().count() == 0);
    CHECK(fixture.differences().empty());
    CHECK(fixture.query(R"({"kind": "a"})").names == Names{"0", "1"});
}

}  // namespace stele::kernel::storage
