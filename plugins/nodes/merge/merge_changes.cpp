#include "merge/merge_changes.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "merge/record_merge.hpp"

namespace stele::nodes {

namespace {

using Kind = MergeStep::Kind;

std::string_view operation_of(Kind kind) {
    switch (kind) {
        case Kind::create:
            return "create";
        case Kind::remove:
            return "delete";
        case Kind::update:
            break;
    }
    return "update";
}

/// Names of the members in which two parts of a node differ.
sdk::Json changed_members(const sdk::Json& before, const sdk::Json& after) {
    sdk::Json names = sdk::Json::array();
    for (const auto& [name, value] : after.items()) {
        const auto former = before.find(name);
        if (former == before.end() || *former != value) names.push_back(name);
    }
    for (const auto& [name, value] : before.items()) {
        if (!after.contains(name)) names.push_back(name);
    }
    return names;
}

class ChangeRows {
public:
    ChangeRows(const BranchContent& source, const BranchContent& target, const MergeDraft& draft)
        : source_(source), target_(target), draft_(draft), pace_(target.context()) {
        for (const MergeConflict& conflict : draft.conflicts)
            unsettled_.insert(conflict.node);
    }

    sdk::Result<std::vector<sdk::Json>> make() {
        auto root = target_.node(kRootAlias);
        if (!root) return root.error();
        root_ = root->id;
        for (const auto& [id, step] : draft_.steps) {
            if (is_membership(step.part) && step.kind != Kind::update)
                moved_.insert(sdk::text_member(step.part, member::kTarget));
        }
        for (const auto& [id, step] : draft_.steps) {
            if (is_association(step.part)) continue;
            if (auto added = add(id, step.kind, &step); !added) return added.error();
        }
        std::set<std::string> others = moved_;
        others.insert(unsettled_.begin(), unsettled_.end());
        for (const std::string& id : others) {
            if (draft_.step(id) != nullptr) continue;
            if (auto added = add(id, Kind::update, nullptr); !added) return added.error();
        }
        return std::move(rows_);
    }

private:
    /// Without a step: a node that only its folders or its conflicts are about.
    sdk::Result<void> add(const std::string& id, Kind kind, const MergeStep* step) {
        if (auto may = pace_.step(); !may) return may;
        auto present = find(target_, id);
        if (!present) return present.error();
        auto other = find(source_, id);
        if (!other) return other.error();
        auto is_hidden = hides(target_, id, *present);
        if (is_hidden && !*is_hidden) is_hidden = hides(source_, id, *other);
        if (!is_hidden) return is_hidden.error();
        if (*is_hidden) return {};
        const bool comes = kind != Kind::remove && other->has_value();
        const std::optional<sdk::Document>& shown = comes ? *other : *present;
        if (!shown || is_association(shown->fields)) return {};
        const sdk::Json part = step != nullptr ? step->part : merged_part(shown->fields);
        sdk::Json row = {{kNodeId, id},
                         {"operation", operation_of(kind)},
                         {"title", sdk::text_member(part, "title")},
                         {member::kType, sdk::text_member(part, member::kType)},
                         {member::kQName, sdk::text_member(part, member::kQName)},
                         {"members", sdk::Json::array()},
                         {"moved", kind == Kind::update && moved_.contains(id)},
                         {"conflict", unsettled_.contains(id)}};
        if (kind == Kind::update && step != nullptr && *present)
            row["members"] = changed_members(merged_part((*present)->fields), part);
        auto path = (comes ? source_ : target_).path_of(*shown, root_);
        if (!path) return path.error();
        if (*path) row["path"] = **path;
        rows_.push_back(std::move(row));
        return {};
    }

    /// A branch has it, and not for whoever looks.
    static sdk::Result<bool> hides(const BranchContent& content, const std::string& id,
                                   const std::optional<sdk::Document>& readable) {
        return readable ? sdk::Result<bool>(false) : content.view().contains(node_record_key(id));
    }

    static sdk::Result<std::optional<sdk::Document>> find(const BranchContent& content,
                                                          const std::string& id) {
        auto node = content.readable_node(id);
        if (!node && sdk::is_missing(node.error())) return std::optional<sdk::Document>();
        if (!node) return node.error();
        return std::optional<sdk::Document>(*std::move(node));
    }

    const BranchContent& source_;
    const BranchContent& target_;
    const MergeDraft& draft_;
    Pace pace_;
    std::string root_;
    std::set<std::string> moved_;
    std::set<std::string> unsettled_;
    std::vector<sdk::Json> rows_;
};

}  // namespace

sdk::Result<std::vector<sdk::Json>> told_changes(const BranchContent& source,
                                                 const BranchContent& target,
                                                 const MergeDraft& draft) {
    return ChangeRows(source, target, draft).make();
}

std::vector<sdk::Json> told_faults(const MergeDraft& draft, const std::vector<MergeFault>& faults) {
    std::vector<sdk::Json> rows;
    for (const MergeFault& fault : faults) {
        const MergeStep* const step = draft.step(fault.node);
        rows.push_back({{kNodeId, fault.node},
                        {"title", step != nullptr ? sdk::text_member(step->part, "title") : ""},
                        {"code", fault.error.code},
                        {"message", fault.error.message}});
    }
    return rows;
}

}  // namespace stele::nodes
