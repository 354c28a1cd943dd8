// Imports whose content goes into the store before they end
// (docs/decisions/0151-imports-of-large-branches.md).
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/record_space.hpp>
#include <stele/sdk/time.hpp>

#include "attachment/content_log.hpp"
#include "branch/branch_store.hpp"
#include "branch/loading.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "tests/nodes/transfer_world.hpp"

namespace stele::tests {

namespace {

/// More than are held in memory.
constexpr int kMany = 1200;

/// Nodes in a chain of folders, some of which name one another.
Items many(int count = kMany) {
    Items items{item_of(
        {{"_doc", "type"},
         {"_type", "d:type"},
         {"_qname", "orc:fruit"},
         {"properties", {{"near", {{"type", "object"}, {"_relator", sdk::Json::object()}}}}}})};
    const auto id = [](int i) { return "n" + std::to_string(i); };
    for (int i = 0; i < count; ++i) {
        sdk::Json fields = {{"_doc", id(i)}, {"title", id(i)}, {"number", i}};
        if (i % 3 == 0) fields["_type"] = "orc:fruit";
        if (i % 6 == 0 && i > 0) fields["near"] = {{"id", id(i - 1)}, {"typeQName", "n:node"}};
        items.push_back(item_of(std::move(fields)));
    }
    for (int i = 1; i < count; i += 4)
        items.push_back(association_of("l" + std::to_string(i), "a:child", id(i / 8), id(i)));
    return items;
}

/// Rows of the store below a prefix.
std::size_t rows_below(ContentWorld& world, const std::string& prefix) {
    const auto reader = world.services().registrar.engine().snapshot();
    const auto cursor =
        reader->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::size_t count = 0;
    for (; cursor->is_valid(); cursor->next())
        ++count;
    return count;
}

/// Items that let others do something once so many of them were walked, in all walks together.
class InterruptedItems final : public sdk::ContentSource {
public:
    InterruptedItems(Items items, std::size_t position, std::function<void()> interrupt)
        : items_(std::move(items)), position_(position), interrupt_(std::move(interrupt)) {}
    sdk::Result<void> for_each(const Visit& visit) override {
        for (const sdk::ContentItem& item : items_) {
            if (position_-- == 0) interrupt_();
            if (auto visited = visit(item); !visited) return visited;
        }
        return {};
    }

private:
    const Items items_;
    std::size_t position_;
    const std::function<void()> interrupt_;
};

struct Loads : TransferWorld {
    Loads() {
        // Names of members get numbers where they are first used, and it is noted where somebody
        // first owns something: conflicts that come once.
        make(branch, {{"title", "first"}, {"text", "x"}, {"near", sdk::Json::object()}});
        must(bring_in(many(20), {.branch = world.add_repository()}));
    }
    sdk::RecordKey fork() {
        auto made = must(world.ask(
            kAnn, {.method = "POST",
                   .path = "",
                   .values = {},
                   .parameters = {{"branch", world.master()}, {"changeset", tip(branch)}}}));
        return world.branch_key(sdk::text_member(made, "_doc"));
    }
    std::size_t numbered(const sdk::RecordKey& where) {
        return count(where, {{"number", {{"$gte", 0}}}});
    }
    /// The import in a context that has met conflicts so often before.
    sdk::Result<sdk::ContentReport> attempt(std::size_t number, sdk::ContentSource& source,
                                            bool is_kept = true) {
        auto& kernel = world.kernel();
        auto session =
            std::make_shared<sdk::Session>(kernel::resource::system_session(world.platform()));
        kernel::resource::WorkContext context(kernel, session,
                                              kernel::resource::WorkContext::begin(kernel, number));
        auto brought = transfer.import(context, source, {.branch = branch});
        if (!brought || !is_kept) return brought;
        must(context.finish());
        auto committed = sdk::commit_and_wait(context.transaction());
        if (!committed) return committed.error();
        return brought;
    }
    nodes::Line last_line() {
        nodes::Line last = 0;
        const auto reader = world.services().registrar.engine().snapshot();
        must(world.services().branches.for_each_line(*reader, place(),
                                                     [&](nodes::Line line, const sdk::RecordKey&) {
                                                         last = line;
                                                         return true;
                                                     }));
        return last;
    }
    nodes::BranchPlace place() {
        const auto reader = world.services().registrar.engine().snapshot();
        return must(world.services().branches.find(*reader, branch));
    }
    std::size_t content_rows() {
        return rows_below(world, world.services().branches.content_prefix(place()));
    }

    const sdk::RecordKey branch = world.branch_key(world.master());
};

}  // namespace

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

TEST_CASE("whoever writes to the branch meanwhile is in the way of a load") {
    Loads loads;
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        ListedItems source(many());
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        if (!brought) return sdk::Result<void>(brought.error());
        loads.make(loads.branch, {{"title", "meanwhile"}});
        return sdk::Result<void>();
    });
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == "engine.conflict");
    CHECK(loads.count(loads.branch, {{"title", "meanwhile"}}) == 1);
    CHECK(loads.count(loads.branch, {{"number", {{"$gte", 0}}}}) == 0);
}

TEST_CASE("a load ends early where somebody writes to its branch") {
    Loads loads;
    Items items = many();
    // More than one piece.
    for (sdk::ContentItem& item : items) {
        if (item.fields.contains("number")) item.fields["text"] = std::string(20'000, 'x');
    }
    InterruptedItems source(items, 2 * items.size() + 100, [&] {
        loads.make(loads.branch, {{"title", "meanwhile"}});
    });
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        return brought ? sdk::Result<void>() : brought.error();
    });
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == "engine.conflict");
    CHECK(done.error().detail == "a branch was written while content was loaded into it");
    CHECK(loads.numbered(loads.branch) == 0);
}

TEST_CASE("nobody sees a load before its end, and others write, fork and read meanwhile") {
    Loads loads;
    const sdk::RecordKey other = loads.world.add_repository();
    const sdk::RecordKey before = loads.fork();
    const std::string tip = loads.tip(loads.branch);
    sdk::RecordKey forked;
    Items items = many();
    for (sdk::ContentItem& item : items) {
        if (item.fields.contains("number")) item.fields["text"] = std::string(20'000, 'x');
    }
    const std::size_t rows = loads.content_rows();
    InterruptedItems source(items, 2 * items.size() + 1000, [&] {
        CHECK(loads.content_rows() > rows + 1000);
        CHECK(loads.numbered(loads.branch) == 0);
        CHECK(loads.tip(loads.branch) == tip);
        loads.make(other, {{"title", "elsewhere"}});
        for (int i = 0; i < 100; ++i)
            loads.make(before, {{"title", "on another branch"}});
        forked = loads.fork();
    });
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        return brought ? sdk::Result<void>() : brought.error();
    });
    if (!done) FAIL(done.error().code + " " + done.error().message + " " + done.error().detail);
    CHECK(loads.numbered(loads.branch) == kMany);
    CHECK(loads.numbered(before) == 0);
    CHECK(loads.numbered(forked) == 0);
    CHECK(loads.count(before, {{"title", "on another branch"}}) == 100);
    loads.make(forked, {{"number", 1}});
    CHECK(loads.numbered(forked) == 1);
    CHECK(loads.numbered(loads.branch) == kMany);
}

TEST_CASE("of two loads in one repository neither is in the way of the other") {
    Loads loads;
    const sdk::RecordKey fork = loads.fork();
    const nodes::Revision before = *nodes::revision_of(loads.tip(fork));
    const auto nested = [&](const std::function<void()>& between) {
        ListedItems source(many());
        return loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
            auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
            if (!brought) return sdk::Result<void>(brought.error());
            auto others = loads.bring_in(many(), {.branch = fork});
            if (!others) return sdk::Result<void>(others.error());
            between();
            return sdk::Result<void>();
        });
    };
    // The one that is there first ends last.
    const auto done = nested([&] { CHECK(loads.numbered(fork) == kMany); });
    if (!done) FAIL(done.error().code + " " + done.error().message + " " + done.error().detail);
    CHECK(loads.numbered(loads.branch) == kMany);
    CHECK(loads.numbered(fork) == kMany);
    // The one that is there first ends first.
    {
        auto& kernel = loads.world.kernel();
        const auto begin = [&] {
            return std::make_unique<kernel::resource::WorkContext>(
                kernel, std::make_shared<sdk::Session>(
                            kernel::resource::system_session(loads.world.platform())));
        };
        const auto first = begin();
        const auto second = begin();
        ListedItems source(many());
        must(loads.transfer.import(*first, source, {.branch = loads.branch}));
        must(loads.transfer.import(*second, source, {.branch = fork}));
        for (auto* const context : {first.get(), second.get()}) {
            must(context->finish());
            must(sdk::commit_and_wait(context->transaction()));
        }
    }
    CHECK(loads.numbered(loads.branch) == 2 * kMany);
    CHECK(loads.numbered(fork) == 2 * kMany);
    CHECK(*nodes::revision_of(loads.tip(loads.branch)) == before + 3);
    CHECK(*nodes::revision_of(loads.tip(fork)) == before + 4);
}

TEST_CASE("after some attempts what may be held is held, and what is more is given up") {
    Loads loads;
    nodes::ImportBounds& bounds = loads.world.services().import_bounds;
    ListedItems source(many());
    const nodes::Line line = loads.last_line();
    CHECK(loads.attempt(bounds.loads_of_held - 1, source).has_value());
    CHECK(loads.last_line() == line + 1);
    CHECK(loads.attempt(bounds.loads_of_held, source).has_value());
    CHECK(loads.last_line() == line + 1);
    CHECK(loads.numbered(loads.branch) == 2 * kMany);
    bounds.most_held = kMany;
    CHECK(loads.attempt(bounds.loads_of_held, source).has_value());
    CHECK(loads.last_line() == line + 2);
    const auto failed = loads.attempt(bounds.loads, source);
    REQUIRE(failed.has_error());
    CHECK(failed.error().kind == sdk::ErrorKind::conflict);
    CHECK(failed.error().code == "nodes.import_overtaken");
    const std::string name = sdk::space_record_id(loads.branch);
    CHECK(failed.error().message.find("branch://") != std::string::npos);
    CHECK(failed.error().message.find(name) != std::string::npos);
    CHECK(loads.numbered(loads.branch) == 3 * kMany);
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
    nodes::BranchStore& branches = loads.world.services().branches;
    nodes::BranchStore::CollectedTo to;
    const auto collect = [&] {
        auto state = nodes::BranchStore::Collected::in_part;
        must(sdk::write_with_retry(loads.world.services().registrar.engine(),
                                   [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                                       auto some = branches.collect_line(transaction, place,
                                                                         sdk::now_ms(), to);
                                       if (!some) return some.error();
                                       state = *some;
                                       return {};
                                   }));
        return state;
    };
    int steps = 1;
    while (collect() == nodes::BranchStore::Collected::in_part)
        ++steps;
    CHECK(steps > 2);
    CHECK(loads.content_rows() == before);
}

}  // namespace stele::tests
