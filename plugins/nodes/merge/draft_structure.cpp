#include "merge/draft_structure.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "graph/translations.hpp"
#include "history/history.hpp"
#include "history/node_relations.hpp"
#include "history/tags.hpp"
#include "merge/equal_places.hpp"
#include "merge/record_merge.hpp"

namespace stele::nodes {

namespace {

constexpr std::array kEndMembers{member::kSource, member::kTarget};

/// What a node lies in, what owns it, and what it translates.
bool holds(const Edge& edge) {
    return edge.end == Direction::incoming &&
           (edge.type == association::kChild || edge.type == association::kOwned ||
            edge.type == association::kHasTranslation);
}

bool is_same_edition(const sdk::Json& one, const sdk::Json& other) {
    return sdk::text_member(one, "edition") == sdk::text_member(other, "edition") &&
           parse_locale(sdk::text_member(one, "locale")) ==
               parse_locale(sdk::text_member(other, "locale"));
}

sdk::Json ids_json(const std::set<std::string>& ids) {
    return {{"folders", ids}};
}

}  // namespace

sdk::Result<void> DraftStructure::check() {
    if (auto checked = check_kept(); !checked) return checked;
    if (auto checked = check_ends(); !checked) return checked;
    if (auto checked = check_removals(); !checked) return checked;
    if (auto checked = check_moves(); !checked) return checked;
    // What stays in its place keeps its name there.
    if (auto checked = check_circles(); !checked) return checked;
    if (auto checked = check_names(); !checked) return checked;
    return check_qnames();
}

sdk::Result<bool> DraftStructure::will_exist(const std::string& id) const {
    if (const MergeStep* const step = draft_.step(id)) return !step->is_removal();
    return target_.view().contains(node_record_key(id));
}

sdk::Result<bool> DraftStructure::is_new_on_target(const sdk::Document& association) const {
    auto is_old = sides_.is_in_base(node_record_key(association.id));
    if (is_old && !*is_old) is_old = is_place_in_base(sides_, association);
    if (!is_old) return is_old;
    return !*is_old;
}

sdk::Result<std::vector<Edge>> DraftStructure::folders_on_target(const std::string& node) const {
    auto edges = target_.edges(node, Direction::incoming, association::kChild);
    if (!edges) return edges;
    std::erase_if(*edges, [](const Edge& edge) { return edge.end != Direction::incoming; });
    return edges;
}

sdk::Result<std::set<std::string>> DraftStructure::folders_on_source(
    const std::string& node) const {
    std::set<std::string> folders;
    auto walked =
        Graph(sides_.source_view())
            .for_each_edge(node, Direction::incoming, association::kChild, [&](const Edge& edge) {
                if (edge.end == Direction::incoming) folders.insert(edge.other);
                return true;
            });
    if (!walked) return walked.error();
    return folders;
}

sdk::Result<void> DraftStructure::check_ends() {
    for (const auto& [id, step] : draft_.steps) {
        const bool is_new = step.kind == MergeStep::Kind::create;
        if (is_new && is_association(step.part)) left_.push_back(id);
        // What only the source has changed did not go on the target.
        if (is_new && !is_association(step.part)) {
            auto was_there = sides_.is_in_base(node_record_key(id));
            if (!was_there) return was_there.error();
            if (!*was_there) continue;
            if (auto revived = revive_associations(id); !revived) return revived;
        }
    }
    while (!left_.empty()) {
        const std::string id = std::move(left_.back());
        left_.pop_back();
        if (auto checked = check_ends(id); !checked) return checked;
    }
    return {};
}

sdk::Result<void> DraftStructure::check_ends(const std::string& id) {
    const auto found = draft_.steps.find(id);
    if (found == draft_.steps.end()) return {};
    MergeStep& step = found->second;
    for (const char* end : kEndMembers)
        step.part[end] = draft_.resolved(sdk::text_member(step.part, end));
    std::vector<std::string> gone;
    for (const char* end : kEndMembers) {
        const std::string node = sdk::text_member(step.part, end);
        auto is_there = will_exist(node);
        if (!is_there) return is_there.error();
        if (!*is_there) gone.push_back(node);
    }
    if (gone.empty()) {
        auto is_known = is_there_already(id, step);
        if (!is_known) return is_known.error();
        if (!*is_known) return check_alone(id, step);
        draft_.steps.erase(id);
        return {};
    }
    const bool has_nobody = std::any_of(gone.begin(), gone.end(), [this](const std::string& node) {
        return draft_.missing_persons.contains(node);
    });
    MergeConflict conflict{
        ConflictKind::end_gone,
        id,
        {},
        {},
        step.part,
        {},
        fmt::format("the source has made an association {} with {}, which is not on the target{}",
                    sdk::text_member(step.part, member::kType), fmt::join(gone, " and "),
                    has_nobody ? ", to which the person has not come yet" : " any more")};
    // Nobody can make a person for others.
    conflict.is_for_target = has_nobody;
    auto side = chooser_.choose(conflict, step.source_ms, 0);
    if (has_nobody && side == Side::source) side.reset();
    if (side == Side::source) {
        for (const std::string& node : gone) {
            if (auto revived = revive(node); !revived) return revived;
        }
        return {};
    }
    if (!side) add(std::move(conflict));
    draft_.steps.erase(id);
    return {};
}

sdk::Result<bool> DraftStructure::is_there_already(const std::string& id,
                                                   const MergeStep& step) const {
    const std::string source = sdk::text_member(step.part, member::kSource);
    const std::string target = sdk::text_member(step.part, member::kTarget);
    const std::string type = sdk::text_member(step.part, member::kType);
    const auto stays = [this](const std::string& association) {
        return !draft_.removes(association);
    };
    if (is_relation(step.part)) {
        auto present = relations_of(target_, source, {type});
        if (!present) return present.error();
        sdk::Document association;
        association.id = id;
        association.fields = step.part;
        return present->contains(relation_of(association));
    }
    if (!is_place_in_tree(step.part)) return false;
    auto edges = target_.edges(target, Direction::incoming, type);
    if (!edges) return edges.error();
    return std::any_of(edges->begin(), edges->end(), [&](const Edge& edge) {
        return edge.end == Direction::incoming && edge.other == source && stays(edge.association);
    });
}

sdk::Result<void> DraftStructure::check_alone(const std::string& id, const MergeStep& step) {
    const std::string type = sdk::text_member(step.part, member::kType);
    const bool is_owned = type == association::kOwned && is_place_in_tree(step.part);
    if (!is_owned && type != association::kHasTranslation) return {};
    const std::string source = sdk::text_member(step.part, member::kSource);
    const std::string node = is_owned ? sdk::text_member(step.part, member::kTarget) : source;
    const Direction direction = is_owned ? Direction::incoming : Direction::outgoing;
    auto edges = target_.edges(node, direction, type);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        if (edge.end != direction || draft_.removes(edge.association)) continue;
        auto other = target_.node(edge.association);
        if (!other) return other.error();
        if (!is_owned && !is_same_edition(step.part, other->fields)) continue;
        const std::string locale = sdk::text_member(step.part, "locale");
        const std::string edition = sdk::text_member(step.part, "edition");
        MergeConflict conflict{
            is_owned ? ConflictKind::owner : ConflictKind::translation,
            node,
            {},
            {},
            step.part,
            {},
            is_owned ? fmt::format("both branches have given {} an owner", node)
                     : fmt::format("both branches have translated {} into {}, in edition {}", node,
                                   locale, edition),
            is_owned ? std::string() : fmt::format("{} {}", edition, locale),
            {edge.association, id},
            {{edge.other, sdk::Permission::update}}};
        const auto side = chooser_.decided_side(conflict);
        if (side == Side::source) {
            draft_.steps[edge.association] = {MergeStep::Kind::remove, merged_part(other->fields)};
            continue;
        }
        if (!side) add(std::move(conflict));
        draft_.steps.erase(id);
        return {};
    }
    return {};
}

sdk::Result<void> DraftStructure::revive(const std::string& node) {
    if (draft_.step(node) != nullptr) return {};
    auto version = SideVersion::of(sides_.source_view(), node_record_key(node));
    if (!version) return version.error();
    auto record = version->record();
    if (!record) return record.error();
    if (!*record) return {};
    draft_.steps[node] = {MergeStep::Kind::create, merged_part(**record)};
    return revive_associations(node);
}

sdk::Result<void> DraftStructure::revive_associations(const std::string& node) {
    std::vector<std::string> ids;
    auto walked = Graph(sides_.source_view())
                      .for_each_edge(node, Direction::any, {}, [&ids](const Edge& edge) {
                          ids.push_back(edge.association);
                          return true;
                      });
    if (!walked) return walked;
    for (const std::string& id : ids) {
        if (draft_.step(id) != nullptr) continue;
        if (draft_.associations != nullptr && !draft_.associations->contains(id)) continue;
        auto is_there = target_.view().contains(node_record_key(id));
        if (!is_there) return is_there.error();
        if (*is_there) continue;
        auto version = SideVersion::of(sides_.source_view(), node_record_key(id));
        if (!version) return version.error();
        auto record = version->record();
        if (!record) return record.error();
        if (!*record || is_tagging(**record)) continue;
        const std::string source = sdk::text_member(**record, member::kSource);
        const std::string& other =
            source == node ? sdk::text_member(**record, member::kTarget) : source;
        auto has_other = will_exist(other);
        if (!has_other) return has_other.error();
        if (!*has_other) continue;
        draft_.steps[id] = {MergeStep::Kind::create, merged_part(**record)};
        left_.push_back(id);
    }
    return {};
}

sdk::Result<void> DraftStructure::check_removals() {
    std::map<std::string, sdk::Json> nodes;
    for (const auto& [id, step] : draft_.steps) {
        if (step.is_removal() && !is_association(step.part)) nodes.emplace(id, step.part);
    }
    for (const auto& [id, part] : nodes) {
        if (auto checked = check_removal(id, part); !checked) return checked;
    }
    return {};
}

/// Also of one that stays along with another: people are asked for all at once.
sdk::Result<void> DraftStructure::check_removal(const std::string& id, const sdk::Json& part) {
    auto joined = joined_since(id);
    if (!joined) return joined.error();
    if (joined->empty()) return {};
    auto conflict = conflict_of_removal(id, part, joined->front(), *joined);
    if (!conflict) return conflict.error();
    auto side = chooser_.decided_side(*conflict);
    if (side == Side::source) return {};
    if (!side) side = chooser_.by_rule(0, 1);
    if (side == Side::source) {
        // A rule takes nobody's place away.
        const Joined* lost = nullptr;
        for (const Joined& one : *joined) {
            auto is_lost = loses_place(one.edge);
            if (!is_lost) return is_lost.error();
            if (*is_lost) lost = &one;
            if (lost) break;
        }
        if (!lost) return {};
        conflict = conflict_of_removal(id, part, *lost, *joined);
        if (!conflict) return conflict.error();
        side.reset();
    }
    if (!side) add(*std::move(conflict));
    return keep(id);
}

sdk::Result<std::vector<DraftStructure::Joined>> DraftStructure::joined_since(
    const std::string& id) const {
    auto edges = target_.edges(id, Direction::any);
    if (!edges) return edges.error();
    std::vector<Joined> joined;
    for (const Edge& edge : *edges) {
        if (draft_.removes(edge.association)) continue;
        auto association = target_.node(edge.association);
        if (!association) return association.error();
        auto is_new = is_new_on_target(*association);
        if (!is_new) return is_new.error();
        if (!*is_new) continue;
        if (is_tagging(association->fields)) continue;
        joined.push_back({edge, *std::move(association)});
    }
    return joined;
}

sdk::Result<MergeConflict> DraftStructure::conflict_of_removal(
    const std::string& id, const sdk::Json& part, const Joined& told,
    const std::vector<Joined>& joined) const {
    auto type = shown_type(told.edge, told.association);
    if (!type) return type.error();
    MergeConflict conflict{ConflictKind::end_gone,
                           id,
                           {},
                           part,
                           {},
                           {},
                           fmt::format("the source has deleted {}, with which the target has made "
                                       "an association {}since",
                                       shown_title(id, part), *type)};
    conflict.writes.push_back({id, sdk::Permission::remove});
    for (const Joined& one : joined)
        conflict.because.push_back(one.edge.association);
    return conflict;
}

sdk::Result<bool> DraftStructure::loses_place(const Edge& edge) const {
    if (edge.end != Direction::outgoing) return false;
    if (edge.type == association::kHasTranslation) return will_exist(edge.other);
    if (edge.type != association::kChild && edge.type != association::kOwned) return false;
    auto stays = will_exist(edge.other);
    if (!stays || !*stays) return stays;
    auto places = target_.edges(edge.other, Direction::incoming, edge.type);
    if (!places) return places.error();
    for (const Edge& place : *places) {
        if (place.end != Direction::incoming || draft_.removes(place.association)) continue;
        auto has_place = will_exist(place.other);
        if (!has_place) return has_place.error();
        if (*has_place) return false;
    }
    return true;
}

/// With a space behind it; nothing where whoever merges may not know of the association.
sdk::Result<std::string> DraftStructure::shown_type(const Edge& edge,
                                                    const sdk::Document& association) const {
    auto other = target_.readable_node(edge.other);
    if (!other && sdk::is_missing(other.error())) return std::string();
    if (!other) return other.error();
    auto may = target_.may(association.key, sdk::Permission::read);
    if (!may) return may.error();
    return *may ? edge.type + ' ' : std::string();
}

sdk::Result<void> DraftStructure::keep(const std::string& node) {
    std::vector<std::string> kept{node};
    while (!kept.empty()) {
        const std::string at = std::move(kept.back());
        kept.pop_back();
        draft_.steps.erase(at);
        auto edges = target_.edges(at, Direction::any);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (!draft_.removes(edge.association)) continue;
            auto has_other = will_exist(edge.other);
            if (!has_other) return has_other.error();
            if (!*has_other && !holds(edge)) continue;
            if (!*has_other) kept.push_back(edge.other);
            draft_.steps.erase(edge.association);
        }
    }
    return {};
}

sdk::Result<void> DraftStructure::check_kept() {
    for (const std::string& id : draft_.kept) {
        auto record = target_.node(id);
        if (!record) return record.error();
        if (!is_association(record->fields)) {
            if (auto stays = keep(id); !stays) return stays;
            continue;
        }
        for (const char* end : kEndMembers) {
            const std::string node = sdk::text_member(record->fields, end);
            if (!draft_.removes(node)) continue;
            if (auto stays = keep(node); !stays) return stays;
        }
    }
    return {};
}

sdk::Result<void> DraftStructure::check_moves() {
    std::map<std::string, Moves> moves;
    for (const auto& [id, step] : draft_.steps) {
        if (!is_membership(step.part) || step.kind == MergeStep::Kind::update) continue;
        Moves& found = moves[sdk::text_member(step.part, member::kTarget)];
        (step.is_removal() ? found.removed : found.added).insert(id);
    }
    for (const auto& [node, found] : moves) {
        if (found.added.empty()) continue;
        if (auto checked = check_move(node, found); !checked) return checked;
    }
    return {};
}

sdk::Result<void> DraftStructure::check_move(const std::string& node, const Moves& moves) {
    // Who only adds it to a folder moves nothing.
    if (!draft_.left_by_both.contains(node)) return {};
    auto edges = folders_on_target(node);
    if (!edges) return edges.error();
    auto in_source = folders_on_source(node);
    if (!in_source) return in_source.error();
    std::set<std::string> here;
    bool is_hidden = false;
    std::vector<sdk::Document> made_here;
    std::int64_t here_ms = 0;
    for (const Edge& edge : *edges) {
        if (draft_.removes(edge.association) || in_source->contains(edge.other)) continue;
        auto association = target_.node(edge.association);
        if (!association) return association.error();
        auto is_new = is_new_on_target(*association);
        if (!is_new) return is_new.error();
        if (!*is_new) continue;
        auto may = target_.readable_node(edge.other);
        if (!may && !sdk::is_missing(may.error())) return may.error();
        is_hidden = is_hidden || !may;
        here.insert(edge.other);
        here_ms = std::max(here_ms, written_ms(association->fields));
        made_here.push_back(std::move(*association));
    }
    if (here.empty()) return {};
    std::set<std::string> there;
    std::int64_t moved_ms = 0;
    for (const std::string& id : moves.added) {
        there.insert(sdk::text_member(draft_.steps[id].part, member::kSource));
        moved_ms = std::max(moved_ms, draft_.steps[id].source_ms);
    }
    MergeConflict conflict{
        ConflictKind::move,
        node,
        {},
        {},
        ids_json(there),
        is_hidden ? std::optional<sdk::Json>() : std::optional<sdk::Json>(ids_json(here)),
        fmt::format("both branches have moved {}, into different folders", node)};
    conflict.because.assign(here.begin(), here.end());
    for (const std::string& folder : there)
        conflict.writes.push_back({folder, sdk::Permission::create_subobjects});
    const auto side = chooser_.choose(conflict, moved_ms, here_ms);
    if (side == Side::source) {
        for (const sdk::Document& association : made_here) {
            draft_.steps[association.id] = {MergeStep::Kind::remove,
                                            merged_part(association.fields)};
        }
        return {};
    }
    for (const std::string& id : moves.added)
        draft_.steps.erase(id);
    if (!side) add(std::move(conflict));
    return {};
}

}  // namespace stele::nodes
