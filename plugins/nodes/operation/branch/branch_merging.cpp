#include "operation/branch/branch_merging.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "branch/branch_content.hpp"
#include "conflict/conflict_records.hpp"
#include "operation/branch/branch_jobs.hpp"

namespace stele::nodes {

namespace {

/// Ends a transaction that was only to be seen.
constexpr char kRehearsed[] = "nodes.merge_rehearsed";

/// A branch that whoever acts may READ.
sdk::Result<BranchContent> open_readable(Services& services, sdk::Context& context,
                                         const sdk::RecordKey& branch) {
    auto content = BranchContent::open(services, context, branch);
    if (!content) return content;
    auto may = content->may(branch, sdk::Permission::read);
    if (!may) return may.error();
    if (*may) return content;
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_unknown",
                           "there is no such branch");
}

sdk::Result<sdk::BranchMergeOutcome> merge_as_told(Services& services, sdk::Context& context,
                                                   const sdk::BranchPair& branches,
                                                   MergeOptions options) {
    auto source = open_readable(services, context, branches.source);
    if (!source) return source.error();
    auto target = open_readable(services, context, branches.target);
    if (!target) return target.error();
    auto report = merge_with_decisions(*source, *target, std::move(options));
    if (!report) return report.error();
    return sdk::BranchMergeOutcome{.is_merged = report->is_merged,
                                   .conflicts = report->conflicts.size(),
                                   .report = report->json(),
                                   .changes = std::move(report->changes),
                                   .faults = std::move(report->faults),
                                   .changeset = std::move(report->changeset)};
}

}  // namespace

sdk::Result<std::string> committed_changeset(Services& services, const sdk::RecordKey& branch,
                                             std::string_view random_part) {
    constexpr std::size_t kMostLooked = 10'000;
    const auto store = services.registrar.engine().snapshot();
    auto present = services.branches.present(*store, branch);
    if (!present) return present.error();
    const PresentBranch& shown = **present;
    const std::string rows = shown.space.changes(shown.place.line);
    const auto cursor = store->scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::backward);
    for (std::size_t looked = 0; cursor->is_valid() && looked < kMostLooked; cursor->next()) {
        const Revision revision = read_number(cursor->key().substr(rows.size()));
        auto note = services.branches.note(*store, shown.place, revision);
        if (!note) return note.error();
        if (note->random_part == random_part)
            return stele::nodes::changeset_id(revision, note->random_part);
        ++looked;
    }
    if (auto status = cursor->status(); !status) return status.error();
    return std::string();
}

sdk::Result<sdk::BranchMergeOutcome> BranchMerging::merge(sdk::Context& context,
                                                          const sdk::BranchPair& branches,
                                                          const sdk::BranchMergeOptions& options) {
    return merge_as_told(services_, context, branches,
                         {.is_dry_run = options.is_dry_run,
                          .passes_block = options.passes_block,
                          .tells_changes = options.tells_changes});
}

sdk::Result<std::vector<sdk::Json>> BranchMerging::changes(sdk::Context& context,
                                                           const sdk::BranchPair& branches) {
    auto source = open_readable(services_, context, branches.source);
    if (!source) return source.error();
    auto target = open_readable(services_, context, branches.target);
    if (!target) return target.error();
    return changes_between(*source, *target);
}

sdk::Result<sdk::BranchMergeOutcome> BranchMerging::rehearse(
    const sdk::PlatformScope& platform, const sdk::Principal& principal,
    const sdk::BranchPair& branches, const sdk::BranchMergeOptions& options) {
    std::optional<sdk::BranchMergeOutcome> outcome;
    auto done = services_.registrar.run_as_system(
        platform, [&](sdk::Context& context) -> sdk::Result<void> {
            Changes::of(context, services_.branches).act_for(principal);
            auto rehearsed = merge_as_told(services_, context, branches,
                                           {.passes_block = options.passes_block,
                                            .tells_changes = options.tells_changes,
                                            .finds_faults = true});
            if (!rehearsed) return rehearsed.error();
            outcome = *std::move(rehearsed);
            return sdk::make_error(sdk::ErrorKind::conflict, kRehearsed, "this was a rehearsal");
        });
    if (!done && done.error().code != kRehearsed) return done.error();
    outcome->is_merged = false;
    outcome->changeset.clear();
    outcome->report["merged"] = false;
    outcome->report["dryRun"] = true;
    outcome->report["conflictIds"] = sdk::Json::array();
    outcome->report.erase("changesetId");
    return *std::move(outcome);
}

sdk::Result<std::string> BranchMerging::changeset_id(const sdk::RecordKey& branch,
                                                     std::string_view changeset) {
    return committed_changeset(services_, branch, changeset);
}

sdk::Result<std::string> BranchMerging::tip(sdk::Context& context, const sdk::RecordKey& branch) {
    return tip_of(services_, context.transaction(), branch);
}

}  // namespace stele::nodes
