#include <array>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/difference.hpp"
#include "history/history.hpp"
#include "job/jobs.hpp"
#include "job/node_jobs.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kDifferenceJob[] = "branch-difference";
constexpr char kSourceBranch[] = "source";
constexpr char kTargetBranch[] = "target";
constexpr DifferenceBounds kDifferenceBounds{.nodes = 10'000, .writes = 1'000'000};

sdk::Result<sdk::Reply> start_difference(Services& services, const sdk::Call& call) {
    auto source = source_branch(call);
    if (!source) return source.error();
    return job_reply(
        services, call, kDifferenceJob,
        {{kSourceBranch, address_of(*source)}, {kTargetBranch, address_of(call.record())}});
}

/// Nothing where the branch has neither the node nor its deletion.
sdk::Result<std::optional<bool>> may_know(const BranchContent& content, const std::string& node) {
    sdk::Documents& documents = content.context().documents();
    auto record = documents.read(content.nodes(), node);
    if (!record && sdk::is_missing(record.error()))
        record = documents.read(deletions_of(content), node);
    if (!record && sdk::is_missing(record.error())) return std::optional<bool>();
    if (!record) return record.error();
    auto may = content.may(record->key, sdk::Permission::read);
    if (!may) return may.error();
    return std::optional<bool>(*may);
}

/// Whether each branch that knows of the node lets whoever acts READ it, and one of them does.
sdk::Result<bool> may_know_difference(const BranchContent& source, const BranchContent& target,
                                      const std::string& node) {
    bool is_known = false;
    for (const BranchContent* content : {&source, &target}) {
        auto may = may_know(*content, node);
        if (!may) return may.error();
        if (*may && !**may) return false;
        is_known = is_known || may->has_value();
    }
    return is_known;
}

sdk::Json difference_row(const std::string& node, const NodeStates& states,
                         const NodeDifference& difference) {
    const sdk::Json& shown = states.source   ? *states.source
                             : states.target ? *states.target
                                             : *states.ancestor;
    return sdk::Json{{"_doc", node},
                     {"title", sdk::text_member(shown, "title")},
                     {member::kType, sdk::text_member(shown, member::kType)},
                     {member::kQName, sdk::text_member(shown, member::kQName)},
                     {member::kIsAssociation, is_association(shown)},
                     {"sourceOperation", operation_name(difference.on_source)},
                     {"targetOperation", operation_name(difference.on_target)},
                     {"isConflict", difference.is_conflict}};
}

/// How many rows say what.
class DifferenceTotals {
public:
    void add(const NodeDifference& difference) {
        ++changes_;
        if (difference.is_conflict) ++conflicts_;
        ++on_source_[static_cast<std::size_t>(difference.on_source)];
        ++on_target_[static_cast<std::size_t>(difference.on_target)];
    }
    sdk::Json json() const {
        return {{"changes", changes_},
                {"conflicts", conflicts_},
                {kSourceBranch, of_side(on_source_)},
                {kTargetBranch, of_side(on_target_)}};
    }

private:
    using Side = std::array<std::size_t, 4>;

    static sdk::Json of_side(const Side& side) {
        sdk::Json json = sdk::Json::object();
        for (const auto operation :
             {NodeOperation::create, NodeOperation::update, NodeOperation::remove})
            json[std::string(operation_name(operation))] =
                side[static_cast<std::size_t>(operation)];
        return json;
    }

    std::size_t changes_ = 0;
    std::size_t conflicts_ = 0;
    Side on_source_ = {};
    Side on_target_ = {};
};

sdk::Result<std::string> ancestor_changeset(const BranchContent& content, const Link& ancestor) {
    const sdk::Reader& store = content.context().transaction();
    const BranchStore& branches = content.services().branches;
    Revision revision = ancestor.bound;
    if (ancestor.is_tip()) {
        auto tip = branches.tip(store, content.place());
        if (!tip) return tip.error();
        revision = *tip;
    }
    auto note = branches.note(store, content.place(), revision);
    if (!note) return note.error();
    return changeset_id(revision, note->random_part);
}

sdk::Result<sdk::Json> difference_of(const BranchContent& source, const BranchContent& target,
                                     const sdk::Job& job) {
    const Difference difference(source.context().transaction(),
                                source.services().branches.space(source.place()),
                                source.view().view(), target.view().view());
    auto written = difference.written(kDifferenceBounds);
    if (!written) return written.error();
    sdk::Json rows = sdk::Json::array();
    DifferenceTotals totals;
    for (const std::string& key : written->keys) {
        if (job.must_stop()) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.branch_difference_stopped",
                                   "the server stops");
        }
        auto states = difference.states(key);
        if (!states) return states.error();
        if (!*states) continue;
        const NodeDifference found = compare(**states);
        if (found.on_source == NodeOperation::none && found.on_target == NodeOperation::none)
            continue;
        const std::string node = node_of_record_key(key);
        auto may = may_know_difference(source, target, node);
        if (!may) return may.error();
        if (!*may) continue;
        rows.push_back(difference_row(node, **states, found));
        totals.add(found);
    }
    auto ancestor = ancestor_changeset(source, difference.ancestor());
    if (!ancestor) return ancestor.error();
    sdk::Json result = {{"ancestorChangesetId", *ancestor},
                        {"changes", std::move(rows)},
                        {"totals", totals.json()}};
    if (!written->truncated_by.empty()) {
        result["truncated"] = true;
        result["bound"] = written->truncated_by;
    }
    return result;
}

sdk::Result<sdk::Json> run_difference(Services& services, sdk::Job& job) {
    sdk::Json result = {
        {"sourceBranchId", sdk::text_member(job.input().at(kSourceBranch), kBranchId)},
        {"targetBranchId", sdk::text_member(job.input().at(kTargetBranch), kBranchId)}};
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            Changes::of(context, services.branches).act_for(job.run_as());
            auto source = open_address(services, context, job.input().at(kSourceBranch));
            if (!source) return source.error();
            auto target = open_address(services, context, job.input().at(kTargetBranch));
            if (!target) return target.error();
            auto found = difference_of(*source, *target, job);
            if (!found) return found.error();
            result.update(*found);
            return {};
        });
    if (!done) return done.error();
    return result;
}

}  // namespace

void define_difference_jobs(Services& services) {
    services.jobs.define({.name = kDifferenceJob, .run = [&services](sdk::Job& job) {
                              return run_difference(services, job);
                          }});
}

sdk::Actions branch_difference_actions() {
    return {{.name = "diff/start",
             .run = operation<&start_difference>(),
             .parameters = {{"id", true}},
             .answers = sdk::shape::job()}};
}

}  // namespace stele::nodes
