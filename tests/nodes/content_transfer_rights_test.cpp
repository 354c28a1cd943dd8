// Whoever takes content out of a branch, or brings it in, has no more rights than by single
// operations (docs/reference/nodes_transfer.md).
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/protection.hpp"
#include "graph/node_copy.hpp"
#include "tests/nodes/transfer_world.hpp"

namespace stele::tests {

namespace {

struct Two : TransferWorld {
    Two() {
        folder = make(branch, {{"title", "folder"}});
        member = make(branch, {{"title", "member"}});
        join(branch, folder, member, "a:child");
    }

    void grant(const sdk::RecordKey& record, std::size_t user, const char* role, bool is_deep) {
        must(world.work(kAnn, [&](sdk::Context& context) {
            return context.as_system().authorities().grant(record, world.user(user).key, role,
                                                           is_deep);
        }));
    }
    sdk::RecordKey key(const sdk::RecordKey& on, const std::string& node) {
        sdk::RecordKey found;
        change(on,
               [&](const nodes::BranchContent& content) { found = must(content.node(node)).key; });
        return found;
    }
    Items all() { return must(take_out({.branch = branch})); }

    sdk::RecordKey branch = world.add_repository();
    sdk::RecordKey target = world.add_repository();
    std::string folder, member;
};

}  // namespace

TEST_CASE("what somebody may not read does not leave with them, and is counted") {
    Two two;
    const std::size_t carl = two.world.add_user("carl", "");
    CHECK(two.take_out({.branch = two.branch}, carl).error().code == "nodes.branch_unknown");
    two.grant(two.branch, carl, "consumer", false);
    two.grant(two.key(two.branch, two.member), carl, "consumer", false);
    const Items items = must(two.take_out({.branch = two.branch}, carl));
    CHECK(titled(items, "member").id == two.member);
    for (const sdk::ContentItem& item : items) {
        CHECK(item.id != two.folder);
        CHECK_FALSE(sdk::text_member(item.fields, "_is_association") == "true");
        CHECK(item.fields.dump().find(two.folder) == std::string::npos);
    }
    // The root is always there, of one who may not read it without what it says.
    CHECK(sdk::text_member(items.front().fields, "_qname") == "r:root");
    CHECK_FALSE(items.front().fields.contains("title"));
    CHECK(two.omissions.unreadable > 0);
    CHECK(two.take_out({.branch = two.branch, .nodes = {two.folder}}, carl).error().code ==
          "document.unknown");
}

TEST_CASE("an import without rights is refused and writes nothing") {
    Two two;
    const std::size_t carl = two.world.add_user("carl", "consumer");
    const std::string tip = two.tip(two.target);
    const auto refused = two.bring_in(two.all(), {.branch = two.target}, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "authority.permission_missing");
    CHECK_THAT(refused.error().message, Catch::Contains(two.folder));
    CHECK(two.tip(two.target) == tip);
    CHECK(two.count(two.target, {{"title", "folder"}}) == 0);
}

TEST_CASE("whoever may make nodes but not change them brings no clone up to date") {
    Two two;
    const std::size_t carl = two.world.add_user("carl", "contributor");
    must(two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}));
    two.change(two.branch, [&](const nodes::BranchContent& content) {
        must(content.context().documents().update(content.nodes(), two.member, {{"title", "new"}}));
    });
    const auto refused = two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "authority.permission_missing");
    CHECK_THAT(refused.error().message, Catch::Contains(two.member));
    CHECK(two.read(two.target, two.member)["title"] == "member");
    const auto copied = must(two.bring_in(two.all(), {.branch = two.target}, carl));
    // Theirs, and of now, whatever the source says.
    const sdk::Json system = two.read(two.target, copied.ids.at(two.member))["_system"];
    CHECK(system["created_by_principal_id"] == "carl");
}

TEST_CASE("a frozen branch takes an import only where its protection is lifted by one who may") {
    Two two;
    two.set_branch(two.target, {{"frozen", true}});
    const auto frozen = two.bring_in(two.all(), {.branch = two.target});
    REQUIRE(frozen.has_error());
    CHECK(frozen.error().code == "nodes.branch_frozen");
    sdk::ContentTarget lifting{.branch = two.target};
    lifting.lifts_protection = true;
    const std::size_t carl = two.world.add_user("carl", "contributor");
    const auto refused = two.bring_in(two.all(), lifting, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "authority.permission_missing");
    CHECK(must(two.bring_in(two.all(), lifting)).created == 2);
}

TEST_CASE("protection that an import lifts of one branch holds for the others that it writes to") {
    Two two;
    const sdk::RecordKey other = two.world.add_repository();
    for (const sdk::RecordKey& branch : {two.target, other})
        two.set_branch(branch, {{"frozen", true}});
    sdk::ContentTarget lifting{.branch = two.target};
    lifting.lifts_protection = true;
    const Items items = two.all();
    const auto done = two.world.work(Two::kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
        ListedItems first(items);
        must(two.transfer.import(context, first, lifting));
        ListedItems second(items);
        auto brought = two.transfer.import(context, second, {.branch = other});
        return brought ? sdk::Result<void>() : brought.error();
    });
    REQUIRE(done.has_error());
    CHECK(done.error().code == "nodes.branch_frozen");
    CHECK(two.count(two.target, {{"title", "member"}}) == 0);
}

TEST_CASE("neither import nor copy joins to nodes that somebody may not change") {
    Two two;
    two.join(two.branch, two.folder, two.member, "a:linked");
    const Items items = two.all();
    const std::size_t carl = two.world.add_user("carl", "contributor");
    const bool has_folder = GENERATE(true, false);
    CAPTURE(has_folder);
    // What is there is ann's: one of the two.
    must(two.bring_in({titled(items, has_folder ? "folder" : "member")},
                      {.branch = two.target, .strategy = kClone}));
    const auto import = [&](const std::string& type) {
        Items some;
        for (const sdk::ContentItem& item : items) {
            const bool is_other_type =
                item.fields.contains("source") && sdk::text_member(item.fields, "_type") != type;
            if (!is_other_type) some.push_back(item);
        }
        return two.bring_in(some, {.branch = two.target, .strategy = kClone}, carl);
    };
    const auto copy = [&](const std::string& excluded) {
        return two.world.work(carl, [&](sdk::Context& context) -> sdk::Result<void> {
            auto& services = two.world.services();
            const auto from = must(nodes::BranchContent::open(services, context, two.branch));
            const auto to = must(nodes::BranchContent::open(services, context, two.target));
            nodes::NodeCopy copying(
                from, to, {.strategy = nodes::CopyStrategy::clone, .excluded_types = {excluded}});
            return copying.copy_nodes({must(from.node(has_folder ? two.member : two.folder))});
        });
    };
    const auto refused = [](const auto& done) {
        REQUIRE(done.has_error());
        CHECK(done.error().code == "authority.permission_missing");
    };
    // Nobody is asked about the end of a link; a folder gets members by CREATE_SUBOBJECTS, which
    // contributors have, but what lies in it is moved there.
    if (has_folder) {
        refused(import("a:linked"));
        refused(copy("a:child"));
        CHECK(copy("a:linked").has_value());
        CHECK(import("a:child").has_value());
    } else {
        refused(import("a:child"));
        refused(copy("a:linked"));
        CHECK(copy("a:child").has_value());
    }
}

TEST_CASE("a clone brings back what was deleted, by rights on the deletion") {
    Two two;
    must(two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}));
    two.remove(two.target, two.member);
    const std::size_t carl = two.world.add_user("carl", "contributor");
    const auto refused = two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "nodes.deletion_kept");
    const auto report = must(two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}));
    CHECK(report.created == 1);
    CHECK(two.read(two.target, two.member)["title"] == "member");
    CHECK(two.targets(two.target, two.folder, "a:child") == std::vector<std::string>{two.member});
}

TEST_CASE("a locked node stays as it is") {
    Two two;
    must(two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}));
    const std::size_t carl = two.world.add_user("carl", "editor");
    two.change(two.branch, [&](const nodes::BranchContent& content) {
        must(content.context().documents().update(content.nodes(), two.member, {{"title", "new"}}));
    });
    two.change(two.target, [&](const nodes::BranchContent& content) {
        must(nodes::put_lock(
            content, two.member,
            {.domain_id = "default", .principal_id = "ann", .principal_name = "ann"}));
    });
    const auto refused = two.bring_in(two.all(), {.branch = two.target, .strategy = kClone}, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "nodes.locked");
}

TEST_CASE("nobody opens their node to others by an import that they could not open by hand") {
    Two two;
    const std::size_t carl = two.world.add_user("carl", "contributor");
    const std::size_t dora = two.world.add_user("dora", "contributor");
    // Dora's folder; what lies in it is hers to manage.
    const std::string hers = two.make(two.target, {{"title", "hers"}}, dora);
    const std::string anns = two.make(two.target, {{"title", "anns"}});
    two.grant(two.key(two.target, anns), carl, "editor", false);
    const Items items{association_of("x", "a:child", hers, anns)};
    const auto by_hand = two.world.work(carl, [&](sdk::Context& context) -> sdk::Result<void> {
        auto content = nodes::BranchContent::open(two.world.services(), context, two.target);
        if (!content) return content.error();
        auto joined = content->associate(
            {.source = hers, .target = anns, .type = "a:child", .fields = sdk::Json::object()});
        return joined ? sdk::Result<void>() : joined.error();
    });
    REQUIRE(by_hand.has_error());
    const auto imported = two.bring_in(items, {.branch = two.target}, carl);
    REQUIRE(imported.has_error());
    CHECK(imported.error().code == by_hand.error().code);
}

TEST_CASE("a node that names what comes after it is written again only by who may change it") {
    Two two;
    const std::size_t carl = two.world.add_user("carl", "contributor");
    const std::string anns = two.make(
        two.target, {{"title", "anns"}, {"_features", {{"f:filename", {{"filename", "later"}}}}}});
    // As long as `later` is not there, the node says what it is to say.
    sdk::Json same = two.read(two.target, anns);
    same["_doc"] = "earlier";
    same["_existing"] = {{"_doc", anns}};
    const Items items{item_of(same), item_of({{"_doc", "later"}, {"title", "carls"}})};
    const auto refused =
        two.bring_in(items, {.branch = two.target, .copies_on_existing = true}, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "authority.permission_missing");
    CHECK(two.read(two.target, anns)["_features"]["f:filename"]["filename"] == "later");
    const ReportedImport by_ann =
        must(two.bring_in(items, {.branch = two.target, .copies_on_existing = true}));
    CHECK(by_ann.updated == 1);
    CHECK(by_ann.skipped == 0);
    CHECK(two.read(two.target, anns)["_features"]["f:filename"]["filename"] ==
          by_ann.ids.at("later"));
}

TEST_CASE("a node that was there is numbered in a folder only by who may change it") {
    Two two;
    const std::size_t carl = two.world.add_user("carl", "contributor");
    const std::string folder = two.make(two.target, {{"title", "folder"}});
    const std::string first = two.make(two.target, {{"title", "plum"}});
    two.join(two.target, folder, first, "a:child");
    const std::string second = two.make(two.target, {{"title", "plum"}});
    const Items items{association_of("x", "a:child", folder, second)};
    const auto refused = two.bring_in(items, {.branch = two.target}, carl);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "authority.permission_missing");
    must(two.bring_in(items, {.branch = two.target}));
    CHECK(two.targets(two.target, folder, "a:child").size() == 2);
}

TEST_CASE("a clone does not change the type of an association, by which the graph lists it") {
    Two two;
    const std::string one = two.make(two.target, {{"title", "one"}});
    const std::string other = two.make(two.target, {{"title", "other"}});
    const std::string link = two.join(two.target, one, other, "a:linked");
    const ReportedImport report = must(two.bring_in({association_of(link, "a:child", one, other)},
                                                    {.branch = two.target, .strategy = kClone}));
    CHECK(report.skipped == 1);
    CHECK(report.notes ==
          std::vector<std::string>{link + " keeps the type a:linked that it has here"});
    CHECK(two.read(two.target, link)["_type"] == "a:linked");
    CHECK(two.targets(two.target, one, "a:linked") == std::vector<std::string>{other});
    CHECK(two.targets(two.target, one, "a:child").empty());
}

TEST_CASE("a clone gives a node only a type that allows what it says") {
    Two two;
    two.set_branch(two.target, {{"validateContent", true}});
    const std::string node = two.make(two.target, {{"title", "one"}});
    must(two.bring_in({item_of({{"_doc", "d"},
                                {"_type", "d:type"},
                                {"_qname", "x:strict"},
                                {"type", "object"},
                                {"required", {"email"}},
                                {"properties", {{"email", {{"type", "string"}}}}}})},
                      {.branch = two.target}));
    const auto bring = [&](const char* type) {
        return two.bring_in({item_of({{"_doc", node}, {"_type", type}, {"title", "one"}})},
                            {.branch = two.target, .strategy = kClone});
    };
    for (const char* type : {"no name", "x:strict"}) {
        const auto refused = bring(type);
        REQUIRE(refused.has_error());
        CHECK(refused.error().kind == sdk::ErrorKind::invalid);
    }
    CHECK(two.read(two.target, node)["_type"] == "n:node");
}

}  // namespace stele::tests
