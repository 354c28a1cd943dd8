// What a check of a branch finds where the rows beside its records are wrong, and what a repair
// leaves of that. `check_content` is also asked after every random history.
#include <algorithm>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "kernel/storage/engine/keys.hpp"
#include "tests/nodes/content_check.hpp"

namespace stele::tests {

namespace {

using nodes::AssociationEnds;
using nodes::BranchContent;

/// A folder with a member, and a link between them.
struct Small {
    Small() {
        folder = make("folder");
        child = make("child");
        membership = associate("a:child");
        link = associate("a:linked");
    }

    std::string make(const char* title) {
        return text(ask("POST", "/{branchId}/nodes", {world.master()}, {}, {{"title", title}}));
    }
    std::string associate(const char* type) {
        return text(ask("POST", "/{branchId}/nodes/{nodeId}/associate", {world.master(), folder},
                        {{"node", child}, {"type", type}}));
    }
    sdk::Json ask(const char* method, const char* path, std::vector<std::string> values,
                  ContentWorld::Parameters parameters = {}, sdk::Json body = sdk::Json::object()) {
        return must(world.ask(
            0, {method, path, std::move(values), std::move(parameters), std::move(body)}));
    }
    static std::string text(const sdk::Json& answer) { return sdk::text_member(answer, "_doc"); }

    AssociationEnds ends(const std::string& association, const char* type) const {
        return {.association = association, .type = type, .source = folder, .target = child};
    }
    template <class Work>
    void change(Work work) {
        must(world.services().registrar.run_as_system(
            world.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                auto content = BranchContent::open(world.services(), context,
                                                   world.branch_key(world.master()));
                if (!content) return content.error();
                work(*content);
                return {};
            }));
    }
    std::vector<std::string> codes(bool repairs) {
        return check_content(world, world.master(), repairs);
    }
    /// The faults are found, go by a repair, and stay away.
    void check(const std::vector<std::string>& expected) {
        CHECK(codes(false) == expected);
        CHECK(codes(true) == expected);
        CHECK(codes(false).empty());
    }
    std::string found_at(const std::string& path) {
        auto found = world.ask(
            0, {"GET", "/{branchId}/nodes/{nodeId}", {world.master(), folder}, {{"path", path}}});
        return found ? text(*found) : std::string();
    }

    ContentWorld world;
    std::string folder, child, membership, link;
};

}  // namespace

TEST_CASE("a branch in order has no faults") {
    Small small;
    CHECK(small.codes(false).empty());
}

TEST_CASE("a lost name comes back, and the member is found by its path") {
    Small small;
    small.change([&](const BranchContent& content) {
        must(content.graph_writer()).remove_name(small.folder, "child", small.membership);
    });
    CHECK(small.found_at("/child").empty());
    small.check({"nodes.name_unlisted"});
    CHECK(small.found_at("/child") == small.child);
}

TEST_CASE("two members of one name from before there was one stay readable and writable") {
    Small small;
    small.change([&](const BranchContent& content) {
        must(content.graph_writer()).remove_name(small.folder, "child", small.membership);
    });
    const std::string other = small.make("child");
    small.ask("POST", "/{branchId}/nodes/{nodeId}/associate", {small.world.master(), small.folder},
              {{"node", other}, {"type", "a:child"}});
    CHECK(small.codes(true) == std::vector<std::string>{"nodes.name_unlisted"});
    CHECK(small.codes(false).empty());
    CHECK(small.found_at("/child") == small.child);
    const auto put = [&](const std::string& node, const char* title, int value) {
        return small.world.ask(0, {"PUT",
                                   "/{branchId}/nodes/{nodeId}",
                                   {small.world.master(), node},
                                   {},
                                   {{"title", title}, {"value", value}}});
    };
    CHECK(put(other, "child", 1));
    CHECK(put(small.child, "child", 2));
    CHECK(put(other, "free", 3));
    const auto taken = put(other, "child", 4);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == "nodes.name_taken");
    CHECK(small.codes(false).empty());
}

TEST_CASE("a name that no member has goes") {
    Small small;
    small.change([&](const BranchContent& content) {
        auto writer = must(content.graph_writer());
        writer.put_name(small.folder, "other", small.membership, small.child);
        writer.put_name(small.folder, "child", small.link, small.child);
        writer.put_name(small.child, "child", small.membership, small.child);
    });
    CHECK(small.found_at("/other") == small.child);
    // A link makes no member either, though it leads from the folder to the child.
    small.check({"nodes.name_lost", "nodes.name_lost", "nodes.name_lost"});
    CHECK(small.found_at("/other").empty());
    CHECK(small.found_at("/child") == small.child);
}

TEST_CASE("an association that its ends do not know of is listed again") {
    Small small;
    small.change([&](const BranchContent& content) {
        must(content.graph_writer()).remove(small.ends(small.link, "a:linked"));
    });
    small.check({"nodes.association_unlisted"});
    const sdk::Json listed = small.ask("GET", "/{branchId}/nodes/{nodeId}/associations",
                                       {small.world.master(), small.child}, {{"type", "a:linked"}});
    CHECK(listed.at("total_rows") == 1);
}

TEST_CASE("what nodes know of an association that is gone goes") {
    Small small;
    const std::string gone = small.make("gone");
    small.change([&](const BranchContent& content) {
        must(content.graph_writer()).put(small.ends(gone, "a:owned"));
    });
    small.ask("DELETE", "/{branchId}/nodes/{nodeId}", {small.world.master(), gone});
    const std::string lost = "nodes.association_lost";
    CHECK(small.codes(false) == std::vector{lost, lost});
    // One end forgets it for both.
    CHECK(small.codes(true) == std::vector{lost});
    CHECK(small.codes(false).empty());
}

TEST_CASE("index entries that are missing come back, so that queries find the node again") {
    Small small;
    small.change([&](const BranchContent& content) {
        auto& context = static_cast<kernel::resource::WorkContext&>(content.context());
        const auto place = must(small.world.kernel().records.collection(
            context.transaction(), context.platform(), content.nodes()));
        sdk::Transaction& space =
            *must(kernel::resource::Records::write_space(context, place, *place.id));
        kernel::storage::Sequence sequence;
        REQUIRE(kernel::storage::parse_sequence(small.child, sequence));
        const std::string prefix = kernel::storage::collection_prefix(*place.id, 'x');
        std::vector<std::string> keys;
        const auto cursor =
            space.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (kernel::storage::sequence_of(cursor->key()) == sequence)
                keys.emplace_back(cursor->key());
        }
        REQUIRE(keys.size() > 4);
        for (const std::string& key : keys)
            space.remove(key);
    });
    const auto found = [&] {
        return small
            .ask("POST", "/{branchId}/nodes/query", {small.world.master()}, {},
                 {{"title", "child"}})
            .at("total_rows");
    };
    CHECK(found() == 0);
    CHECK(small.codes(true) == std::vector<std::string>{"nodes.index_incomplete"});
    CHECK(found() == 1);
    CHECK(small.codes(true).empty());
}

TEST_CASE("an association without an end goes, and the name that it gave") {
    Small small;
    const std::string gone = small.make("gone");
    small.change([&](const BranchContent& content) {
        must(content.context().documents().patch(content.nodes(), small.membership,
                                                 {{"target", gone}}));
    });
    small.ask("DELETE", "/{branchId}/nodes/{nodeId}", {small.world.master(), gone});
    const std::vector<std::string> found = small.codes(false);
    CHECK(std::count(found.begin(), found.end(), "nodes.end_missing") == 1);
    small.codes(true);
    small.codes(true);
    CHECK(small.codes(false).empty());
    CHECK(small.found_at("/child").empty());
    CHECK(
        small.world
            .ask(0, {"GET", "/{branchId}/nodes/{nodeId}", {small.world.master(), small.membership}})
            .has_error());
}

}  // namespace stele::tests
