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
    explicit Matching(ImportState& state) : state_(state), content_(state.content) {}

    sdk::Result<void> match_child(const std::string& folder, const std::string& id) {
        const PlannedItem* const planned = state_.plan.find(id);
        if (planned == nullptr || planned->is_fixed || !planned->match.empty()) return {};
        const auto name = state_.plan.names.find(id);
        if (name == state_.plan.names.end()) return {};
        auto child = content_.graph().find_child(folder, name->second);
        if (!child) return child.error();
        return *child ? take(id, (*child)->other) : sdk::Result<void>();
    }

    /// What was matched is looked through in turn.
    sdk::Result<void> finish() {
        Pace pace(content_.context());
        while (!reached_.empty()) {
            const std::string id = std::move(reached_.back());
            reached_.pop_back();
            const std::string here = state_.plan.items.at(id).match;
            for (const PlannedLink* link : state_.plan.below(id, association::kChild)) {
                if (auto may = pace.step(); !may) return may;
                if (auto matched = match_child(here, link->target); !matched) return matched;
            }
            for (const PlannedLink* link : state_.plan.below(id, association::kHasTranslation)) {
                if (auto matched = match_translation(here, *link); !matched) return matched;
            }
        }
        return {};
    }

private:
    sdk::Result<void> take(const std::string& id, const std::string& here) {
        auto node = content_.readable_node(here);
        if (!node) return sdk::is_missing(node.error()) ? sdk::Result<void>() : node.error();
        // One node stands for one.
        if (!taken_.insert(here).second) return {};
        state_.plan.items.at(id).match = here;
        reached_.push_back(id);
        return {};
    }

    sdk::Result<void> match_translation(const std::string& master, const PlannedLink& link) {
        const PlannedItem* const planned = state_.plan.find(link.target);
        if (planned == nullptr || planned->is_fixed || !planned->match.empty()) return {};
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
    std::vector<std::string> reached_;
    std::set<std::string> taken_;
};

/// Whether a subject comes to lie in the folder by what comes: below the root of the source, which
/// the folder stands for, or below another subject.
bool is_below(const ImportPlan& plan, const std::set<std::string>& subjects,
              const std::string& id) {
    std::set<std::string> known{id};
    std::vector<std::string> reached{id};
    while (!reached.empty()) {
        const std::string at = std::move(reached.back());
        reached.pop_back();
        for (const PlannedLink* link : plan.above(at, association::kChild)) {
            const PlannedItem* const folder = plan.find(link->source);
            const bool is_root = folder->is_fixed && !folder->is_users;
            if (is_root || subjects.contains(link->source)) return true;
            if (known.insert(link->source).second) reached.push_back(link->source);
        }
    }
    return false;
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

sdk::Result<std::vector<std::string>> subjects_of(const ImportState& state) {
    const ImportPlan& plan = state.plan;
    if (!state.target.subjects.empty()) {
        for (const std::string& id : state.target.subjects) {
            const PlannedItem* const planned = plan.find(id);
            if (planned != nullptr && planned->kind == ItemKind::node) continue;
            return sdk::make_error({{"subjects", "nodes.import_subject_unknown",
                                     "there is no node " + sdk::shown_path(id) + " to import"}});
        }
        return state.target.subjects;
    }
    std::vector<std::string> found;
    for (const auto& [id, planned] : plan.items) {
        const bool is_content =
            planned.comes && planned.kind == ItemKind::node && !planned.is_fixed && !planned.is_tag;
        if (is_content && plan.above(id, {}).empty()) found.push_back(id);
    }
    std::sort(found.begin(), found.end());
    return found;
}

sdk::Result<void> match_by_names(ImportState& state, const std::string& folder,
                                 const std::vector<std::string>& subjects) {
    Matching matching(state);
    for (const std::string& subject : subjects) {
        if (auto matched = matching.match_child(folder, subject); !matched) return matched;
    }
    // What hangs on the root of the source comes to hang on the folder.
    for (const auto& [id, planned] : state.plan.items) {
        if (!planned.comes || !planned.is_fixed || planned.match != folder) continue;
        for (const PlannedLink* link : state.plan.below(id, association::kChild)) {
            if (auto matched = matching.match_child(folder, link->target); !matched) return matched;
        }
    }
    return matching.finish();
}

sdk::Result<bool> fit_name(const ImportState& state, const std::string& folder,
                           const sdk::Document& node) {
    if (state.is_clone()) return false;
    sdk::Json fields = node.fields;
    auto is_numbered = number_name(state.content, folder, node.id, fields);
    if (!is_numbered || !*is_numbered) return is_numbered;
    auto renamed = state.content.context().documents().patch(
        state.content.nodes(), node.id, {{member::kFeatures, fields[member::kFeatures]}});
    if (!renamed) return renamed.error();
    return true;
}

sdk::Result<void> place_subjects(ImportState& state, const std::string& folder,
                                 const std::vector<std::string>& subjects) {
    const BranchContent& content = state.content;
    const std::set<std::string> all(subjects.begin(), subjects.end());
    for (const std::string& id : subjects) {
        const std::string& here = state.report.ids.at(id);
        const bool is_fixed = state.plan.items.at(id).is_fixed;
        if (is_fixed || here == folder || is_below(state.plan, all, id)) continue;
        auto member = find_joined(
            content,
            {.association = {}, .type = association::kChild, .source = folder, .target = here});
        if (!member) return member.error();
        if (*member) continue;
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
    }
    return {};
}

}  // namespace stele::nodes
