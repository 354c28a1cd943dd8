// Imports whose content goes into the store before they end
// (docs/decisions/0151-imports-of-large-branches.md).
#include <optional>

#include <catch2/catch.hpp>

#include <stele/sdk/json_difference.hpp>

#include "attachment/content_log.hpp"
#include "history/history.hpp"
#include "history/purge.hpp"
#include "tests/nodes/load_world.hpp"

namespace stele::tests {

TEST_CASE("a branch that comes by loads says the same as one that was written otherwise") {
    Loads from;
    const auto brought = from.bring_in(many(), {.branch = from.branch});
    REQUIRE(brought.has_value());
    CHECK(brought->created == kMany + 1);
    const auto first = from.take_out({.branch = from.branch});
    REQUIRE(first.has_value());
    const sdk::RecordKey other = from.world.add_repository();
    const auto again = from.bring_in(*first, {.branch = other});
    REQUIRE(again.has_value());
    const auto second = from.take_out({.branch = other});
    REQUIRE(second.has_value());
    const auto there = in_words_of(*first, again->ids);
    const auto here = in_words_of(*second, {});
    CHECK(there.size() == here.size());
    for (const auto& [id, fields] : there) {
        const std::string type = sdk::text_member(fields, "_type");
        if (type == "n:person" || type == "n:root") continue;
        INFO(fields.dump(1));
        REQUIRE(here.contains(id));
        REQUIRE(sdk::is_same_json(fields, here.at(id)));
    }
    CHECK(from.count(from.branch, {{"number", {{"$gte", 0}}}}) == kMany);
    // The same twice is the same.
    const std::string tip = from.tip(other);
    const auto nothing = from.bring_in(*second, {.branch = other, .strategy = kClone});
    REQUIRE(nothing.has_value());
    CHECK(nothing->skipped > kMany);
    CHECK(from.tip(other) == tip);
    CHECK(from.count(other, {{"number", {{"$gte", 0}}}}) == kMany);
}

TEST_CASE("a loaded branch is written on like any other") {
    Loads loads;
    const std::string before = loads.tip(loads.branch);
    const auto brought = loads.bring_in(many(), {.branch = loads.branch});
    REQUIRE(brought.has_value());
    const std::string loaded = loads.tip(loads.branch);
    CHECK(loaded != before);
    const std::string node = brought->ids.at("n7");
    loads.change(loads.branch, [&node](const nodes::BranchContent& content) {
        must(content.context().documents().patch(content.nodes(), node, {{"title", "other"}}));
    });
    loads.remove(loads.branch, brought->ids.at("n9"));
    CHECK(loads.count(loads.branch, {{"title", "other"}}) == 1);
    CHECK(loads.count(loads.branch, {{"title", "n7"}}) == 0);
    CHECK(loads.count(loads.branch, {{"number", {{"$gte", 0}}}}) == kMany - 1);
    const auto then = loads.take_out({.branch = loads.branch, .changeset = loaded});
    REQUIRE(then.has_value());
    CHECK(titled(*then, "n7").id == node);
    CHECK(titled(*then, "n9").fields["_system"]["changeset"] == loaded);
}

TEST_CASE("what a load has written has the number that its commit gave") {
    Loads loads;
    const nodes::Revision before = *nodes::revision_of(loads.tip(loads.branch));
    const auto brought = loads.bring_in(many(), {.branch = loads.branch});
    REQUIRE(brought.has_value());
    const std::string changeset = loads.tip(loads.branch);
    const nodes::Revision number = *nodes::revision_of(changeset);
    CHECK(number == before + 1);
    const std::string node = brought->ids.at("n7");
    const std::string gone = brought->ids.at("n9");
    loads.change(loads.branch, [&node](const nodes::BranchContent& content) {
        must(content.context().documents().patch(content.nodes(), node, {{"title", "other"}}));
    });
    loads.remove(loads.branch, gone);
    CHECK(*nodes::revision_of(loads.tip(loads.branch)) == number + 2);

    // Whoever follows the content.
    const auto reader = loads.world.services().registrar.engine().snapshot();
    nodes::ContentLog log(loads.world.services());
    const nodes::BranchPlace place = loads.place();
    const sdk::ContentSpace space{place.platform, place.repository};
    std::map<nodes::Revision, std::set<std::string>> written;
    must(log.for_each_after(*reader, space, before, [&](const sdk::ContentVersion& version) {
        CHECK(version.line == place.line);
        CHECK(version.text.empty() == version.is_removed);
        written[version.revision].insert(version.node);
        return true;
    }));
    REQUIRE(written.size() == 3);
    CHECK(written[number].size() >= brought->ids.size());
    CHECK(written[number].contains(node));
    CHECK(written[number + 1].contains(node));
    const auto shown =
        must(log.shown(*reader, must(log.view(*reader, loads.branch)), brought->ids.at("n8")));
    REQUIRE(shown.has_value());
    CHECK(shown->revision == number);

    // Whoever looks back.
    loads.change(loads.branch, [&](const nodes::BranchContent& content) {
        const nodes::History history(content);
        const auto versions = must(history.versions(node, 10)).places;
        REQUIRE(versions.size() == 2);
        CHECK(versions[0].revision == number + 1);
        CHECK(versions[1].revision == number);
        const sdk::Json former = must(history.read(node, versions[1])).value();
        CHECK(former["title"] == "n7");
        CHECK(former["_system"]["changeset"] == changeset);
        CHECK(must(history.find(node, changeset)).revision == number);
        CHECK_FALSE(must(history.before(node, versions[1])).has_value());
        const auto records = must(content.node(brought->ids.at("n8")));
        CHECK(records.fields["_system"]["changeset"] == changeset);
    });
    // A fork of what was before it, of it, and the list of its nodes.
    const auto fork_of = [&](const std::string& from) {
        return loads.world.branch_key(sdk::text_member(
            must(loads.world.ask(
                TransferWorld::kAnn,
                {.method = "POST",
                 .path = "",
                 .values = {},
                 .parameters = {{"branch", loads.world.master()}, {"changeset", from}}})),
            "_doc"));
    };
    CHECK(loads.numbered(fork_of(changeset)) == kMany);
    CHECK(loads.numbered(fork_of("0:root")) == 0);
    CHECK(loads.numbered(loads.branch) == kMany - 1);
    const auto then = loads.take_out({.branch = loads.branch, .has_history = true});
    REQUIRE(then.has_value());
    std::size_t loaded = 0;
    for (const sdk::ContentItem& item : *then)
        loaded += item.changeset == changeset && item.fields.contains("number") ? 1 : 0;
    CHECK(loaded == kMany);
}

TEST_CASE(
    "whoever was told of a branch before a load knows it behind that, but not after a reset") {
    Loads loads;
    nodes::Services& services = loads.world.services();
    std::optional<nodes::PurgeOrder> order;
    loads.change(loads.branch, [&](const nodes::BranchContent& content) {
        order = must(nodes::PurgeOrder::now(services, content.context(), loads.branch));
    });
    const nodes::Line line = loads.place().line;
    const auto opened = [&] {
        std::string code;
        loads.change(loads.branch, [&](const nodes::BranchContent& content) {
            auto known = order->open(services, content.context(), content.principal());
            code = known ? "" : known.error().code;
        });
        return code;
    };
    const auto goes_on = [&] {
        const auto reader = services.registrar.engine().snapshot();
        const auto view = must(nodes::ContentLog(services).view(*reader, loads.branch));
        std::string told;
        for (const auto& link : view.links)
            told += link.goes_on ? '1' : '0';
        return told;
    };
    const auto reset_to = [&](nodes::Revision revision) {
        must(sdk::write_with_retry(
            services.registrar.engine(), [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                auto reset = services.branches.fork(transaction, transaction, loads.branch,
                                                    loads.place(), {loads.place().line, revision});
                return reset ? sdk::Result<void>() : reset.error();
            }));
    };
    CHECK(opened().empty());
    CHECK(goes_on() == "0");
    for (int i = 0; i < 2; ++i)
        REQUIRE(loads.bring_in(many(), {.branch = loads.branch}).has_value());
    REQUIRE(loads.place().line != line);
    CHECK(opened().empty());
    CHECK(goes_on() == "110");
    reset_to(*nodes::revision_of(loads.tip(loads.branch)));
    CHECK(opened() == "nodes.deletion_branch_reset");
    CHECK(goes_on() == "0110");
    REQUIRE(loads.bring_in(many(), {.branch = loads.branch}).has_value());
    CHECK(opened() == "nodes.deletion_branch_reset");
    CHECK(goes_on() == "10110");
}

TEST_CASE("an import tells how many items of all have come, and ends where that fails") {
    Loads loads;
    std::vector<std::uint64_t> told;
    std::uint64_t most = 5000;
    std::uint64_t all = 0;
    const auto progress = [&](std::uint64_t brought, std::uint64_t coming) {
        told.push_back(brought);
        all = coming;
        if (brought <= most) return sdk::Result<void>();
        return sdk::Result<void>(sdk::make_error(sdk::ErrorKind::unavailable, "test.end", "end"));
    };
    REQUIRE(loads.bring_in(many(20), {.branch = loads.branch, .progress = progress}).has_value());
    // Each node, the type and each association; what names a later one comes twice, and counts
    // once.
    REQUIRE(told.size() >= 26);
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK(told.front() == 1);
    CHECK(told.back() == all);
    most = 10;
    const auto ended = loads.bring_in(many(20), {.branch = loads.branch, .progress = progress});
    REQUIRE(ended.has_error());
    CHECK(ended.error().code == "test.end");
    CHECK(told.back() == 11);
    CHECK(loads.numbered(loads.branch) == 20);
}

TEST_CASE("branches of a repository that the same operation makes come by loads, too") {
    Loads loads;
    nodes::BranchStore& branches = loads.world.services().branches;
    sdk::RecordKey master;
    sdk::RecordKey fork;
    std::vector<nodes::BranchPlace> places;
    const auto make = [&](bool succeeds) {
        places.clear();
        return loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
            must(loads.transfer.expect(context));
            auto& documents = context.documents();
            const auto made =
                must(documents.create({nodes::kRepositoryType, ""}, {{"title", "new"}}));
            const sdk::CollectionName collection{nodes::kBranchType, made.id, made.key};
            const sdk::Document first = must(documents.read(collection, nodes::kMasterAlias));
            master = first.key;
            fork = must(documents.create(collection, {{"title", "fork"}, {"root", "0:root"}})).key;
            must(branches.fork(context.transaction(), context.transaction(), fork,
                               must(branches.find(context.transaction(), master)),
                               {nodes::kFirstLine, nodes::kFirstRevision}));
            for (const auto& [branch, count] :
                 {std::pair(master, kMany), std::pair(fork, 2 * kMany)}) {
                ListedItems source(many(count));
                auto brought = loads.transfer.import(context, source, {.branch = branch});
                if (!brought) return sdk::Result<void>(brought.error());
                places.push_back(must(branches.find(context.transaction(), branch)));
                // What the repository began with shows through.
                auto content =
                    must(nodes::BranchContent::open(loads.world.services(), context, branch));
                CHECK(must(content.node(nodes::kRootAlias)).fields["title"] == "Root");
            }
            if (succeeds) return sdk::Result<void>();
            return sdk::Result<void>(
                sdk::make_error(sdk::ErrorKind::conflict, "test.end", "it ends"));
        });
    };
    const auto done = make(true);
    if (!done) FAIL(done.error().code + " " + done.error().message);
    // Each is at a line behind those that the repository has.
    REQUIRE(places.size() == 2);
    CHECK(places[0].line == 3);
    CHECK(places[1].line == 4);
    CHECK(loads.numbered(master) == kMany);
    CHECK(loads.numbered(fork) == 2 * kMany);
    CHECK(*nodes::revision_of(loads.tip(master)) == nodes::kFirstRevision + 1);
    CHECK(*nodes::revision_of(loads.tip(fork)) == nodes::kFirstRevision + 2);
    const auto there = loads.take_out({.branch = master});
    REQUIRE(there.has_value());
    const sdk::RecordKey other = loads.world.add_repository();
    REQUIRE(loads.bring_in(*there, {.branch = other}).has_value());
    CHECK(loads.take_out({.branch = other})->size() == there->size());
    loads.make(master, {{"number", kMany}});
    CHECK(loads.numbered(master) == kMany + 1);

    // What was begun and came to no end is no repository, and its rows go.
    const auto failed = make(false);
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().code == "test.end");
    CHECK(places[0].repository > loads.place().repository + 2);
    const auto rows = [&] { return rows_below(loads.world, branches.content_prefix(places[0])); };
    for (const nodes::BranchPlace& place : places)
        loads.collect_soon(place);
    CHECK(rows() == 0);
}

TEST_CASE("few nodes that say much are loaded, and are not held where they cannot be") {
    Loads loads;
    nodes::ImportBounds& bounds = loads.world.services().import_bounds;
    const Items items{
        item_of({{"_doc", "one"}, {"title", "one"}, {"text", std::string(5000, 'x')}})};
    const auto bring = [&](sdk::Context& context) {
        ListedItems source(items);
        return loads.transfer.import(context, source, {.branch = loads.branch});
    };
    const nodes::Line line = loads.last_line();
    bounds.few_bytes = 5100;
    must(loads.bring_in(items, {.branch = loads.branch}));
    CHECK(loads.last_line() == line);
    bounds.few_bytes = 5000;
    must(loads.bring_in(items, {.branch = loads.branch}));
    CHECK(loads.last_line() == line + 1);
    bounds.most_held_bytes = 5000;
    ListedItems source(items);
    const auto given_up = loads.attempt(bounds.loads, source);
    REQUIRE(given_up.has_error());
    CHECK(given_up.error().code == "nodes.import_overtaken");
    // What the operation has written to is written in memory.
    const auto refused = loads.world.work(Loads::kAnn, [&](sdk::Context& context) {
        const auto content =
            must(nodes::BranchContent::open(loads.world.services(), context, loads.branch));
        must(content.create({{"title", "before"}}));
        auto brought = bring(context);
        return brought ? sdk::Result<void>() : brought.error();
    });
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == sdk::ErrorKind::too_large);
    CHECK(refused.error().code == "nodes.import_too_large");
    CHECK(loads.count(loads.branch, {{"title", "one"}}) == 2);
}

TEST_CASE("a load that comes to no end shows nothing, and what it has left is collected") {
    Loads loads;
    const std::size_t before = loads.content_rows();
    nodes::BranchPlace place = loads.place();
    const auto failed = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        ListedItems source(many());
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        if (!brought) return sdk::Result<void>(brought.error());
        auto content =
            must(nodes::BranchContent::open(loads.world.services(), context, loads.branch));
        place = content.place();
        must(content.changes().finish(context));
        return sdk::Result<void>(sdk::make_error(sdk::ErrorKind::conflict, "test.end", "it ends"));
    });
    REQUIRE_FALSE(failed.has_value());
    REQUIRE(failed.error().code == "test.end");
    CHECK(place.line != loads.place().line);
    CHECK(loads.count(loads.branch, {{"number", {{"$gte", 0}}}}) == 0);
    CHECK(loads.content_rows() > before + kMany);
    CHECK(loads.collect_soon(place) > 2);
    CHECK(loads.content_rows() == before);
}

}  // namespace stele::tests
