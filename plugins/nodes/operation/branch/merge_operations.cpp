#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "conflict/conflict_records.hpp"
#include "job/jobs.hpp"
#include "job/node_jobs.hpp"
#include "merge/merged_branches.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/branch/branch_merging.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kMergeJob[] = "branch-merge";
constexpr char kRevertJob[] = "branch-revert";
constexpr char kMergeSource[] = "source";
constexpr char kMergeTarget[] = "target";
constexpr char kMergeType[] = "mergeType";
constexpr char kIncoming[] = "incoming";
constexpr char kOutgoing[] = "outgoing";

sdk::Result<sdk::Reply> merge_now(Services& services, const sdk::Call& call) {
    auto branch = source_branch(call);
    if (!branch) return branch.error();
    auto source = BranchContent::open(services, call.context(), branch->key);
    if (!source) return source.error();
    auto target = content_of(services, call);
    if (!target) return target.error();
    auto report = merge_with_decisions(*source, *target, {});
    if (!report) return report.error();
    return sdk::Reply::json(report->json());
}

sdk::Result<sdk::Reply> start_merge(Services& services, const sdk::Call& call) {
    auto branch = source_branch(call);
    if (!branch) return branch.error();
    auto is_dry_run = is_asked(call, kIsDryRun, false);
    if (!is_dry_run) return is_dry_run.error();
    return job_reply(services, call, kMergeJob,
                     {{kMergeSource, address_of(*branch)},
                      {kMergeTarget, address_of(call.record())},
                      {kIsDryRun, *is_dry_run}});
}

sdk::Result<sdk::Reply> revert_now(Services& services, const sdk::Call& call) {
    auto id = call.required_parameter("id");
    if (!id) return id.error();
    auto target = content_of(services, call);
    if (!target) return target.error();
    auto report = revert_with_decisions(*target, *id, false);
    if (!report) return report.error();
    return sdk::Reply::json(report->json());
}

sdk::Result<sdk::Reply> start_revert(Services& services, const sdk::Call& call) {
    auto id = call.required_parameter("id");
    if (!id) return id.error();
    auto is_dry_run = is_asked(call, kIsDryRun, false);
    if (!is_dry_run) return is_dry_run.error();
    return job_reply(
        services, call, kRevertJob,
        {{kMergeTarget, address_of(call.record())}, {kChangesetId, *id}, {kIsDryRun, *is_dry_run}});
}

/// What `work` makes of the branch of the job's target, for whoever started the job.
template <class Work>
sdk::Result<sdk::Json> run_for_starter(Services& services, sdk::Job& job, const Work& work) {
    MergeReport report;
    sdk::RecordKey branch;
    const bool is_dry_run = sdk::flag_member(job.input(), kIsDryRun, false);
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            Changes::of(context, services.branches).act_for(job.run_as());
            auto target = open_address(services, context, job.input().at(kMergeTarget));
            if (!target) return target.error();
            branch = target->branch();
            sdk::Result<MergeReport> merged = work(context, *target, is_dry_run);
            if (!merged) return merged.error();
            report = std::move(*merged);
            return {};
        });
    if (!done) return done.error();
    if (!report.changeset.empty()) {
        auto id = committed_changeset(services, branch, report.changeset);
        if (!id) return id.error();
        report.changeset = std::move(*id);
    }
    sdk::Json result = report.json();
    result["targetBranchId"] = sdk::text_member(job.input().at(kMergeTarget), kBranchId);
    return result;
}

sdk::Result<sdk::Json> run_merge(Services& services, sdk::Job& job) {
    const sdk::Json& from = job.input().at(kMergeSource);
    auto result = run_for_starter(services, job,
                                  [&](sdk::Context& context, const BranchContent& target,
                                      bool is_dry_run) -> sdk::Result<MergeReport> {
                                      auto source = open_address(services, context, from);
                                      if (!source) return source.error();
                                      return merge_with_decisions(*source, target,
                                                                  {.is_dry_run = is_dry_run});
                                  });
    if (result) (*result)["sourceBranchId"] = sdk::text_member(from, kBranchId);
    return result;
}

sdk::Result<sdk::Json> run_revert(Services& services, sdk::Job& job) {
    return run_for_starter(services, job,
                           [&](sdk::Context&, const BranchContent& target, bool is_dry_run) {
                               return revert_with_decisions(
                                   target, sdk::text_member(job.input(), kChangesetId), is_dry_run);
                           });
}

sdk::Result<sdk::Reply> list_merges(Services& services, const sdk::Call& call) {
    const std::string word = call.parameter(kMergeType).value_or("");
    auto direction = MergeDirection::any;
    if (word == kIncoming) direction = MergeDirection::incoming;
    if (word == kOutgoing) direction = MergeDirection::outgoing;
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto keys = merged_branches(*content, direction);
    if (!keys) return keys.error();
    sdk::Json ids = sdk::Json::array();
    for (const sdk::RecordKey& key : *keys) {
        auto branch = call.context().documents().read(key);
        if (!branch && sdk::is_missing(branch.error())) continue;
        if (!branch) return branch.error();
        ids.push_back(branch->id);
    }
    return services.lists.page(call, call.collection(), {{"_doc", {{"$in", std::move(ids)}}}});
}

/// What came of a merge.
sdk::Shape merge_report_shape() {
    using sdk::shape::any;
    using sdk::shape::array;
    using sdk::shape::boolean;
    using sdk::shape::integer;
    using sdk::shape::optional;
    using sdk::shape::text;
    const sdk::Shape conflict = sdk::shape::object({{"nodeId", text()},
                                                    {"kind", text()},
                                                    {"path", text()},
                                                    {"message", text()},
                                                    optional("base", any()),
                                                    optional("source", any()),
                                                    optional("target", any())});
    return sdk::shape::object({{"merged", boolean()},
                               {kIsDryRun, boolean()},
                               optional(kChangesetId, text()),
                               {"nodeCount", integer()},
                               {"conflictCount", integer()},
                               {"conflictIds", array(text())},
                               {"conflicts", array(conflict)}});
}

}  // namespace

void define_merge_jobs(Services& services) {
    services.jobs.define({.name = kMergeJob,
                          .run = [&services](sdk::Job& job) { return run_merge(services, job); }});
    services.jobs.define({.name = kRevertJob,
                          .run = [&services](sdk::Job& job) { return run_revert(services, job); }});
}

sdk::Actions branch_merge_actions() {
    return {{.name = "merge",
             .run = operation<&merge_now>(),
             .parameters = {{"id", true}},
             .slow = true,
             .answers = merge_report_shape()},
            {.name = "merge/start",
             .run = operation<&start_merge>(),
             .parameters = {{"id", true}, {kIsDryRun, false, sdk::FieldKind::boolean}},
             .answers = sdk::shape::job()},
            {.name = "revert",
             .run = operation<&revert_now>(),
             .parameters = {{"id", true}},
             .slow = true,
             .answers = merge_report_shape()},
            {.name = "revert/start",
             .run = operation<&start_revert>(),
             .parameters = {{"id", true}, {kIsDryRun, false, sdk::FieldKind::boolean}},
             .answers = sdk::shape::job()},
            {.name = "merges",
             .method = "GET",
             .run = operation<&list_merges>(),
             .parameters = {{kMergeType, false, sdk::FieldKind::text, {kIncoming, kOutgoing}}},
             .paged = true,
             .answers = sdk::shape::page(sdk::shape::record(kBranchType))}};
}

}  // namespace stele::nodes
