// Pages, bounds and searches over a collection of nodes in memory. Whoever acts is the server,
// which may READ everything; rights are tested over the wire
// (plugins/graphql/tests/graphql.test.mjs).
#include "branch_rows.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::graphql::testing {

namespace {

[[noreturn]] void not_wanted() {
    throw std::logic_error("reading nodes needs no more than documents");
}

/// Of queries it knows equality and `$in` of single members.
class NodesInMemory final : public sdk::Documents {
public:
    std::vector<sdk::Json> all;
    std::vector<std::int64_t> limits;

    sdk::Result<sdk::Document> read(const sdk::CollectionName& collection,
                                    std::string_view id) override {
        CHECK(collection.type == "node");
        CHECK(collection.container_key == "the branch");
        for (const sdk::Json& node : all) {
            if (sdk::text_member(node, "_doc") == id) return document(node);
        }
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown", "no such node");
    }
    sdk::Result<sdk::DocumentPage> query(const sdk::CollectionName&, const sdk::Json& query,
                                         const sdk::PageRequest& page) override {
        limits.push_back(page.limit);
        sdk::DocumentPage found;
        for (const sdk::Json& node : all) {
            if (!fits(node, query)) continue;
            if (found.total_rows++ < page.skip) continue;
            if (found.rows.size() < static_cast<std::size_t>(page.limit))
                found.rows.push_back(document(node));
        }
        return found;
    }

    sdk::Result<std::shared_ptr<const sdk::Document>> look_at(const sdk::CollectionName&,
                                                              std::string_view) override {
        not_wanted();
    }
    sdk::Result<sdk::Document> read(const sdk::RecordKey&) override { not_wanted(); }
    sdk::Result<std::string> read_text(const sdk::RecordKey&) override { not_wanted(); }
    sdk::Result<bool> reads_all(const sdk::CollectionName&) override { not_wanted(); }
    sdk::Result<sdk::Document> create(const sdk::CollectionName&, sdk::Json) override {
        not_wanted();
    }
    sdk::Result<sdk::Document> create_hidden(const sdk::CollectionName&, sdk::Json) override {
        not_wanted();
    }
    sdk::Result<sdk::Document> update(const sdk::CollectionName&, std::string_view,
                                      sdk::Json) override {
        not_wanted();
    }
    sdk::Result<sdk::Document> patch(const sdk::CollectionName&, std::string_view,
                                     const sdk::Json&) override {
        not_wanted();
    }
    sdk::Result<void> remove(const sdk::CollectionName&, std::string_view) override {
        not_wanted();
    }
    sdk::Result<void> set_alias(const sdk::CollectionName&, std::string_view,
                                std::string_view) override {
        not_wanted();
    }
    sdk::Result<void> remove_alias(const sdk::CollectionName&, std::string_view,
                                   std::string_view) override {
        not_wanted();
    }

private:
    static sdk::Document document(const sdk::Json& node) {
        sdk::Document found;
        found.id = sdk::text_member(node, "_doc");
        found.key = found.id;
        found.fields = node;
        return found;
    }
    static bool fits(const sdk::Json& node, const sdk::Json& query) {
        const auto holds = [&](const std::string& member, const sdk::Json& wanted) {
            if (member == "$and")
                return std::all_of(wanted.begin(), wanted.end(),
                                   [&](const sdk::Json& part) { return fits(node, part); });
            const sdk::Json value = node.value(member, sdk::Json());
            if (!wanted.is_object()) return value == wanted;
            const sdk::Json& among = wanted.at("$in");
            return std::find(among.begin(), among.end(), value) != among.end();
        };
        const auto members = query.items();
        return std::all_of(members.begin(), members.end(),
                           [&](const auto& member) { return holds(member.key(), member.value()); });
    }
};

class ReadingContext final : public sdk::Context {
public:
    ReadingContext() { session_.is_system = true; }

    NodesInMemory nodes;

    const sdk::Session& session() const override { return session_; }
    sdk::Documents& documents() override { return nodes; }
    sdk::Authorities& authorities() override { not_wanted(); }
    sdk::DataStores& data_stores() override { not_wanted(); }
    sdk::Transaction& transaction() override { not_wanted(); }
    std::string key_space(std::string_view) override { not_wanted(); }
    std::string shared_key_space(std::string_view) override { not_wanted(); }
    sdk::ContextPart* part(std::string_view) override { not_wanted(); }
    void keep(std::string_view, std::unique_ptr<sdk::ContextPart>) override { not_wanted(); }
    void after_commit(std::function<void()>) override { not_wanted(); }
    sdk::Result<std::string> reference(const sdk::RecordKey&) override { not_wanted(); }
    sdk::Result<sdk::RecordKey> find_reference(std::string_view) override { not_wanted(); }
    sdk::Result<sdk::Json> read_reference(std::string_view) override { not_wanted(); }
    sdk::Context& as_system() override { return *this; }

private:
    sdk::Session session_;
};

/// Finds given nodes, best first, as far as they are accepted.
class SearchInMemory final : public sdk::NodeSearch {
public:
    std::vector<std::string> ids;
    std::uint64_t more = 0;

    sdk::Result<sdk::NodeHits> search(sdk::Context&, const sdk::RecordKey& branch,
                                      const sdk::Json& expression,
                                      const sdk::NodeSearchLimits& limits) override {
        CHECK(branch == "the branch");
        CHECK(expression == "words");
        sdk::NodeHits hits;
        for (const std::string& id : ids) {
            if (*limits.accepts(id)) hits.best.push_back({id, 1.0});
        }
        hits.total = hits.best.size() + more;
        return hits;
    }

    sdk::Result<void> rebuild(sdk::Context&, const sdk::RecordKey&,
                              const std::function<bool()>&) override {
        return {};
    }
};

sdk::Json node(int number, const char* type = "t:it") {
    return {{"_doc", std::to_string(number)}, {"_type", type}, {"even", number % 2 == 0}};
}

std::string ids_of(const sdk::Result<std::vector<sdk::Json>>& rows) {
    std::string ids;
    for (const sdk::Json& row : *rows)
        ids += sdk::text_member(row, "_doc") + " ";
    return ids;
}

}  // namespace

TEST_CASE("pages of a type are cut out of it") {
    ReadingContext context;
    for (int i = 0; i < 10; ++i)
        context.nodes.all.push_back(node(i, i == 4 ? "t:other" : "t:it"));
    BranchRows rows(context, "the branch", nullptr);
    CHECK(ids_of(rows.rows({.type = "t:it"})) == "0 1 2 3 5 6 7 8 9 ");
    CHECK(ids_of(rows.rows({.type = "t:it", .skip = 3, .limit = 2})) == "3 5 ");
    CHECK(ids_of(rows.rows({.type = "t:it", .query = {{"even", true}}, .limit = -1})) ==
          "0 2 6 8 ");
    CHECK(ids_of(rows.rows({.type = "t:it", .query = {{"_type", "t:other"}}})).empty());
    CHECK(ids_of(rows.rows({.type = "t:it", .skip = 100})).empty());
    CHECK(ids_of(rows.rows({.type = "t:it", .limit = 0})).empty());
    CHECK(rows.bound().empty());
    CHECK(rows.row("t:it", "3")->at("_doc") == "3");
    CHECK(rows.row("t:it", "4")->is_null());
    CHECK(rows.row("", "4")->at("_doc") == "4");
    CHECK(rows.row("", "nothing")->is_null());
}

TEST_CASE("a request looks at a bounded number of nodes and says so") {
    ReadingContext context;
    context.nodes.all.assign(20'001, node(1));
    BranchRows cut(context, "the branch", nullptr);
    CHECK(cut.rows({.type = "t:it", .limit = -1})->size() == 20'000);
    CHECK(cut.bound() == "rows");
    CHECK(cut.rows({.type = "t:it"})->empty());
    CHECK(context.nodes.limits.back() == 0);
    BranchRows enough(context, "the branch", nullptr);
    CHECK(enough.rows({.type = "t:it", .skip = 19'000})->size() == 1000);
    CHECK(enough.bound().empty());
    context.nodes.all.pop_back();
    BranchRows exact(context, "the branch", nullptr);
    CHECK(exact.rows({.type = "t:it", .limit = -1})->size() == 20'000);
    CHECK(exact.rows({.type = "t:none"})->empty());
    CHECK(exact.bound().empty());
}

TEST_CASE("large nodes are read in small batches, up to a bound in bytes") {
    ReadingContext context;
    sdk::Json large = node(1);
    large["text"] = std::string(1'000'000, 'x');
    context.nodes.all.assign(100, large);
    BranchRows few(context, "the branch", nullptr);
    CHECK(few.rows({.type = "t:it", .limit = 3})->size() == 3);
    CHECK(context.nodes.limits == std::vector<std::int64_t>{3});
    context.nodes.limits.clear();
    BranchRows cut(context, "the branch", nullptr);
    CHECK(cut.rows({.type = "t:it", .limit = 10})->size() == 10);
    CHECK(cut.bound().empty());
    // 10 so far, then 20, then 8 at a time until 64 MiB are reached.
    CHECK(cut.rows({.type = "t:it", .limit = -1})->size() == 60);
    CHECK(cut.bound() == "bytes");
    CHECK(cut.rows({.type = "t:it"})->empty());
    context.nodes.all.assign(1000, large);
    context.nodes.limits.clear();
    BranchRows many(context, "the branch", nullptr);
    CHECK(many.rows({.type = "t:it", .limit = 1})->size() == 1);
    CHECK(many.rows({.type = "t:it", .skip = 1, .limit = 1})->size() == 1);
    CHECK(many.bound().empty());
    CHECK(context.nodes.limits == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("hits come best first, those of other types left out") {
    ReadingContext context;
    for (int i = 0; i < 6; ++i)
        context.nodes.all.push_back(node(i, i == 4 ? "t:other" : "t:it"));
    SearchInMemory search;
    search.ids = {"3", "4", "gone", "0", "2"};
    BranchRows rows(context, "the branch", &search);
    CHECK(ids_of(rows.rows({.type = "t:it", .search = "words"})) == "3 0 2 ");
    CHECK(ids_of(rows.rows({.type = "t:it", .search = "words", .skip = 1, .limit = 1})) == "0 ");
    CHECK(ids_of(rows.rows({.type = "t:it", .search = "words", .skip = 9})).empty());
    CHECK(ids_of(rows.rows({.type = "t:it", .query = {{"even", true}}, .search = "words"})) ==
          "0 2 ");
    CHECK(ids_of(rows.rows({.type = "t:it", .query = {{"_doc", "2"}}, .search = "words"})) == "2 ");
    CHECK(rows.bound().empty());
    search.more = 1;
    CHECK(rows.rows({.type = "t:it", .search = "words"})->size() == 3);
    CHECK(rows.bound() == "hits");
    BranchRows without(context, "the branch", nullptr);
    CHECK(without.rows({.type = "t:it", .search = "words"}).error().code ==
          "graphql.search_missing");
}

}  // namespace stele::graphql::testing
