// Walks over the rows of a branch that read no documents end with the budget of their caller.
#include <atomic>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"
#include "history/branch_history.hpp"
#include "history/changesets.hpp"
#include "kernel/job/budget.hpp"
#include "tests/nodes/content_world.hpp"

namespace stele::tests {

namespace {

using kernel::job::Budget;
using nodes::BranchContent;

constexpr Budget::Clock::time_point kNever = Budget::Clock::time_point::max();

/// A branch with two folders, one in the other, and a member in the inner one.
struct Walked {
    Walked() {
        outer = make();
        inner = make();
        join(outer, inner);
        join(inner, make());
    }

    std::string make() {
        return sdk::text_member(must(world.ask(0, {"POST", "/{branchId}/nodes", {world.master()}})),
                                "_doc");
    }
    void join(const std::string& folder, const std::string& child) {
        must(world.ask(0, {"POST",
                           "/{branchId}/nodes/{nodeId}/associate",
                           {world.master(), folder},
                           {{"node", child}, {"type", "a:child"}}}));
    }
    template <class Work>
    void look(Work work) {
        must(world.services().registrar.run_as_system(
            world.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                auto content = BranchContent::open(world.services(), context,
                                                   world.branch_key(world.master()));
                if (!content) return content.error();
                work(*content);
                return {};
            }));
    }
    nodes::Changesets changesets(const BranchContent& content) {
        const auto branch = must(content.context().documents().read(content.branch()));
        const auto repository = must(content.context().documents().read(
            sdk::CollectionName{nodes::kRepositoryType, {}},
            sdk::text_member(branch.fields, nodes::kRepositoryId)));
        return must(nodes::Changesets::open(world.services(), content.context(), repository));
    }

    ContentWorld world;
    std::string outer, inner;
};

/// The code with which a walk fails once its caller has gone.
template <class Walk>
std::string code_without_caller(const Walk& walk) {
    const std::atomic<bool> is_abandoned = true;
    const Budget budget(kNever, is_abandoned);
    const Budget::Scope scope(&budget);
    const auto result = walk();
    return result.has_error() ? result.error().code : std::string();
}

}  // namespace

TEST_CASE("walks over associations and history do not begin for a caller who has gone") {
    Walked walked;
    walked.look([&](const BranchContent& content) {
        const auto changesets = walked.changesets(content);
        const auto history = must(nodes::read_history(content, {}, 1000));
        REQUIRE(history.changesets.size() > 4);
        const auto& newest = history.changesets.front();
        const auto changeset = must(changesets.read(newest.line, newest.revision));
        const std::string spent = "http.budget_spent";
        CHECK(code_without_caller(
                  [&] { return content.edges(walked.inner, nodes::Direction::any); }) == spent);
        CHECK(code_without_caller([&] { return nodes::read_history(content, {}, 1000); }) == spent);
        CHECK(code_without_caller([&] { return changesets.nodes_of(changeset, 10); }) == spent);
        CHECK(code_without_caller([&] { return changesets.record(changeset); }) == spent);
        sdk::Document circle;
        circle.fields = {{nodes::member::kType, nodes::association::kChild},
                         {nodes::member::kIsAssociation, true},
                         {nodes::member::kSource, walked.inner},
                         {nodes::member::kTarget, walked.outer}};
        CHECK(code_without_caller([&] { return nodes::check_association_fits(content, circle); }) ==
              spent);
        const auto fits = nodes::check_association_fits(content, circle);
        REQUIRE(fits.has_error());
        CHECK(fits.error().code == "nodes.association_circle");
    });
}

TEST_CASE("a long walk ends soon after its caller has gone") {
    Walked walked;
    for (int i = 0; i < 600; ++i)
        walked.make();
    walked.look([&](const BranchContent& content) {
        const auto changesets = walked.changesets(content);
        std::atomic<bool> is_abandoned = false;
        const Budget budget(kNever, is_abandoned);
        const Budget::Scope scope(&budget);
        std::size_t seen = 0;
        const auto whole = changesets.for_each(1, [&](nodes::Line, nodes::Revision) {
            ++seen;
            return true;
        });
        CHECK_FALSE(whole.has_error());
        CHECK(seen > 600);
        seen = 0;
        const auto cut = changesets.for_each(1, [&](nodes::Line, nodes::Revision) {
            if (++seen == 3) is_abandoned = true;
            return true;
        });
        REQUIRE(cut.has_error());
        CHECK(cut.error().code == "http.budget_spent");
        CHECK(seen < 600);
    });
}

}  // namespace stele::tests
