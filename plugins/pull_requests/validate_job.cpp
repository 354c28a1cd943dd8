#include "validate_job.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "request_state.hpp"
#include "vocabulary.hpp"

namespace stele::pull_requests {

namespace {

constexpr char kValidateJobType[] = "pull-request-validate";
constexpr char kIsNoted[] = "noted";

/// Whether a refusal is of the branches as they are, and not of who looks.
bool is_of_branches(const sdk::Error& error) {
    return error.code == "nodes.branch_archived" || error.code == "nodes.branch_frozen" ||
           error.code == "nodes.branch_readonly";
}

class ValidateRun {
public:
    ValidateRun(const RequestServices& services, sdk::Job& job)
        : services_(services),
          job_(job),
          collection_{kPullRequestType, sdk::text_member(job.input(), kRepositoryId)},
          id_(sdk::text_member(job.input(), kPullRequestId)) {}

    sdk::Result<sdk::Json> run() {
        auto looked = in_transaction([this](sdk::Context& context) { return look(context); });
        if (!looked) return looked.error();
        auto outcome = services_.merging.rehearse(job_.platform(), job_.run_as(), branches_->pair(),
                                                  {.passes_block = true});
        if (!outcome && is_of_branches(outcome.error())) outcome = closed_branch(outcome.error());
        if (!outcome) return outcome.error();
        if (sdk::flag_member(job_.hidden(), kIsNoted, false)) {
            auto noted =
                in_transaction([&](sdk::Context& context) { return note(context, *outcome); });
            if (!noted) return noted.error();
        }
        return result_of(*outcome);
    }

private:
    template <class Work>
    sdk::Result<void> in_transaction(const Work& work) {
        return services_.operations.run_as(
            job_.platform(), job_.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto held = job_.confirm(context.transaction()); !held) return held;
                return work(context);
            });
    }

    static sdk::BranchMergeOutcome closed_branch(const sdk::Error& error) {
        sdk::BranchMergeOutcome outcome;
        outcome.faults.push_back(
            {{"nodeId", ""}, {"title", ""}, {"code", error.code}, {"message", error.message}});
        return outcome;
    }

    /// The ends are those before the rehearsal: what comes meanwhile has not been looked at.
    sdk::Result<void> look(sdk::Context& context) {
        auto branches = require_branches(context, collection_.container, job_.input());
        if (!branches) return branches.error();
        branches_ = *std::move(branches);
        auto tips = tips_of(services_.merging, context, branches_->pair());
        if (!tips) return tips.error();
        tips_ = *std::move(tips);
        return {};
    }

    sdk::Result<void> note(sdk::Context& context, const sdk::BranchMergeOutcome& outcome) const {
        auto request = context.documents().read(collection_, id_);
        if (!request && sdk::is_missing(request.error())) return {};
        if (!request) return request.error();
        auto state = state_of(services_.jobs, context, request->fields);
        if (!state) return state.error();
        const bool is_awaited =
            *state == kOpen && sdk::text_member(request->fields, member::kValidateJob) == job_.id();
        if (!is_awaited) return {};
        sdk::Json members = tips_;
        members[member::kConflictCount] = outcome.conflicts;
        if (outcome.conflicts == 0) members[member::kConflicts] = sdk::Json::array();
        members[member::kFaultCount] = outcome.faults.size();
        members[member::kFaults] = first_of(outcome.faults, kMostFaults);
        auto patched = context.documents().patch(collection_, id_, members);
        return patched ? sdk::Result<void>() : patched.error();
    }

    sdk::Json result_of(const sdk::BranchMergeOutcome& outcome) const {
        return {{kPullRequestId, id_},
                {member::kSource, branches_->source.id},
                {member::kTarget, branches_->target.id},
                {member::kConflictCount, outcome.conflicts},
                {"conflicts", outcome.report.value("conflicts", sdk::Json::array())},
                {member::kFaultCount, outcome.faults.size()},
                {"rows", outcome.faults},
                {"total_rows", outcome.faults.size()},
                {"nodeCount", outcome.report.value("nodeCount", sdk::Json(0))}};
    }

    const RequestServices& services_;
    sdk::Job& job_;
    const sdk::CollectionName collection_;
    const std::string id_;
    std::optional<RequestBranches> branches_;
    sdk::Json tips_;
};

}  // namespace

void define_validate_job(const RequestServices& services) {
    services.jobs.define({.name = kValidateJobType, .run = [&services](sdk::Job& job) {
                              return ValidateRun(services, job).run();
                          }});
}

sdk::Result<std::string> start_validate_job(const RequestServices& services, sdk::Context& context,
                                            const std::string& repository,
                                            const sdk::Document& request, bool is_noted) {
    sdk::Json input = {{kRepositoryId, repository}, {kPullRequestId, request.id}};
    for (const char* branch : {member::kSource, member::kTarget})
        input[branch] = sdk::text_member(request.fields, branch);
    auto job = services.jobs.start(
        context,
        {.type = kValidateJobType, .input = std::move(input), .hidden = {{kIsNoted, is_noted}}});
    if (!job || !is_noted) return job;
    auto said = context.documents().patch({kPullRequestType, repository}, request.id,
                                          {{member::kValidateJob, *job}});
    if (!said) return said.error();
    return job;
}

}  // namespace stele::pull_requests
