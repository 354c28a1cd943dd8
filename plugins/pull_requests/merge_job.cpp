#include "merge_job.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "request_branches.hpp"
#include "request_state.hpp"
#include "vocabulary.hpp"

namespace stele::pull_requests {

namespace {

constexpr char kMergeJobType[] = "pull-request-merge";
constexpr char kSeenSource[] = "source";
constexpr std::size_t kMostProblemBytes = 2000;

class MergeRun {
public:
    MergeRun(const RequestServices& services, sdk::Job& job)
        : services_(services),
          job_(job),
          collection_{kPullRequestType, sdk::text_member(job.input(), kRepositoryId)},
          id_(sdk::text_member(job.input(), kPullRequestId)),
          is_automatic_(sdk::flag_member(job.input(), kIsAutomatic, false)) {}

    sdk::Result<sdk::Json> run() {
        auto done = in_transaction([this](sdk::Context& context) { return merge(context); });
        if (!done && !ends_merge(done.error())) return done.error();
        if (!done) return refused(done.error());
        return merged_.empty() ? sdk::Result<sdk::Json>(std::move(result_)) : completed();
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

    /// Trying again would end the same way.
    static bool ends_merge(const sdk::Error& error) {
        return sdk::is_refusal(error) || error.kind == sdk::ErrorKind::too_large;
    }

    /// Who has asked for the merge has seen another source.
    sdk::Result<void> check_source(sdk::Context& context, const sdk::RecordKey& source) const {
        const std::string seen = sdk::text_member(job_.hidden(), kSeenSource);
        if (seen.empty()) return {};
        auto tip = services_.merging.tip(context, source);
        if (!tip) return tip.error();
        if (*tip == seen) return {};
        return sdk::make_error(sdk::ErrorKind::conflict, "pull_requests.source_moved",
                               "the source has moved on since the merge was asked for");
    }

    sdk::Result<sdk::Document> request(sdk::Context& context) const {
        return context.documents().read(collection_, id_);
    }
    sdk::Result<void> say(sdk::Context& context, const sdk::Json& members) const {
        auto patched = context.documents().patch(collection_, id_, members);
        return patched ? sdk::Result<void>() : patched.error();
    }
    bool is_own(const sdk::Json& request, const char* state) const {
        return sdk::text_member(request, member::kState) == state &&
               sdk::text_member(request, member::kMergeJob) == job_.id();
    }

    sdk::Result<void> merge(sdk::Context& context) {
        result_ = {{kPullRequestId, id_}, {"merged", false}};
        merged_.clear();
        auto present = request(context);
        if (!present) return present.error();
        // An earlier attempt has, and did not come to what follows.
        if (is_own(present->fields, kMerged)) return note_merged(context, present->fields);
        if (!is_own(present->fields, kMerging)) return {};
        auto branches = require_branches(context, collection_.container, present->fields);
        if (!branches) return branches.error();
        if (auto may = require_approval(context, branches->target); !may) return may;
        if (auto same = check_source(context, branches->source.key); !same) return same;
        auto members = tips_of(services_.merging, context, branches->pair());
        if (!members) return members.error();
        auto outcome = services_.merging.merge(context, branches->pair(), {.passes_block = true});
        if (!outcome) return outcome.error();
        members->update(members_of(*outcome, context.principal().name));
        tell(*outcome, *members);
        if (auto said = say(context, *members); !said) return said;
        if (!outcome->is_merged || outcome->changeset.empty()) return {};
        merged_ = branches->target.key;
        changeset_ = outcome->changeset;
        return {};
    }

    sdk::Json members_of(const sdk::BranchMergeOutcome& outcome, const std::string& who) const {
        const auto ids = outcome.report.value("conflictIds", std::vector<sdk::Json>());
        sdk::Json members = {{member::kState, kOpen},
                             {member::kConflictCount, outcome.conflicts},
                             {member::kConflicts, first_of(ids, kMostConflicts)},
                             {member::kProblem, ""}};
        if (outcome.conflicts > 0)
            members[member::kProblem] = "changes of both branches do not go together";
        const bool is_told = !is_automatic_ || !outcome.changeset.empty();
        if (!outcome.is_merged || !is_told) return members;
        members[member::kState] = kMerged;
        members[member::kFaultCount] = 0;
        members[member::kFaults] = sdk::Json::array();
        members[member::kMergedOn] = sdk::time_value(sdk::now_ms());
        members[member::kMergedBy] = who;
        if (!outcome.changeset.empty()) members[member::kChangesetWord] = outcome.changeset;
        return members;
    }

    /// What conflicts are about is told by their own records, to those who may know it.
    void tell(const sdk::BranchMergeOutcome& outcome, const sdk::Json& members) {
        result_["merged"] = members.at(member::kState) == kMerged;
        result_[member::kConflictCount] = outcome.conflicts;
        result_[member::kConflicts] = members.at(member::kConflicts);
        result_["nodeCount"] = outcome.report.value("nodeCount", sdk::Json(0));
    }

    sdk::Result<void> note_merged(sdk::Context& context, const sdk::Json& present) {
        result_["merged"] = true;
        changeset_ = sdk::text_member(present, member::kChangesetWord);
        if (changeset_.empty()) return {};
        auto target = context.documents().read({kBranchType, collection_.container},
                                               sdk::text_member(present, member::kTarget));
        if (!target) return target.error();
        merged_ = target->key;
        return {};
    }

    /// What only the commit knew.
    sdk::Result<sdk::Json> completed() {
        auto changeset = services_.merging.changeset_id(merged_, changeset_);
        if (!changeset && sdk::is_missing(changeset.error())) return std::move(result_);
        if (!changeset) return changeset.error();
        if (changeset->empty()) return std::move(result_);
        auto said = in_transaction([&](sdk::Context& context) -> sdk::Result<void> {
            auto present = request(context);
            if (!present && sdk::is_missing(present.error())) return {};
            if (!present) return present.error();
            return say(context, {{member::kMergedChangeset, *changeset}});
        });
        if (!said) return said.error();
        result_["changesetId"] = *changeset;
        return std::move(result_);
    }

    /// A request that nobody asked to merge waits for somebody to do so.
    sdk::Result<sdk::Json> refused(const sdk::Error& error) {
        const std::string problem = sdk::shown_path(error.message, kMostProblemBytes);
        auto said = in_transaction([&](sdk::Context& context) -> sdk::Result<void> {
            auto present = request(context);
            if (!present) return present.error();
            if (!is_own(present->fields, kMerging)) return {};
            return say(context, {{member::kState, kOpen}, {member::kProblem, problem}});
        });
        if (!said && !sdk::is_missing(said.error())) return said.error();
        if (!is_automatic_) return error;
        return sdk::Json{{kPullRequestId, id_}, {"merged", false}, {member::kProblem, problem}};
    }

    const RequestServices& services_;
    sdk::Job& job_;
    const sdk::CollectionName collection_;
    const std::string id_;
    const bool is_automatic_;
    sdk::Json result_;
    /// The branch that a changeset was merged into, and its word; empty: none was.
    sdk::RecordKey merged_;
    std::string changeset_;
};

}  // namespace

void define_merge_job(const RequestServices& services) {
    services.jobs.define({.name = kMergeJobType, .run = [&services](sdk::Job& job) {
                              return MergeRun(services, job).run();
                          }});
}

sdk::Result<std::string> start_merge_job(const RequestServices& services, sdk::Context& context,
                                         const std::string& repository, const std::string& request,
                                         bool is_automatic, const std::string& seen_source) {
    auto job = services.jobs.start(context, {.type = kMergeJobType,
                                             .input = {{kRepositoryId, repository},
                                                       {kPullRequestId, request},
                                                       {kIsAutomatic, is_automatic}},
                                             .hidden = {{kSeenSource, seen_source}}});
    if (!job) return job;
    auto said = context.documents().patch(
        {kPullRequestType, repository}, request,
        {{member::kState, kMerging}, {member::kMergeJob, *job}, {member::kProblem, ""}});
    if (!said) return said.error();
    return job;
}

}  // namespace stele::pull_requests
