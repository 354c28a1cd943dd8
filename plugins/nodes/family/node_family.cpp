#include "family/node_family.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "attachment/counted_bytes.hpp"
#include "branch/branch_space.hpp"
#include "branch/client_members.hpp"
#include "branch/folder_names.hpp"
#include "branch/protection.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "graph/association_rules.hpp"
#include "graph/membership_gifts.hpp"
#include "graph/mounts.hpp"
#include "history/deletion.hpp"
#include "history/former_relations.hpp"
#include "history/history.hpp"
#include "history/stored_content.hpp"
#include "history/tags.hpp"
#include "job/relation_job.hpp"
#include "relation/relations.hpp"

namespace stele::nodes {

namespace {

/// What an update never changes (docs/specification/nodes.md 7.4).
constexpr std::array kKept{member::kType,       member::kQName,          member::kIsAssociation,
                           member::kSource,     member::kSourceType,     member::kTarget,
                           member::kTargetType, member::kDirectionality, "source_changeset",
                           "target_changeset",  member::kImportKey,      member::kSourceDoc};
/// The ends of associations stay as they are; the ones of nodes are a client's own.
bool is_end(std::string_view name) {
    return name.front() != '_';
}

sdk::Json default_features() {
    return {{feature::kAudit, sdk::Json::object()},
            {feature::kTitled, sdk::Json::object()},
            {feature::kIndexable, sdk::Json::object()}};
}

sdk::Result<void> check_qname(const sdk::Json& node, const char* name) {
    const auto value = node.find(name);
    if (value != node.end() && value->is_string() && is_qname(value->get_ref<const std::string&>()))
        return {};
    return sdk::make_error({{name, "nodes.qname_malformed",
                             std::string(name) + " must be a prefix, a colon and a local name"}});
}

void keep_members(const sdk::Json& before, sdk::Json& after) {
    const bool was_association = is_association(before);
    for (const char* name : kKept) {
        if (is_end(name) && !was_association) continue;
        const auto kept = before.find(name);
        if (kept != before.end()) after[name] = *kept;
    }
    // One driver sends no member that begins with `_` (docs/specification/nodes.md 7.4).
    for (const char* name : {member::kFeatures, kParent}) {
        const auto kept = before.find(name);
        if (kept != before.end() && !after.contains(name)) after[name] = *kept;
    }
}

bool stands_for_principal(const sdk::Json& node) {
    const std::string type = sdk::text_member(node, member::kType);
    return type == type::kPerson || type == type::kGroup;
}

/// What a job writes is whose it acts for.
void name_actor(const sdk::Principal& actor, bool is_new, sdk::Json& system) {
    for (const char* deed : {"created", "modified"}) {
        if (deed[0] == 'c' && !is_new) continue;
        const std::string by = std::string(deed) + "_by";
        system[by] = actor.name;
        system[by + "_principal_id"] = actor.id;
        system[by + "_principal_domain_id"] = actor.domain_id;
    }
}

sdk::Result<void> check_new_association(const BranchContent& content,
                                        const sdk::Document& association) {
    const AssociationEnds ends = ends_of(association);
    const Changes::Relations& relations = content.changes().relations();
    const bool is_said_again =
        relations.come_back && relations.are_in_step && is_relation(association.fields);
    const bool is_servers = content.changes().is_server_alone(content.context());
    if (is_servers && !is_said_again) {
        // A person who is noted under `r:users` on the way.
        auto member = content.node(ends.target);
        if (!member) return member.error();
        if (stands_for_principal(member->fields)) return {};
    }
    if (is_said_again) {
        // What a property said before its target was locked, it says again.
        auto free = is_servers ? sdk::Result<void>() : check_end_unlocked(content, ends.source);
        if (!free) return free;
    } else if (auto free = check_ends_unlocked(content, association); !free) {
        return free;
    }
    if (auto fits = check_association_fits(content, association); !fits) return fits;
    const bool gives_rights = ends.type == association::kChild || ends.type == association::kOwned;
    if (!gives_rights || ends.is_undirected) return {};
    return check_membership_gives_nothing(content, ends);
}

/// Keeps the names of members of folders in step with a node's own name.
sdk::Result<void> rename_in_folders(const BranchContent& content, const sdk::Document& node,
                                    const std::string& before, const std::string& after) {
    if (before == after) return {};
    auto folders = content.edges(node.id, Direction::incoming, association::kChild);
    if (!folders) return folders.error();
    auto writer = content.graph_writer();
    if (!writer) return writer.error();
    for (const Edge& folder : *folders) {
        if (folder.end != Direction::incoming) continue;
        writer->remove_name(folder.other, before, folder.association);
        writer->put_name(folder.other, after, folder.association, node.id);
        if (auto noted = note_new_name(content, folder.other, node); !noted) return noted;
    }
    return {};
}

/// Whoever makes a node owns it (`NodeFamily::roles_of`).
sdk::Result<void> note_maker(const BranchContent& content) {
    if (content.changes().is_server_alone(content.context())) return {};
    return content.context().authorities().note_owner(content.principal().key, content.branch());
}

/// Writes or removes what the graph says of an association.
sdk::Result<void> write_edge(const BranchContent& content, const sdk::Document& association,
                             bool is_removed) {
    const AssociationEnds ends = ends_of(association);
    auto writer = content.graph_writer();
    if (!writer) return writer.error();
    is_removed ? writer->remove(ends) : writer->put(ends);
    if (ends.type == association::kHasMount) return name_mount(content, association, is_removed);
    if (ends.type != association::kChild || ends.is_undirected) return {};
    auto child = content.node(ends.target);
    // One that lost its end is taken away by a repair of the branch.
    if (!child && is_removed && sdk::is_missing(child.error())) return {};
    if (!child) return child.error();
    const std::string name = name_of(child->fields);
    if (is_removed) {
        writer->remove_name(ends.source, name, ends.association);
        return {};
    }
    if (auto free = check_name_free(content, ends.source, *child); !free) return free;
    writer->put_name(ends.source, name, ends.association, ends.target);
    return {};
}

}  // namespace

sdk::Result<std::unique_ptr<sdk::Reader>> SpacedFamily::read_space(
    const sdk::Reader& store, const sdk::SpaceCollection& collection) {
    auto present = services().branches.present(store, collection.container);
    if (!present) return present.error();
    const PresentBranch& branch = **present;
    return std::unique_ptr<sdk::Reader>(std::make_unique<BranchSpace>(
        store, branch.space, branch.view, collection, slot_, branch.place));
}

sdk::Result<sdk::Transaction*> SpacedFamily::write_space(sdk::Context& context,
                                                         const sdk::SpaceCollection& collection) {
    return Changes::of(context, services().branches).collection(context, collection, slot_);
}

sdk::Result<void> SpacedFamily::check_writable(const sdk::Change& change, sdk::Context& context) {
    return check_branch_writable(Changes::of(context, services().branches), context,
                                 change.collection.container_key);
}

std::int64_t SpacedFamily::added_by_space(const sdk::Document& record) {
    const auto system = record.fields.find(member::kSystem);
    if (system == record.fields.end()) return 0;
    const std::string changeset = sdk::text_member(*system, member::kChangeset);
    // One of the same operation has its random part only, as it is written.
    if (!revision_of(changeset)) return 0;
    return static_cast<std::int64_t>(changeset.size()) - static_cast<std::int64_t>(kRandomPartSize);
}

sdk::Result<std::vector<sdk::RecordKey>> SpacedFamily::origins_of(
    const sdk::Reader& store, const sdk::SpaceCollection& collection,
    const sdk::RecordKey& record) {
    return services().branches.origins_of(store, collection.container,
                                          node_record_key(sdk::space_record_id(record)));
}

sdk::Result<std::vector<sdk::RecordKey>> SpacedFamily::origins_inside(
    const sdk::Reader& store, const sdk::SpaceCollection& collection) {
    return services().branches.origins(store, collection.container);
}

sdk::Result<void> NodeFamily::prepare_new(const BranchContent& content, sdk::Document& node) {
    sdk::Json& fields = node.fields;
    constexpr std::size_t kOwnMembers = 6;
    sdk::reserve_members(fields, fields.size() + kOwnMembers);
    if (!fields.contains(member::kType)) fields[member::kType] = type::kNode;
    if (!fields.contains(member::kQName)) fields[member::kQName] = "o:" + node.id;
    for (const char* name : {member::kType, member::kQName}) {
        if (auto checked = check_qname(fields, name); !checked) return checked;
    }
    const bool is_node = !is_association(fields);
    if (!fields.contains(member::kFeatures))
        fields[member::kFeatures] = is_node ? default_features() : sdk::Json::object();
    fields[member::kIsAssociation] = !is_node;
    const std::string type = sdk::text_member(fields, member::kType);
    const bool has_parent = type == type::kDefinedType || type == type::kDefinedAssociation;
    const char* parent = type == type::kDefinedType ? type::kNode : association::kLinked;
    if (has_parent && !fields.contains(kParent) && fields[member::kQName] != parent)
        fields[kParent] = parent;
    if (auto applied = apply_mandatory_features(content, fields); !applied) return applied;
    if (is_definition(fields)) {
        if (auto free = make_way_for(content, fields); !free) return free;
    }
    if (!is_node) {
        if (auto fair = check_new_association(content, node); !fair) return fair;
    }
    if (is_node && !content.changes().is_server_alone(content.context())) {
        auto person = content.ensure_person(content.principal());
        if (!person) return person.error();
    }
    return {};
}

sdk::Result<void> NodeFamily::prepare_removal(const BranchContent& content,
                                              const sdk::Document& node) {
    if (is_definition(node.fields)) {
        if (auto unused = check_no_instances(content, node.fields); !unused) return unused;
    }
    if (is_association(node.fields)) {
        if (auto removed = write_edge(content, node, true); !removed) return removed;
        if (auto dropped = drop_element(content, node); !dropped) return dropped;
    }
    if (!is_association(node.fields))
        content.changes().relations().gone[content.branch()].nodes.insert(node.id);
    if (auto unlocked = forget_lock(content, node.id); !unlocked) return unlocked;
    if (auto removed = remove_what_depends(content, node); !removed) return removed;
    drop_gone_elements(content);
    return {};
}

sdk::Result<void> NodeFamily::check_writable(const sdk::Change& change, sdk::Context& context) {
    auto writable = SpacedFamily::check_writable(change, context);
    if (!writable || !change.before) return writable;
    auto content = BranchContent::open(services(), context, change.collection.container_key);
    if (!content) return content.error();
    if (auto free = check_unlocked(*content, *change.before); !free) return free;
    return is_association(change.before->fields) ? check_ends_unlocked(*content, *change.before)
                                                 : sdk::Result<void>();
}

sdk::Result<void> NodeFamily::prepare(sdk::Change& change, sdk::Context& context) {
    auto content = BranchContent::open(services(), context, change.collection.container_key);
    if (!content) return content.error();
    if (change.kind == sdk::ChangeKind::remove) return prepare_removal(*content, *change.before);
    sdk::Json& fields = change.after->fields;
    drop_server_members(fields);
    mend_features(fields);
    if (change.kind == sdk::ChangeKind::create) {
        if (auto made = prepare_new(*content, *change.after); !made) return made;
    } else {
        keep_members(change.before->fields, fields);
    }
    const sdk::Json* const before = change.before ? &change.before->fields : nullptr;
    keep_servers_features(before, fields, content->changes().relations().are_in_step);
    sdk::Violations violations;
    check_features(before, fields, violations);
    auto resolved = resolve_relations(*content, before, fields, violations);
    if (!resolved) return resolved;
    if (auto checked = validate_content(*content, fields, violations); !checked) return checked;
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    return {};
}

sdk::Result<void> NodeFamily::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    auto content = BranchContent::open(services(), context, change.collection.container_key);
    if (!content) return content.error();
    const sdk::Document& after = *change.after;
    const bool is_new = change.kind == sdk::ChangeKind::create;
    if (is_new) {
        if (auto noted = note_maker(*content); !noted) return noted;
    }
    if (is_association(after.fields))
        return is_new ? write_edge(*content, after, false) : sdk::Result<void>();
    const sdk::Json* const before = is_new ? nullptr : &change.before->fields;
    if (auto tagged = sync_tags(*content, before, after); !tagged) return tagged;
    auto related = sync_relations(*content, before, after);
    if (!related || is_new) return related;
    return rename_in_folders(*content, after, name_of(change.before->fields),
                             name_of(after.fields));
}

sdk::Result<void> NodeFamily::complete_system(const sdk::Change& change, sdk::Context& context,
                                              sdk::Json& system) {
    Changes& changes = Changes::of(context, services().branches);
    if (changes.actor() && context.session().is_system)
        name_actor(*changes.actor(), change.before == nullptr, system);
    for (const char* part : {"_on", "_by", "_by_principal_id", "_by_principal_domain_id"}) {
        const auto modified = system.find(std::string("modified") + part);
        if (modified != system.end()) system[std::string("edited") + part] = *modified;
    }
    if (change.before) {
        const sdk::Json& before = change.before->fields[member::kSystem];
        const auto attachments = before.find(member::kAttachments);
        if (attachments != before.end()) system[member::kAttachments] = *attachments;
        const std::string previous = sdk::text_member(before, member::kChangeset);
        // A version that this very operation wrote is none of its own.
        const auto kept = before.find("previousChangeset");
        if (revision_of(previous)) {
            system["previousChangeset"] = previous;
        } else if (kept != before.end()) {
            system["previousChangeset"] = *kept;
        }
    }
    if (const auto own = changes.take_system(change.after->id)) {
        for (const auto& [name, value] : own->items()) {
            if (value.is_null()) {
                system.erase(name);
            } else {
                system[name] = value;
            }
        }
    }
    const sdk::RecordKey& branch = change.collection.container_key;
    const sdk::Json* before = change.before ? &change.before->fields[member::kSystem] : nullptr;
    auto counted = count_attachments(services(), context, branch, before, system);
    if (!counted) return counted;
    auto note = changes.note(context, branch);
    if (!note) return note.error();
    system.erase(member::kChangeset);
    system[member::kChangeset] = (*note)->random_part;
    return {};
}

sdk::Result<std::vector<std::string>> NodeFamily::roles_of(const sdk::Reader& store,
                                                           const sdk::SpaceCollection& collection,
                                                           const sdk::RecordKey& record,
                                                           const sdk::RecordKey& principal) {
    auto content = StoredContent::of(services(), store, collection.container);
    if (!content) return content.error();
    auto is_made = content->is_creator(sdk::space_record_id(record), principal);
    if (!is_made) return is_made.error();
    if (!*is_made) return std::vector<std::string>();
    return std::vector<std::string>{"owner"};
}

sdk::Result<std::vector<sdk::RecordKey>> NodeFamily::inherits_from(
    const sdk::Reader& store, const sdk::SpaceCollection& collection,
    const sdk::RecordKey& record) {
    auto content = StoredContent::of(services(), store, collection.container);
    if (!content) return content.error();
    auto folders = ancestors_of(content->graph(), sdk::space_record_id(record));
    if (!folders) return folders.error();
    std::vector<sdk::RecordKey> keys;
    for (const std::string& folder : *folders) {
        if (auto key = sdk::space_record_key(collection, folder)) keys.push_back(std::move(*key));
    }
    return keys;
}

sdk::Result<std::vector<std::string>> NodeFamily::paths_of(const sdk::Reader& store,
                                                           const sdk::SpaceCollection& collection,
                                                           const sdk::RecordKey& record) {
    auto content = StoredContent::of(services(), store, collection.container);
    if (!content) return content.error();
    return content->paths_of(sdk::space_record_id(record));
}

}  // namespace stele::nodes
