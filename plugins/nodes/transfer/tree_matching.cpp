#include "transfer/tree_matching.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/folder_names.hpp"
#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"

namespace stele::nodes {

namespace {

class Matching {
public:
    explicit Matching(ImportState& state)
        : state_(state), content_(state.content), taken_(scratch_folder(state.content)) {}

    sdk::Result<void> match_child(const std::string& folder, const std::string& id) {
        auto may = may_match(id);
        if (!may) return may.error();
        if (!*may) return {};
        auto name = state_.plan.names.find(id);
        if (!name) return name.error();
        if (!*name) return {};
        auto child = content_.graph().find_child(folder, **name);
        if (!child) return child.error();
        return *child ? take(id, (*child)->other) : sdk::Result<void>();
    }

    /// What was matched is looked through in turn.
    sdk::Result<void> finish() {
        Pace pace(content_.context());
        return taken_.for_each(
            [&](std::string_view here, std::string_view id) -> sdk::Result<void> {
                const std::string item(id);
                const std::string folder(here);
                if (auto matched = match_children(folder, item, pace); !matched) return matched;
                return state_.plan.links.for_each_below(
                    item, association::kHasTranslation,
                    [&](const PlannedLink& link) -> sdk::Result<bool> {
                        auto matched = match_translation(folder, link);
                        return matched ? sdk::Result<bool>(true) : matched.error();
                    });
            });
    }

    sdk::Result<void> match_children(const std::string& folder, const std::string& item,
                                     Pace& pace) {
        return state_.plan.links.for_each_below(
            item, association::kChild, [&](const PlannedLink& link) -> sdk::Result<bool> {
                if (auto may = pace.step(); !may) return may.error();
                auto matched = match_child(folder, link.target);
                return matched ? sdk::Result<bool>(true) : matched.error();
            });
    }

private:
    /// It comes, and nothing stands for it yet.
    sdk::Result<bool> may_match(const std::string& id) const {
        auto planned = state_.plan.find(id);
        if (!planned) return planned.error();
        return *planned && !(*planned)->is_fixed && (*planned)->match.empty();
    }

    sdk::Result<void> take(const std::string& id, const std::string& here) {
        auto node = content_.readable_node(here);
        if (!node) return sdk::is_missing(node.error()) ? sdk::Result<void>() : node.error();
        // One node stands for one.
        auto is_taken = taken_.contains(here);
        if (!is_taken) return is_taken.error();
        if (*is_taken) return {};
        auto planned = state_.plan.items.at(id);
        if (!planned) return planned.error();
        planned->match = here;
        if (auto kept = state_.plan.items.put(id, *planned); !kept) return kept;
        return taken_.put(here, id);
    }

    sdk::Result<void> match_translation(const std::string& master, const PlannedLink& link) {
        auto may = may_match(link.target);
        if (!may) return may.error();
        if (!*may) return {};
        auto edges = content_.edges(master, Direction::outgoing, association::kHasTranslation);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            auto association = content_.node(edge.association);
            if (!association) return association.error();
            if (sdk::text_member(association->fields, "locale") == link.locale &&
                sdk::text_member(association->fields, "edition") == link.edition)
                return take(link.target, edge.other);
        }
        return {};
    }

    ImportState& state_;
    const BranchContent& content_;
    /// Items by the nodes here that stand for them, in the order in which they were matched.
    sdk::TextTable taken_;
};

/// Whether a subject comes to lie in the folder by what comes: below the root of the source, which
/// the folder stands for, or below another subject.
sdk::Result<bool> is_below(const ImportPlan& plan, const sdk::TextTable& subjects,
                           const std::string& id) {
    bool is_found = false;
    std::set<std::string> known{id};
    std::vector<std::string> reached{id};
    const auto look_at = [&](const PlannedLink& link) -> sdk::Result<bool> {
        auto folder = plan.items.at(link.source);
        if (!folder) return folder.error();
        auto is_subject = subjects.contains(link.source);
        if (!is_subject) return is_subject;
        is_found = *is_subject || (folder->is_fixed && !folder->is_users);
        if (known.insert(link.source).second) reached.push_back(link.source);
        return !is_found;
    };
    while (!reached.empty() && !is_found) {
        const std::string at = std::move(reached.back());
        reached.pop_back();
        auto walked = plan.links.for_each_above(at, association::kChild, look_at);
        if (!walked) return walked.error();
    }
    return is_found;
}

/// Whether a link of any type leads to it.
sdk::Result<bool> is_target(const ImportPlan& plan, const std::string& id) {
    bool is_found = false;
    auto walked = plan.links.for_each_above(id, {}, [&is_found](const PlannedLink&) {
        is_found = true;
        return sdk::Result<bool>(false);
    });
    if (!walked) return walked.error();
    return is_found;
}

}  // namespace

sdk::Result<std::optional<std::string>> find_joined(const BranchContent& content,
                                                    const AssociationEnds& ends) {
    // A member lies in few folders, a folder has many members.
    const bool is_upwards = ends.type == association::kChild && !ends.is_undirected;
    const Direction direction = ends.is_undirected ? Direction::mutual
                                : is_upwards       ? Direction::incoming
                                                   : Direction::outgoing;
    std::optional<std::string> found;
    auto walked = content.graph().for_each_edge(
        is_upwards ? ends.target : ends.source, direction, ends.type, [&](const Edge& edge) {
            if (edge.end == direction && edge.other == (is_upwards ? ends.source : ends.target))
                found = edge.association;
            return !found;
        });
    if (!walked) return walked.error();
    return found;
}

sdk::Result<sdk::TextTable> subjects_of(const ImportState& state) {
    const ImportPlan& plan = state.plan;
    sdk::TextTable subjects(scratch_folder(state.content));
    for (const std::string& id : state.target.subjects) {
        auto planned = plan.find(id);
        if (!planned) return planned.error();
        if (!*planned || (*planned)->kind != ItemKind::node)
            return sdk::make_error({{"subjects", "nodes.import_subject_unknown",
                                     "there is no node " + sdk::shown_path(id) + " to import"}});
        if (auto added = subjects.put(id, {}); !added) return added.error();
    }
    if (!state.target.subjects.empty()) return subjects;
    auto walked = plan.items.for_each([&](const std::string& id,
                                          const PlannedItem& planned) -> sdk::Result<void> {
        auto may = state.step();
        const bool is_content =
            planned.comes && planned.kind == ItemKind::node && !planned.is_fixed && !planned.is_tag;
        if (!may || !is_content) return may;
        auto is_led_to = is_target(plan, id);
        if (!is_led_to) return is_led_to.error();
        return *is_led_to ? sdk::Result<void>() : subjects.put(id, {});
    });
    if (!walked) return walked.error();
    return subjects;
}

sdk::Result<void> match_by_names(ImportState& state, const std::string& folder,
                                 const sdk::TextTable& subjects) {
    Matching matching(state);
    auto walked = subjects.for_each([&](std::string_view subject, std::string_view) {
        auto may = state.step();
        return may ? matching.match_child(folder, std::string(subject)) : may;
    });
    if (!walked) return walked;
    // What hangs on the root of the source comes to hang on the folder.
    Pace pace(state.content.context());
    // The plan changes with each that is matched.
    sdk::TextTable roots(scratch_folder(state.content));
    walked = state.plan.items.for_each([&](const std::string& id, const PlannedItem& planned) {
        const bool is_root = planned.comes && planned.is_fixed && planned.match == folder;
        return is_root ? roots.put(id, {}) : state.step();
    });
    if (!walked) return walked;
    walked = roots.for_each([&](std::string_view root, std::string_view) {
        return matching.match_children(folder, std::string(root), pace);
    });
    return walked ? matching.finish() : walked;
}

sdk::Result<bool> fit_name(const ImportState& state, const std::string& folder,
                           const sdk::Document& node) {
    if (state.is_clone()) return false;
    sdk::Json fields = node.fields;
    auto is_numbered = number_name(state.content, folder, node.id, fields);
    if (!is_numbered || !*is_numbered) return is_numbered;
    if (auto may = state.require_update(node); !may) return may.error();
    auto renamed = state.content.context().documents().patch(
        state.content.nodes(), node.id, {{member::kFeatures, fields[member::kFeatures]}});
    if (!renamed) return renamed.error();
    return true;
}

namespace {

sdk::Result<void> place_subject(ImportState& state, const std::string& folder,
                                const sdk::TextTable& subjects, const std::string& id) {
    const BranchContent& content = state.content;
    auto planned = state.plan.items.at(id);
    if (!planned) return planned.error();
    // It was refused.
    if (!planned->comes) return {};
    auto found = state.id_here(id);
    if (!found) return found.error();
    const std::string& here = *found;
    if (planned->is_fixed || here == folder) return {};
    auto is_below = nodes::is_below(state.plan, subjects, id);
    if (!is_below) return is_below.error();
    if (*is_below) return {};
    auto member = find_joined(
        content,
        {.association = {}, .type = association::kChild, .source = folder, .target = here});
    if (!member) return member.error();
    if (*member) return {};
    auto at = content.node(folder);
    if (!at) return at.error();
    auto container = content.make_folders(*at, {});
    if (!container) return container.error();
    auto node = content.node(here);
    if (!node) return node.error();
    if (auto fits = fit_name(state, folder, *node); !fits) return of_item(id, fits.error());
    auto joined = content.associate({.source = folder,
                                     .target = here,
                                     .type = association::kChild,
                                     .fields = sdk::Json::object()});
    if (!joined) return of_item(id, joined.error());
    ++state.report.associations;
    return {};
}

}  // namespace

sdk::Result<void> place_subjects(ImportState& state, const std::string& folder,
                                 const sdk::TextTable& subjects) {
    return subjects.for_each([&](std::string_view id, std::string_view) {
        const std::string item(id);
        return state.tried(item, place_subject(state, folder, subjects, item));
    });
}

}  // namespace stele::nodes
