#include "history/deletion.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "branch/changeset_id.hpp"
#include "branch/folder_names.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "history/former_relations.hpp"
#include "history/history.hpp"
#include "history/node_relations.hpp"
#include "history/tags.hpp"

namespace stele::nodes {

namespace {

/// Of a deletion (`_deletion.transaction`): the record went because another one did. What somebody
/// took away on purpose does not come back with what it belonged to.
constexpr char kWentAlong[] = "transaction";

/// The targets of a node's edges that go with it: those that nothing else of that type holds.
sdk::Result<void> add_dependants(const BranchContent& content, const std::string& node,
                                 const char* type, std::vector<std::string>& found,
                                 std::set<std::string>& known) {
    auto edges = content.edges(node, Direction::outgoing, type);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        if (edge.end != Direction::outgoing || known.contains(edge.other)) continue;
        auto holders = content.edges(edge.other, Direction::incoming, type);
        if (!holders) return holders.error();
        const bool is_held = std::any_of(holders->begin(), holders->end(), [&](const Edge& holder) {
            return holder.end == Direction::incoming && !known.contains(holder.other);
        });
        if (is_held) continue;
        known.insert(edge.other);
        found.push_back(edge.other);
    }
    return {};
}

sdk::Result<void> leave_deletion(const BranchContent& content, const sdk::Document& node) {
    sdk::Json fields = node.fields;
    fields.erase(member::kSystem);
    fields[kDeletionMember] = {{"nodeId", node.id},
                               {"deletedOn", sdk::time_value(sdk::now_ms())},
                               {"deletedBy", content.principal().name},
                               {kWentAlong, content.changes().is_cascading()},
                               {"association", is_association(node.fields)}};
    // Whether the deleter may write deletions is no question: they may delete.
    auto left =
        content.context().as_system().documents().create(deletions_of(content), std::move(fields));
    if (!left) return left.error();
    return {};
}

/// Removes the associations of a node.
sdk::Result<void> detach(const BranchContent& content, const sdk::Document& node) {
    auto edges = content.edges(node.id, Direction::any);
    if (!edges) return edges.error();
    Changes& changes = content.changes();
    const bool was_cascading = changes.is_cascading();
    changes.set_cascading(true);
    std::set<std::string> removed;
    for (const Edge& edge : *edges) {
        if (!removed.insert(edge.association).second) continue;
        auto gone = content.context().documents().remove(content.nodes(), edge.association);
        if (!gone) return gone;
    }
    changes.set_cascading(was_cascading);
    return {};
}

/// An association with an end that is gone would lead nowhere.
sdk::Result<void> check_ends(const BranchContent& content, const sdk::Document& association) {
    const AssociationEnds ends = ends_of(association);
    for (const std::string* end : {&ends.source, &ends.target}) {
        auto node = content.node(*end);
        if (!node && sdk::is_missing(node.error())) {
            return sdk::make_error(sdk::ErrorKind::conflict, "nodes.deletion_end_missing",
                                   "node " + *end + " must come back before its association");
        }
        if (!node) return node.error();
    }
    return {};
}

/// What a client gives a node that comes back beside or instead of what it had.
void take_given(const sdk::Json& given, sdk::Json& fields) {
    if (!given.is_object()) return;
    for (const auto& [name, value] : given.items()) {
        const bool is_settable =
            !name.starts_with('_') || name == member::kQName || name == member::kFeatures;
        if (is_settable) fields[name] = value;
    }
}

sdk::Result<void> check_place_free(const BranchContent& content, const std::string& folder,
                                   const sdk::Document& node) {
    auto is_taken = is_name_taken(content, folder, node);
    if (!is_taken) return is_taken.error();
    if (!*is_taken) return {};
    return sdk::make_error(
        sdk::ErrorKind::conflict, "nodes.deletion_name_taken",
        "the folder " + folder + " has another " + name_of(node.fields) + " by now");
}

/// What lay in folders that are all gone hangs on the root, and for good: its former places are
/// forgotten (docs/specification/semantics.md 11.2).
sdk::Result<void> keep_in_tree(const BranchContent& content, const sdk::Document& node,
                               const std::vector<std::string>& lost_places) {
    if (lost_places.empty()) return {};
    auto folders = content.edges(node.id, Direction::incoming, association::kChild);
    if (!folders) return folders.error();
    const bool is_in_folder = std::any_of(folders->begin(), folders->end(), [](const Edge& edge) {
        return edge.end == Direction::incoming;
    });
    if (is_in_folder) return {};
    sdk::Documents& server = content.context().as_system().documents();
    for (const std::string& place : lost_places) {
        if (auto gone = server.remove(deletions_of(content), place); !gone) return gone;
    }
    auto root = content.node(kRootAlias);
    if (!root) return root.error();
    if (auto free = check_place_free(content, root->id, node); !free) return free;
    auto joined = content.associate({.source = root->id,
                                     .target = node.id,
                                     .type = association::kChild,
                                     .fields = sdk::Json::object()});
    if (!joined) return joined.error();
    return {};
}

sdk::Result<void> forget(const BranchContent& content, const sdk::Document& deletion) {
    return content.context().as_system().documents().remove(deletions_of(content), deletion.id);
}

bool closes_circle(const sdk::Error& error) {
    return error.code == "nodes.association_circle" || error.code == "nodes.circle_too_wide";
}

/// Associations that stand for properties, as a node comes back. Whether one does, too, is asked of
/// what its source named at its newest version, whatever definitions say meanwhile; one that does
/// not is forgotten, unless its source may come back later. Those of others are the server's to
/// bring back, as it took them away: neither a lock on these nor a circle keeps the node in the
/// trash, and no refusal tells of them.
class ReturningRelations {
public:
    ReturningRelations(const BranchContent& content, const sdk::Document& node)
        : content_(content), node_(node) {}

    /// Before the others: learns what the node itself named.
    sdk::Result<void> begin() {
        auto server = BranchContent::open(content_.services(), content_.context().as_system(),
                                          content_.branch());
        if (!server) return server.error();
        server_.emplace(std::move(*server));
        if (!may_have_elements(node_.fields)) return {};
        auto named = newest_relations(content_, node_.id);
        if (!named) return named.error();
        named_ = std::move(*named);
        return {};
    }

    /// Null for `source` where it is not there.
    sdk::Result<void> take(const sdk::Document& deletion, const sdk::Document* source) {
        if (source == nullptr) return {};
        const Relation relation = relation_of(deletion);
        auto is_back = comes_back(relation, *source);
        if (!is_back) return is_back.error();
        if (!*is_back) return forget(content_, deletion);
        if (auto counted = count_relation(content_.changes()); !counted) return counted;
        auto restored = source->id == node_.id ? restore_association(content_, deletion)
                                               : restore_as_server(deletion);
        if (restored) return {};
        if (!closes_circle(restored.error()))
            return of_property(relation.property, restored.error());
        lost_[source->id][relation.property].insert(relation.target);
        return {};
    }

    /// After them: what the node lost its targets for while it was gone, it names no more, and
    /// nothing names what would close a circle.
    sdk::Result<void> end() {
        for (const Relation& relation : named_) {
            auto target = content_.node(relation.target);
            if (!target && !sdk::is_missing(target.error())) return target.error();
            if (!target) lost_[node_.id][relation.property].insert(relation.target);
        }
        const ServersOwn own(content_.changes());
        for (const auto& [node, elements] : lost_) {
            auto dropped = drop_elements(*server_, node, elements);
            if (!dropped) return dropped.error();
        }
        return {};
    }

private:
    sdk::Result<void> restore_as_server(const sdk::Document& deletion) {
        const ServersOwn own(content_.changes());
        return restore_association(*server_, deletion);
    }

    sdk::Result<bool> comes_back(const Relation& relation, const sdk::Document& source) {
        const bool is_own = source.id == node_.id;
        auto target = is_own ? content_.node(relation.target) : sdk::Result<sdk::Document>(node_);
        if (!target && !sdk::is_missing(target.error())) return target.error();
        // Who was to take the element out may have found the node gone.
        if (!target) lost_[source.id][relation.property].insert(relation.target);
        if (!target || !NamedNodes(source.fields).contains(relation.property, relation.target))
            return false;
        if (is_own) return named_.contains(relation) && returned_.insert(relation).second;
        auto proven = newest_relations(content_, source.id, relation.type);
        if (!proven) return proven.error();
        auto present = relations_of(content_, source.id, {relation.type});
        if (!present) return present.error();
        return proven->contains(relation) && !present->contains(relation);
    }

    const BranchContent& content_;
    const sdk::Document& node_;
    std::optional<BranchContent> server_;
    std::set<Relation> named_;
    std::set<Relation> returned_;
    GoneElements lost_;
};

/// Whether an association that stands for no property is to come back; `is_whole` says that its
/// other end is there.
sdk::Result<bool> may_return(const BranchContent& content, const sdk::Document& association,
                             const sdk::Document& node, bool is_whole,
                             std::vector<std::string>& lost_places) {
    const AssociationEnds ends = ends_of(association);
    const bool is_place = ends.type == association::kChild && !ends.is_undirected &&
                          ends.target == node.id && ends.source != node.id;
    if (!is_whole) {
        if (is_place) lost_places.push_back(association.id);
        return false;
    }
    if (is_tagging(association.fields)) {
        // The node has its tags again by what it says.
        if (auto forgotten = forget(content, association); !forgotten) return forgotten.error();
        return false;
    }
    if (!is_place) return true;
    auto free = check_place_free(content, ends.source, node);
    if (!free) return free.error();
    return true;
}

/// Those that went with the node, as far as their other ends are there.
sdk::Result<void> restore_associations(const BranchContent& content, const sdk::Document& node) {
    auto associations = deleted_associations(content, node.id, {member::kSource, member::kTarget});
    if (!associations) return associations.error();
    std::erase_if(*associations, [](const sdk::Document& association) {
        return !sdk::flag_member(association.fields.at(kDeletionMember), kWentAlong, false);
    });
    // A circle is closed by what stands for a property, which is left out.
    std::stable_partition(
        associations->begin(), associations->end(),
        [](const sdk::Document& association) { return !is_relation(association.fields); });
    ReturningRelations relations(content, node);
    if (auto begun = relations.begin(); !begun) return begun;
    std::vector<std::string> lost_places;
    for (const sdk::Document& association : *associations) {
        const AssociationEnds ends = ends_of(association);
        const std::string& other = ends.source == node.id ? ends.target : ends.source;
        const sdk::Result<sdk::Document> present =
            other == node.id ? sdk::Result<sdk::Document>(node) : content.node(other);
        if (!present && !sdk::is_missing(present.error())) return present.error();
        if (is_relation(association.fields)) {
            const sdk::Document* const from = present ? &*present : nullptr;
            auto taken = relations.take(association, ends.source == node.id ? &node : from);
            if (!taken) return taken;
            continue;
        }
        auto is_back = may_return(content, association, node, present.has_value(), lost_places);
        if (!is_back) return is_back.error();
        if (!*is_back) continue;
        if (auto joined = restore_association(content, association); !joined) return joined;
    }
    if (auto ended = relations.end(); !ended) return ended;
    return keep_in_tree(content, node, lost_places);
}

/// Of a deletion that was read and may come back.
sdk::Result<sdk::Document> bring_back(const BranchContent& content, const sdk::Document& deletion,
                                      const sdk::Json& given) {
    sdk::Json fields = deletion.fields;
    fields.erase(kDeletionMember);
    fields.erase(member::kSystem);
    if (!is_association(fields)) take_given(given, fields);
    if (auto kept = keep_system(content, deletion.id); !kept) return kept.error();
    auto gone =
        content.context().as_system().documents().remove(deletions_of(content), deletion.id);
    if (!gone) return gone.error();
    return content.create(std::move(fields));
}

}  // namespace

sdk::CollectionName deletions_of(const BranchContent& content) {
    return {kDeletionType, {}, content.branch()};
}

sdk::Result<std::vector<sdk::Document>> deleted_associations(
    const BranchContent& content, std::string_view node, std::initializer_list<const char*> ends) {
    std::vector<sdk::Document> associations;
    sdk::PageRequest everything;
    everything.limit = -1;
    for (const char* end : ends) {
        // One value of one member is found by its index, however many have it. With more conditions
        // the whole trash may be read, which is a conflict with everybody who deletes.
        auto found =
            content.context().documents().query(deletions_of(content), {{end, node}}, everything);
        if (!found) return found.error();
        std::move(found->rows.begin(), found->rows.end(), std::back_inserter(associations));
    }
    // Nodes have members of these names, too.
    std::erase_if(associations,
                  [](const sdk::Document& deletion) { return !is_association(deletion.fields); });
    const auto by_id = [](const sdk::Document& a, const sdk::Document& b) { return a.id < b.id; };
    std::sort(associations.begin(), associations.end(), by_id);
    const auto same =
        std::unique(associations.begin(), associations.end(),
                    [](const sdk::Document& a, const sdk::Document& b) { return a.id == b.id; });
    associations.erase(same, associations.end());
    return associations;
}

std::string changeset_of_deletion(const sdk::Json& deletion) {
    // An update of the deletion keeps the first one there.
    const auto told = deletion.find(kDeletionMember);
    if (told != deletion.end() && told->is_object() && told->contains(kChangesetId))
        return sdk::text_member(*told, kChangesetId);
    const auto system = deletion.find(member::kSystem);
    if (system == deletion.end() || !system->is_object()) return {};
    return sdk::text_member(*system, member::kChangeset);
}

std::optional<Revision> revision_of_deletion(const sdk::Json& deletion) {
    return revision_of(changeset_of_deletion(deletion));
}

sdk::Result<std::vector<std::string>> closure_of(const BranchContent& content,
                                                 const sdk::Document& node) {
    std::vector<std::string> found{node.id};
    std::set<std::string> known{node.id};
    for (std::size_t next = 0; next < found.size(); ++next) {
        const std::string at = found[next];
        if (auto added = add_dependants(content, at, association::kOwned, found, known); !added)
            return added.error();
        auto present = content.node(at);
        if (!present) return present.error();
        if (!has_feature(present->fields, feature::kContainer)) continue;
        if (auto added = add_dependants(content, at, association::kChild, found, known); !added)
            return added.error();
    }
    return found;
}

sdk::Result<void> remove_what_depends(const BranchContent& content, const sdk::Document& node) {
    if (is_association(node.fields)) return leave_deletion(content, node);
    Changes& changes = content.changes();
    if (!changes.is_cascading()) {
        auto closure = closure_of(content, node);
        if (!closure) return closure.error();
        changes.set_cascading(true);
        // From the leaves up, without the node itself.
        for (std::size_t i = closure->size(); i > 1; --i) {
            auto gone = content.context().documents().remove(content.nodes(), (*closure)[i - 1]);
            if (!gone) return gone;
        }
        changes.set_cascading(false);
    }
    if (auto left = leave_deletion(content, node); !left) return left;
    return detach(content, node);
}

sdk::Result<void> keep_system(const BranchContent& content, const std::string& node) {
    auto last = newest_version(content, node);
    // Made and removed by one changeset, a node leaves no version.
    if (!last) return sdk::is_missing(last.error()) ? sdk::Result<void>() : last.error();
    const sdk::Json& system = (*last)[member::kSystem];
    sdk::Json kept = sdk::Json::object();
    for (const auto& [name, value] : system.items()) {
        if (name.starts_with("created_") || name == member::kAttachments) kept[name] = value;
    }
    kept["previousChangeset"] = sdk::text_member(system, member::kChangeset);
    content.changes().set_system(node, std::move(kept));
    return {};
}

sdk::Result<void> forget_deletion(const BranchContent& content, const std::string& id) {
    const sdk::CollectionName deletions = deletions_of(content);
    sdk::Documents& documents = content.context().as_system().documents();
    auto deletion = documents.read(deletions, id);
    if (!deletion && sdk::is_missing(deletion.error())) return {};
    if (!deletion) return deletion.error();
    for (const sdk::Permission needed : {sdk::Permission::read, sdk::Permission::update}) {
        auto may = content.may(deletion->key, needed);
        if (!may) return may.error();
        if (*may) continue;
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.deletion_kept",
                               "node " + id + " was deleted here, for others to bring it back");
    }
    return documents.remove(deletions, id);
}

sdk::Result<void> restore_association(const BranchContent& content, const sdk::Document& deletion) {
    Changes::Relations& relations = content.changes().relations();
    const Raised comes_back(relations.come_back);
    std::optional<Raised> in_step;
    if (is_relation(deletion.fields)) in_step.emplace(relations.are_in_step);
    auto restored = bring_back(content, deletion, sdk::Json::object());
    return restored ? sdk::Result<void>() : restored.error();
}

sdk::Result<sdk::Document> restore_deletion(const BranchContent& content, std::string_view id,
                                            const sdk::Json& given) {
    auto deletion = content.context().documents().read(deletions_of(content), id);
    if (!deletion) return deletion;
    if (is_association(deletion->fields)) {
        if (auto ends = check_ends(content, *deletion); !ends) return ends.error();
    }
    const Raised comes_back(content.changes().relations().come_back);
    auto restored = bring_back(content, *deletion, given);
    if (!restored || is_association(restored->fields)) return restored;
    if (auto joined = restore_associations(content, *restored); !joined) return joined.error();
    return content.node(restored->id);
}

}  // namespace stele::nodes
