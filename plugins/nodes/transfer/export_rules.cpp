#include "transfer/export_rules.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "graph/node_copy.hpp"
#include "history/branch_history.hpp"
#include "transfer/content_items.hpp"

namespace stele::nodes {

namespace {

/// The revision of a changeset that the branch shows.
sdk::Result<Revision> shown_revision(const BranchContent& content, const std::string& changeset) {
    auto shown = content.services().branches.shown_changeset(content.context().transaction(),
                                                             content.place(), changeset);
    if (shown) return shown->revision;
    if (!sdk::is_missing(shown.error())) return shown.error();
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.changeset_unknown",
                           fmt::format("the branch shows no changeset {}", changeset));
}

}  // namespace

sdk::Result<ExportRules> ExportRules::open(const BranchContent& content,
                                           const sdk::ContentSelection& selection) {
    const BranchStore& branches = content.services().branches;
    const sdk::Reader& store = content.context().transaction();
    ExportRules rules(content, branches.space(content.place()));
    auto state = selection.changeset.empty() ? branches.tip(store, content.place())
                                             : shown_revision(content, selection.changeset);
    if (!state) return state.error();
    auto view = branches.view(store, content.place(), *state);
    if (!view) return view.error();
    rules.view_ = std::move(*view);
    if (!selection.start_changeset.empty()) {
        auto after = shown_revision(content, selection.start_changeset);
        if (!after) return after.error();
        rules.after_ = *after;
    }
    if (!selection.end_changeset.empty()) {
        auto up_to = shown_revision(content, selection.end_changeset);
        if (!up_to) return up_to.error();
        rules.up_to_ = *up_to;
    }
    rules.start_ms_ = selection.start_ms;
    rules.end_ms_ = selection.end_ms;
    auto reads_all = content.reads_all();
    if (!reads_all) return reads_all.error();
    rules.reads_all_ = *reads_all;
    auto users = content.node(kUsersQName);
    if (!users && !sdk::is_missing(users.error())) return users.error();
    if (users) rules.users_ = users->id;
    return rules;
}

ViewReader ExportRules::reader() const {
    return {content_.context().transaction(), space_, view_};
}

sdk::Result<bool> ExportRules::may_read(const std::string& id) const {
    if (reads_all_) return true;
    return may_read_node(content_, content_.context().session(), id);
}

bool ExportRules::is_wanted(const VersionPlace& place, const sdk::Json& record) const {
    if (!is_in_range(place.revision)) return false;
    const std::int64_t modified = sdk::system_ms(record, "modified_on");
    return modified >= start_ms_ && (end_ms_ == 0 || modified <= end_ms_);
}

sdk::Result<bool> ExportRules::is_for_elsewhere(const ViewReader& state, const std::string& id,
                                                const sdk::Json& record) const {
    if (is_unchanged_built_in(record)) {
        bool is_associated = false;
        auto walked =
            Graph(state).for_each_edge(id, Direction::any, {}, [&is_associated](const Edge&) {
                is_associated = true;
                return false;
            });
        if (!walked) return walked.error();
        return is_associated;
    }
    if (!is_association(record)) return true;
    const std::string type = sdk::text_member(record, member::kType);
    if (!is_copied_type(type)) return false;
    const std::string target_type = sdk::text_member(record, member::kTargetType);
    const bool is_of_person = target_type == type::kPerson || target_type == type::kGroup;
    return !(type == association::kChild && is_of_person &&
             sdk::text_member(record, member::kSource) == users_);
}

sdk::Result<ExportRules::Verdict> ExportRules::judge(const ViewReader& state, const std::string& id,
                                                     const VersionPlace& place,
                                                     const sdk::Json& record) const {
    if (!is_root(record) && !is_wanted(place, record)) return Verdict::stays;
    auto is_for_elsewhere = this->is_for_elsewhere(state, id, record);
    if (!is_for_elsewhere) return is_for_elsewhere.error();
    if (!*is_for_elsewhere) return Verdict::stays;
    if (reads_all_) return Verdict::leaves;
    std::vector<std::string> seen{id};
    if (is_association(record)) {
        seen.push_back(sdk::text_member(record, member::kSource));
        seen.push_back(sdk::text_member(record, member::kTarget));
    }
    for (const std::string& one : seen) {
        auto may = may_read(one);
        if (!may) return may.error();
        if (!*may) return Verdict::is_hidden;
    }
    return Verdict::leaves;
}

}  // namespace stele::nodes
