// What a draft makes of names and of the ways from folder to folder.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/folder_names.hpp"
#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "history/history.hpp"
#include "merge/circles.hpp"
#include "merge/draft_structure.hpp"
#include "merge/record_merge.hpp"

namespace stele::nodes {

namespace {

std::string name_after(const std::string& id, const sdk::Json& part) {
    std::string name = name_of(part);
    return name.empty() ? id : name;
}

sdk::Json named_json(const std::string& node, const std::string& name) {
    return {{"nodeId", node}, {"name", name}};
}

bool is_new_place(const MergeStep& step) {
    if (step.kind != MergeStep::Kind::create || !is_association(step.part)) return false;
    const std::string type = sdk::text_member(step.part, member::kType);
    return (type == association::kChild || type == association::kOwned) &&
           sdk::text_member(step.part, member::kDirectionality) != kUndirected;
}

}  // namespace

sdk::Result<void> DraftStructure::check_names() {
    std::set<std::pair<std::string, std::string>> places;
    for (const auto& [id, step] : draft_.steps) {
        if (step.is_removal()) continue;
        if (is_membership(step.part)) {
            if (step.kind != MergeStep::Kind::create) continue;
            const std::string node = sdk::text_member(step.part, member::kTarget);
            const std::string folder = sdk::text_member(step.part, member::kSource);
            places.emplace(folder, node);
            placed_[node].insert(folder);
            continue;
        }
        if (is_association(step.part) || !step.is_renamed) continue;
        auto folders = folders_on_target(id);
        if (!folders) return folders.error();
        for (const Edge& folder : *folders) {
            if (!draft_.removes(folder.association)) places.emplace(folder.other, id);
        }
    }
    for (const auto& [folder, node] : places) {
        if (auto checked = check_name(folder, node); !checked) return checked;
    }
    return {};
}

sdk::Result<void> DraftStructure::check_name(const std::string& folder, const std::string& node) {
    std::string name;
    if (const MergeStep* const step = draft_.step(node)) {
        name = name_after(node, step->part);
    } else {
        auto present = target_.node(node);
        if (!present)
            return sdk::is_missing(present.error()) ? sdk::Result<void>() : present.error();
        name = name_after(node, present->fields);
    }
    const auto claimed = claimed_.emplace(std::pair(folder, name), node).first;
    if (claimed->second != node) {
        // Both come with this merge, each from another side.
        const std::string other = claimed->second;
        MergeConflict conflict{ConflictKind::name,
                               node,
                               {},
                               {},
                               named_json(node, name),
                               {},
                               fmt::format("the folder {} would get two nodes of the name {}",
                                           folder, sdk::shown_path(name)),
                               folder,
                               {other},
                               {{other, sdk::Permission::update}}};
        const auto side = chooser_.choose(conflict, 1, 0);
        if (!side) add(std::move(conflict));
        if (!side || side == Side::target) return side ? number(folder, node) : sdk::Result<void>();
        claimed->second = node;
        return number(folder, other);
    }
    auto member = target_.graph().find_child(folder, name);
    if (!member) return member.error();
    if (!*member || (*member)->other == node) return {};
    auto is_free = gives_up(**member, name);
    if (!is_free) return is_free.error();
    return *is_free ? sdk::Result<void>() : decide_name(folder, node, (*member)->other);
}

sdk::Result<bool> DraftStructure::gives_up(const Edge& member, const std::string& name) const {
    if (draft_.removes(member.other) || draft_.removes(member.association)) return true;
    if (const MergeStep* const step = draft_.step(member.other))
        return name_after(member.other, step->part) != name;
    auto node = target_.node(member.other);
    if (!node) return node.error();
    const std::string type = sdk::text_member(node->fields, member::kType);
    return type == type::kPerson || type == type::kGroup;
}

sdk::Result<void> DraftStructure::decide_name(const std::string& folder, const std::string& node,
                                              const std::string& other) {
    auto present = target_.node(other);
    if (!present) return present.error();
    const MergeStep* const step = draft_.step(node);
    const std::string name = name_after(other, present->fields);
    auto is_readable = target_.may(present->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    MergeConflict conflict{
        ConflictKind::name,
        node,
        {},
        {},
        named_json(node, name),
        {},
        fmt::format("the folder {} has another {} on the target", folder, sdk::shown_path(name)),
        folder,
        {other},
        {{other, sdk::Permission::update}}};
    if (*is_readable) conflict.target = named_json(other, name);
    const auto side = chooser_.choose(conflict, step != nullptr ? step->source_ms : 0,
                                      written_ms(present->fields));
    if (side) return number(folder, side == Side::source ? other : node);
    add(std::move(conflict));
    return {};
}

sdk::Result<void> DraftStructure::number(const std::string& folder, const std::string& node) {
    auto found = draft_.steps.find(node);
    if (found == draft_.steps.end()) {
        auto present = target_.node(node);
        if (!present) return present.error();
        found = draft_.steps
                    .emplace(node, MergeStep{MergeStep::Kind::update, merged_part(present->fields)})
                    .first;
    }
    auto folders = folders_of(node);
    if (!folders) return folders.error();
    folders->insert(folder);
    const auto is_claimed = [&](const std::string& name) {
        return this->is_claimed(*folders, name, node);
    };
    sdk::Json& part = found->second.part;
    auto numbered = number_name(target_, folder, node, part, is_claimed);
    if (!numbered) return numbered.error();
    if (!*numbered) {
        // It is called by its id.
        sdk::Json& features = part[member::kFeatures];
        if (!features.is_object()) features = sdk::Json::object();
        features[feature::kFilename] = {
            {"filename", fmt::format("{} {}", name_after(node, part), node)}};
    }
    for (const std::string& place : *folders)
        claimed_[{place, name_after(node, part)}] = node;
    return {};
}

sdk::Result<std::set<std::string>> DraftStructure::folders_of(const std::string& node) const {
    std::set<std::string> folders;
    const auto placed = placed_.find(node);
    if (placed != placed_.end()) folders = placed->second;
    auto edges = folders_on_target(node);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        if (!draft_.removes(edge.association)) folders.insert(edge.other);
    }
    return folders;
}

sdk::Result<bool> DraftStructure::is_claimed(const std::set<std::string>& folders,
                                             const std::string& name,
                                             const std::string& node) const {
    for (const std::string& folder : folders) {
        const auto claim = claimed_.find({folder, name});
        if (claim != claimed_.end() && claim->second != node) return true;
        auto found = target_.graph().namesakes(folder, name, node);
        if (!found) return found.error();
        if (found->has_other) return true;
    }
    return false;
}

sdk::Result<void> DraftStructure::check_qnames() {
    for (auto& [id, step] : draft_.steps) {
        if (step.is_removal()) continue;
        const std::string qname = sdk::text_member(step.part, member::kQName);
        if (qname.empty() || qname == "o:" + id) continue;
        auto holder = target_.node(qname);
        if (!holder && sdk::is_missing(holder.error())) continue;
        if (!holder) return holder.error();
        if (holder->id == id || draft_.removes(holder->id)) continue;
        // A client's definition takes the place of a built-in one.
        if (is_definition(step.part) && is_unchanged_built_in(holder->fields) &&
            is_replaceable_definition(qname))
            continue;
        const MergeStep* const other = draft_.step(holder->id);
        if (other != nullptr && sdk::text_member(other->part, member::kQName) != qname) continue;
        auto is_readable = target_.may(holder->key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        MergeConflict conflict{
            ConflictKind::qname,
            id,
            "/_qname",
            {},
            named_json(id, qname),
            {},
            fmt::format("another node has the QName {} on the target", sdk::shown_path(qname)),
            {},
            {holder->id},
            {{holder->id, sdk::Permission::update}}};
        if (*is_readable) conflict.target = named_json(holder->id, qname);
        const auto side = chooser_.choose(conflict, step.source_ms, written_ms(holder->fields));
        if (side == Side::target) {
            step.part[member::kQName] = "o:" + id;
            continue;
        }
        if (side == Side::source) {
            MergeStep renamed{MergeStep::Kind::update,
                              other != nullptr ? other->part : merged_part(holder->fields)};
            renamed.part[member::kQName] = "o:" + holder->id;
            draft_.steps.insert_or_assign(holder->id, std::move(renamed));
            continue;
        }
        add(std::move(conflict));
    }
    return {};
}

sdk::Result<void> DraftStructure::check_circles() {
    // What stays in its place may close another circle with what else comes.
    while (true) {
        auto closing = closing_places();
        if (!closing) return closing.error();
        std::vector<MergeConflict> left;
        std::vector<std::string> stay;
        for (const std::string& id : *closing) {
            const sdk::Json& part = draft_.steps[id].part;
            const std::string node = sdk::text_member(part, member::kTarget);
            const std::string folder = sdk::text_member(part, member::kSource);
            MergeConflict conflict{
                ConflictKind::circle,
                node,
                {},
                {},
                part,
                {},
                fmt::format("node {} would lie in itself: the source has put it into {}, which "
                            "the target has put below it",
                            node, folder),
                folder,
                {id}};
            conflict.is_for_target = true;
            if (chooser_.decided_side(conflict) == Side::target) {
                stay.push_back(id);
            } else {
                left.push_back(std::move(conflict));
            }
        }
        for (const std::string& id : stay) {
            if (auto left_there = leave_in_place(id); !left_there) return left_there;
        }
        if (!stay.empty()) continue;
        for (MergeConflict& conflict : left)
            add(std::move(conflict));
        return {};
    }
}

sdk::Result<void> DraftStructure::leave_in_place(const std::string& association) {
    const auto closing = draft_.steps.find(association);
    if (closing == draft_.steps.end()) return {};
    const sdk::Json part = closing->second.part;
    const std::string node = sdk::text_member(part, member::kTarget);
    const std::string type = sdk::text_member(part, member::kType);
    draft_.steps.erase(closing);
    std::vector<std::string> places;
    std::vector<std::string> folders;
    for (const auto& [id, step] : draft_.steps) {
        const bool is_place = step.is_removal() && is_association(step.part) &&
                              sdk::text_member(step.part, member::kType) == type &&
                              sdk::text_member(step.part, member::kTarget) == node;
        if (!is_place) continue;
        places.push_back(id);
        const std::string folder = sdk::text_member(step.part, member::kSource);
        if (draft_.removes(folder)) folders.push_back(folder);
    }
    for (const std::string& id : places)
        draft_.steps.erase(id);
    // It would have no place any more.
    for (const std::string& folder : folders) {
        if (auto kept = keep(folder); !kept) return kept;
    }
    return {};
}

sdk::Result<std::vector<std::string>> DraftStructure::closing_places() const {
    Places made;
    std::vector<std::string> moved;
    for (const auto& [id, step] : draft_.steps) {
        if (!is_new_place(step)) continue;
        const std::string node = sdk::text_member(step.part, member::kTarget);
        made[node].push_back(sdk::text_member(step.part, member::kSource));
        moved.push_back(node);
    }
    Pace pace(target_.context());
    auto groups = circle_groups(moved, [&](const std::string& node) {
        auto may = pace.step();
        return may ? places_of(node, made) : may.error();
    });
    if (!groups) return groups.error();
    std::vector<std::string> closing;
    for (const auto& [id, step] : draft_.steps) {
        if (is_new_place(step) && groups->at(sdk::text_member(step.part, member::kTarget)) ==
                                      groups->at(sdk::text_member(step.part, member::kSource)))
            closing.push_back(id);
    }
    return closing;
}

sdk::Result<std::vector<std::string>> DraftStructure::places_of(const std::string& node,
                                                                const Places& made) const {
    const auto own = made.find(node);
    std::vector<std::string> places = own == made.end() ? std::vector<std::string>() : own->second;
    for (const char* type : {association::kChild, association::kOwned}) {
        auto edges = target_.edges(node, Direction::incoming, type);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (edge.end == Direction::incoming && !draft_.removes(edge.association))
                places.push_back(edge.other);
        }
    }
    return places;
}

}  // namespace stele::nodes
