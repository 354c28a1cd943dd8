// One transaction that writes branches of several repositories, one of which it makes
// (docs/decisions/0146-several-branches-in-one-transaction.md).
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "kernel/resource/consistency/data_store_count.hpp"
#include "tests/nodes/content_world.hpp"

namespace stele::tests {

namespace {

using nodes::BranchContent;
using nodes::Revision;

/// A repository with a master and a fork of its first changeset, and another repository.
struct SeveralBranches {
    ContentWorld world;
    const sdk::RecordKey master = world.branch_key(world.master());
    const sdk::RecordKey fork = world.branch_key(
        must(world.ask(0, {.method = "POST",
                           .path = "",
                           .values = {},
                           .parameters = {{"branch", "master"}, {"changeset", "0:root"}}}))
            .at("_doc")
            .get<std::string>());
    const sdk::RecordKey other = world.add_repository();

    BranchContent content(sdk::Context& context, const sdk::RecordKey& branch) {
        return must(BranchContent::open(world.services(), context, branch));
    }
    std::string write(sdk::Context& context, const sdk::RecordKey& branch) {
        return must(content(context, branch).create({{"title", "node"}})).id;
    }
    /// A changeset of its own on a branch.
    void write_elsewhere(const sdk::RecordKey& branch) {
        must(world.work(1, [&](sdk::Context& context) -> sdk::Result<void> {
            write(context, branch);
            return {};
        }));
    }
    bool shows(const sdk::RecordKey& branch, const std::string& node,
               std::optional<Revision> revision = {}) {
        const auto reader = world.kernel().engine->snapshot();
        const nodes::BranchStore& branches = world.services().branches;
        const auto place = must(branches.find(*reader, branch));
        const nodes::VersionSpace space = branches.space(place);
        const nodes::ViewReader view(*reader, space, must(branches.view(*reader, place, revision)));
        std::string record;
        return must(view.find_version(nodes::node_record_key(node), record)).has_value();
    }
    Revision tip(const sdk::RecordKey& branch) {
        const auto reader = world.kernel().engine->snapshot();
        const nodes::BranchStore& branches = world.services().branches;
        return must(branches.tip(*reader, must(branches.find(*reader, branch))));
    }
    /// The lines of a branch's repository, by all numbers that it has given.
    std::vector<nodes::Line> lines(const sdk::RecordKey& branch) {
        const auto reader = world.kernel().engine->snapshot();
        const nodes::BranchStore& branches = world.services().branches;
        const auto place = must(branches.find(*reader, branch));
        const auto counter = must(reader->get(branches.space(place).revision_counter()));
        std::vector<nodes::Line> found;
        for (Revision revision = 1; revision <= static_cast<Revision>(sdk::read_counter(counter));
             ++revision) {
            const auto line = must(branches.line_of(*reader, place, revision));
            REQUIRE(line.has_value());
            found.push_back(*line);
            // It is finished.
            must(branches.note(*reader, place, revision));
        }
        return found;
    }
};

using Lines = std::vector<nodes::Line>;

}  // namespace

TEST_CASE_METHOD(SeveralBranches, "each branch that a transaction writes has a number of its own") {
    std::map<sdk::RecordKey, std::string> written;
    sdk::RecordKey made;
    must(world.work(0, [&](sdk::Context& context) -> sdk::Result<void> {
        written[master] = write(context, master);
        written[other] = write(context, other);
        const auto repository =
            must(context.documents().create({nodes::kRepositoryType, ""}, {{"title", "made"}}));
        const sdk::CollectionName branches{nodes::kBranchType, repository.id, repository.key};
        made = must(context.documents().read(branches, nodes::kMasterAlias)).key;
        written[made] = write(context, made);
        written[fork] = write(context, fork);
        return {};
    }));
    CHECK(lines(master) == Lines{1, 1, 2});
    CHECK(lines(other) == Lines{1, 1});
    CHECK(lines(made) == Lines{1, 1});
    for (const auto& [branch, node] : written) {
        CHECK(tip(branch) == (branch == fork ? 3U : 2U));
        CHECK(shows(branch, node));
        CHECK_FALSE(shows(branch, node, Revision{1}));
        for (const auto& [elsewhere, its_node] : written)
            CHECK(shows(branch, its_node) == (branch == elsewhere));
    }
    for (const sdk::RecordKey& branch : {master, fork, other, made})
        write_elsewhere(branch);
    CHECK(lines(made) == Lines{1, 1, 1});
    CHECK(kernel::resource::check_store(world.kernel()).empty());
}

TEST_CASE_METHOD(SeveralBranches,
                 "a branch that goes in the transaction that writes it leaves no gap") {
    must(world.work(0, [&](sdk::Context& context) -> sdk::Result<void> {
        write(context, fork);
        write(context, master);
        const auto branch = must(context.documents().read(fork));
        const auto repository = must(context.documents().read(
            {nodes::kRepositoryType, ""}, branch.fields.at("repositoryId").get<std::string>()));
        return context.documents().remove({nodes::kBranchType, repository.id, repository.key},
                                          branch.id);
    }));
    CHECK(lines(master) == Lines{1, 2, 1});
    CHECK(tip(master) == 3);
    write_elsewhere(master);
    CHECK(lines(master) == Lines{1, 2, 1, 1});
    CHECK(kernel::resource::check_store(world.kernel()).empty());
}

TEST_CASE_METHOD(SeveralBranches,
                 "a repository that goes in the transaction that writes it is gone") {
    must(world.work(0, [&](sdk::Context& context) -> sdk::Result<void> {
        write(context, other);
        write(context, master);
        const auto branch = must(context.documents().read(other));
        return context.documents().remove({nodes::kRepositoryType, ""},
                                          branch.fields.at("repositoryId").get<std::string>());
    }));
    CHECK(lines(master) == Lines{1, 1});
    const auto reader = world.kernel().engine->snapshot();
    CHECK_FALSE(world.services().branches.find(*reader, other).has_value());
    CHECK(kernel::resource::check_store(world.kernel()).empty());
}

}  // namespace stele::tests
