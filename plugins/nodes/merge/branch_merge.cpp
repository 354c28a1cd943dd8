#include "merge/branch_merge.hpp"

#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/changeset_id.hpp"
#include "branch/pace.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "merge/adopted_versions.hpp"
#include "merge/equal_places.hpp"
#include "merge/merge_changes.hpp"
#include "merge/merge_draft.hpp"
#include "merge/merge_rights.hpp"
#include "merge/merge_sides.hpp"
#include "merge/merge_writing.hpp"

namespace stele::nodes {

namespace {

/// A target that takes no direct commits may still take what comes by more than a client's merge:
/// while this lives, and nothing else of the operation.
class BlockPassed {
public:
    BlockPassed() = default;
    BlockPassed(const BlockPassed&) = delete;
    BlockPassed& operator=(const BlockPassed&) = delete;
    ~BlockPassed() {
        if (target_ != nullptr) target_->changes().restore_protection(target_->branch());
    }

    sdk::Result<void> pass(const BranchContent& target) {
        if (target.changes().is_unprotected(target.branch())) return {};
        auto rules = target.changes().rules(target.context(), target.branch());
        if (!rules) return rules.error();
        if (rules->is_archived || rules->is_readonly || rules->is_frozen) return {};
        target.changes().lift_protection(target.branch());
        target_ = &target;
        return {};
    }

private:
    const BranchContent* target_ = nullptr;
};

sdk::Result<void> check_related(const BranchContent& source, const BranchContent& target) {
    if (source.branch() == target.branch())
        return sdk::invalid_parameter("id", "must name another branch than the one merged into");
    const BranchPlace& from = source.place();
    const BranchPlace& to = target.place();
    if (from.platform != to.platform || from.repository != to.repository)
        return sdk::invalid_parameter("id", "must name a branch of the same repository");
    return {};
}

sdk::Result<void> check_branches(const BranchContent& source, const BranchContent& target) {
    if (auto related = check_related(source, target); !related) return related;
    auto rules = source.changes().rules(source.context(), source.branch());
    if (!rules) return rules.error();
    if (rules->is_archived) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "nodes.branch_archived",
                               "the source is archived, so it cannot be merged");
    }
    return check_branch_writable(target);
}

sdk::Result<Chooser> chooser_of(const BranchContent& target, ConflictDecisions decisions) {
    auto branch = target.context().documents().read(target.branch());
    if (!branch) return branch.error();
    const std::string name = sdk::text_member(branch->fields, kConflictRule);
    return Chooser(find_conflict_rule(name).value_or(ConflictRule::manual), std::move(decisions));
}

sdk::Result<std::vector<ChangedRecord>> changed_records(const BranchContent& target,
                                                        const MergeSides& sides) {
    auto keys = sides.written(kMostMerged);
    if (!keys) return keys.error();
    std::vector<ChangedRecord> found;
    Pace pace(target.context());
    for (const std::string& key : *keys) {
        if (auto may = pace.step(); !may) return may.error();
        auto changed = sides.changed(key);
        if (!changed) return changed.error();
        if (*changed) found.push_back(std::move(**changed));
    }
    if (auto matched = match_equal_places(target, sides, *keys, found); !matched)
        return matched.error();
    return found;
}

/// What the source has changed of a closure. Of what is fresh the associations are, too.
sdk::Result<std::vector<ChangedRecord>> changed_of(const BranchContent& target,
                                                   const NodeClosure& closure,
                                                   const MergeSides& sides) {
    std::vector<ChangedRecord> found;
    Pace pace(target.context());
    const auto take = [&](const std::string& id) -> sdk::Result<void> {
        if (auto may = pace.step(); !may) return may;
        const std::string key = node_record_key(id);
        auto whole = sides.fresh(key);
        if (!whole) return whole.error();
        const sdk::Json part = whole->source.value_or(sdk::Json::object());
        const bool is_fresh = closure.fresh.contains(id) ||
                              closure.fresh.contains(sdk::text_member(part, member::kSource)) ||
                              closure.fresh.contains(sdk::text_member(part, member::kTarget));
        if (whole->source && !whole->target && is_fresh) {
            found.push_back(*std::move(whole));
            return {};
        }
        auto changed = sides.changed(key);
        if (!changed) return changed.error();
        if (*changed) found.push_back(std::move(**changed));
        return {};
    };
    for (const std::string& id : closure.nodes) {
        if (auto taken = take(id); !taken) return taken.error();
    }
    std::vector<std::string> keys;
    for (const std::string& id : closure.associations) {
        if (auto taken = take(id); !taken) return taken.error();
        keys.push_back(node_record_key(id));
    }
    if (auto matched = match_equal_places(target, sides, keys, found); !matched)
        return matched.error();
    return found;
}

/// The next merge of these records begins here.
sdk::Result<void> note_adopted(const BranchContent& target, const std::vector<std::string>& ids,
                               const AncestryPoint& changeset) {
    auto writer = target.changes().writer(target.context(), target.branch());
    if (!writer) return writer.error();
    for (const std::string& id : ids)
        put_adopted(**writer, id, changeset);
    return {};
}

sdk::Error not_in_branch() {
    return sdk::invalid_parameter("id", "must name a changeset that has come into the branch");
}

/// What the sides differ in, as a draft that `write` writes unless it has conflicts; it says
/// whether that made a changeset.
template <class Write>
sdk::Result<MergeReport> bring(const BranchContent& source, const BranchContent& target,
                               const MergeSides& sides, std::vector<ChangedRecord> changed,
                               MergeOptions options, const Write& write) {
    MergeReport report{.is_merged = !options.is_dry_run, .is_dry_run = options.is_dry_run};
    const auto persons = leave_own_out(changed);
    if (auto may = require_readable(source, target, changed); !may) return may.error();
    auto chooser = chooser_of(target, std::move(options.decisions));
    if (!chooser) return chooser.error();
    auto draft =
        draft_merge(source, target, sides, changed, persons, *chooser, options.associations);
    if (!draft) return draft.error();
    report.written = draft->steps.size();
    if (options.tells_changes) {
        auto told = told_changes(source, target, *draft);
        if (!told) return told.error();
        report.changes = *std::move(told);
    }
    report.conflicts = std::move(draft->conflicts);
    report.decided = chooser->applied();
    if (!report.conflicts.empty()) report.is_merged = false;
    if (!report.is_merged) return report;
    if (auto may = require_writable(target, *draft); !may) {
        if (!options.finds_faults || !sdk::is_refusal(may.error())) return may.error();
        report.faults = told_faults(*draft, {{std::string(), may.error()}});
        return report;
    }
    std::vector<MergeFault> faults;
    auto has_changeset = write(*draft, options.finds_faults ? &faults : nullptr);
    if (!has_changeset) return has_changeset.error();
    report.faults = told_faults(*draft, faults);
    if (!*has_changeset) return report;
    auto note = target.changes().note(target.context(), target.branch());
    if (!note) return note.error();
    report.changeset = (*note)->random_part;
    return report;
}

}  // namespace

sdk::Json MergeReport::json() const {
    sdk::Json told = sdk::Json::array();
    for (const MergeConflict& conflict : conflicts)
        told.push_back(conflict.json());
    sdk::Json json = {{"merged", is_merged},         {"dryRun", is_dry_run},
                      {"nodeCount", written},        {"conflictCount", conflicts.size()},
                      {"conflictIds", conflict_ids}, {"conflicts", std::move(told)}};
    if (!changeset.empty()) json[kChangesetId] = changeset;
    return json;
}

sdk::Result<MergeReport> merge_branches(const BranchContent& source, const BranchContent& target,
                                        MergeOptions options) {
    BlockPassed block;
    if (options.passes_block) {
        if (auto passed = block.pass(target); !passed) return passed.error();
    }
    if (auto checked = check_branches(source, target); !checked) return checked.error();
    const auto past = target.services().registrar.engine().snapshot();
    auto sides = MergeSides::open(source, target, *past);
    if (!sides) return sides.error();
    if (sides->is_contained())
        return MergeReport{.is_merged = !options.is_dry_run, .is_dry_run = options.is_dry_run};
    auto changed = changed_records(target, *sides);
    if (!changed) return changed.error();
    return bring(
        source, target, *sides, *std::move(changed), std::move(options),
        [&](const MergeDraft& draft, std::vector<MergeFault>* faults) -> sdk::Result<bool> {
            return write_merge(source, target, *sides, draft, faults);
        });
}

sdk::Result<MergeReport> merge_nodes(const BranchContent& source, const BranchContent& target,
                                     const std::vector<std::string>& named,
                                     const ClosureRules& rules, MergeOptions options,
                                     std::vector<std::string>& brought) {
    if (auto checked = check_branches(source, target); !checked) return checked.error();
    const auto past = target.services().registrar.engine().snapshot();
    auto sides = MergeSides::open(source, target, *past);
    if (!sides) return sides.error();
    auto closure = close_over(source, target, *sides, named, rules);
    if (!closure) return closure.error();
    options.associations = &closure->associations;
    brought = closure->nodes;
    auto changed = changed_of(target, *closure, *sides);
    if (!changed) return changed.error();
    std::vector<std::string> ids;
    for (const ChangedRecord& record : *changed) {
        ids.push_back(record.id);
        for (std::string& id : record.other_ids())
            ids.push_back(std::move(id));
    }
    return bring(
        source, target, *sides, *std::move(changed), std::move(options),
        [&](const MergeDraft& draft, std::vector<MergeFault>* faults) -> sdk::Result<bool> {
            if (ids.empty()) return false;
            auto written = write_draft(target, draft, faults);
            if (!written) return written.error();
            auto noted = note_adopted(target, ids, sides->source_tip());
            if (!noted) return noted.error();
            return true;
        });
}

sdk::Result<void> note_taken_over(const BranchContent& source, const BranchContent& target,
                                  const std::vector<std::string>& nodes) {
    if (nodes.empty()) return {};
    const auto past = target.services().registrar.engine().snapshot();
    auto tip = settled_tip(source, target, *past);
    if (!tip) return tip.error();
    return note_adopted(target, nodes, *tip);
}

sdk::Result<std::vector<sdk::Json>> changes_between(const BranchContent& source,
                                                    const BranchContent& target) {
    if (auto related = check_related(source, target); !related) return related.error();
    const auto past = target.services().registrar.engine().snapshot();
    auto sides = MergeSides::open(source, target, *past);
    if (!sides) return sides.error();
    if (sides->is_contained()) return std::vector<sdk::Json>();
    auto changed = changed_records(target, *sides);
    if (!changed) return changed.error();
    const auto persons = leave_own_out(*changed);
    if (auto left = leave_unreadable_out(source, target, *changed); !left) return left.error();
    auto chooser = chooser_of(target, {});
    if (!chooser) return chooser.error();
    auto draft = draft_merge(source, target, *sides, *changed, persons, *chooser);
    if (!draft) return draft.error();
    return told_changes(source, target, *draft);
}

sdk::Result<MergeReport> revert_changeset(const BranchContent& target, std::string_view id,
                                          MergeOptions options) {
    if (auto writable = check_branch_writable(target); !writable) return writable.error();
    const auto past = target.services().registrar.engine().snapshot();
    auto changeset = target.services().branches.find_changeset(*past, target.place(), id);
    if (!changeset) return changeset.error();
    if (!*changeset) return not_in_branch();
    auto sides = MergeSides::revert(**changeset, target, *past);
    if (!sides) return sides.error();
    if (!*sides) return not_in_branch();
    auto changed = changed_records(target, **sides);
    if (!changed) return changed.error();
    return bring(
        target, target, **sides, *std::move(changed), std::move(options),
        [&](const MergeDraft& draft, std::vector<MergeFault>* faults) -> sdk::Result<bool> {
            auto written = write_draft(target, draft, faults);
            if (!written) return written.error();
            return !draft.steps.empty();
        });
}

}  // namespace stele::nodes
