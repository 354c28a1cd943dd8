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
            if (step.kind == MergeStep::Kind::create)
                places.emplace(sdk::text_member(step.part, member::kSource),
                               sdk::text_member(step.part, member::kTarget));
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
    auto is_old = target_.view().contains(node_record_key(folder));
    if (!is_old) return is_old.error();
    if (!*is_old) return {};
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
        if (chooser_.choose(1, 0)) return number(folder, node);
        add({ConflictKind::name,
             node,
             {},
             {},
             named_json(node, name),
             {},
             fmt::format("the folder {} would get two nodes of the name {}", folder,
                         sdk::shown_path(name))});
        return {};
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
    const auto side =
        chooser_.choose(step != nullptr ? step->source_ms : 0, written_ms(present->fields));
    if (side) return number(folder, side == Side::source ? other : node);
    auto is_readable = target_.may(present->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    MergeConflict conflict{
        ConflictKind::name,
        node,
        {},
        {},
        named_json(node, name),
        {},
        fmt::format("the folder {} has another {} on the target", folder, sdk::shown_path(name))};
    if (*is_readable) conflict.target = named_json(other, name);
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
    // The one that keeps the name is another node.
    auto numbered = number_name(target_, folder, node, found->second.part);
    if (!numbered) return numbered.error();
    if (*numbered) return {};
    // Alone under the name on the target: what comes takes it.
    sdk::Json& features = found->second.part[member::kFeatures];
    if (!features.is_object()) features = sdk::Json::object();
    features[feature::kFilename] = {
        {"filename", fmt::format("{} {}", name_after(node, found->second.part), node)}};
    return {};
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
        const auto side = chooser_.choose(step.source_ms, written_ms(holder->fields));
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
        auto is_readable = target_.may(holder->key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        MergeConflict conflict{
            ConflictKind::qname,
            id,
            "/_qname",
            {},
            named_json(id, qname),
            {},
            fmt::format("another node has the QName {} on the target", sdk::shown_path(qname))};
        if (*is_readable) conflict.target = named_json(holder->id, qname);
        add(std::move(conflict));
    }
    return {};
}

sdk::Result<void> DraftStructure::check_circles() {
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
    for (const std::string& id : closing) {
        const sdk::Json& part = draft_.steps[id].part;
        const std::string node = sdk::text_member(part, member::kTarget);
        add({ConflictKind::circle,
             node,
             {},
             {},
             part,
             {},
             fmt::format("node {} would lie in itself: the source has put it into {}, which the "
                         "target has put below it",
                         node, sdk::text_member(part, member::kSource))});
    }
    return {};
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
