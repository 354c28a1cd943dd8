#include "family/deletion_family.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/client_members.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/purge.hpp"
#include "history/stored_content.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kAssociationFlag[] = "_deletion.association";
/// What tells later what comes back.
constexpr std::array kKeptOfDeletion{kDeletionMember, member::kType, member::kQName,
                                     member::kIsAssociation};
constexpr std::array kEnds{member::kSource, member::kSourceType, member::kTarget,
                           member::kTargetType, member::kDirectionality};

void keep(const sdk::Json& before, const char* name, sdk::Json& after) {
    const auto kept = before.find(name);
    if (kept == before.end()) {
        after.erase(name);
    } else {
        after[name] = *kept;
    }
}

/// Says in `_deletion` which changeset removed the node: the one that wrote the deletion first.
void name_changeset(const sdk::Json& stored, sdk::Json& record) {
    const auto deletion = record.find(kDeletionMember);
    if (deletion == record.end() || !deletion->is_object() || deletion->contains(kChangesetId))
        return;
    const std::string changeset = changeset_of_deletion(stored);
    if (!changeset.empty()) (*deletion)[kChangesetId] = changeset;
}

}  // namespace

sdk::ResourceDescriptor DeletionFamily::describe() const {
    using enum sdk::FieldKind;
    return {.type = kDeletionType,
            .container = kBranchType,
            .path = "deletions",
            .placeholder = kNodeId,
            .fields = {{.name = member::kQName, .kind = text},
                       {.name = member::kType, .kind = text},
                       {.name = kDeletionMember, .kind = object},
                       {.name = "_system.changeset", .unindexed = true}},
            .operations = {.create = false, .query_by_get = true, .transfer = false},
            .listing = {.takes_query = true},
            .actions = deletion_actions(),
            .has_space = true,
            .is_ungranted = true,
            .policy_facts = {"path", "changeset", "qname", "type-qname", "feature", "definition"},
            .is_presented = true,
            .slow_writes = true,
            .title = "deletions"};
}

sdk::Result<void> DeletionFamily::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::create) return {};
    const sdk::Json& before = change.before->fields;
    if (change.kind == sdk::ChangeKind::remove) {
        // The server itself removes one deletion after the other, also of what comes back.
        if (context.session().is_system || is_association(before)) return {};
        auto content = BranchContent::open(services(), context, change.collection.container_key);
        if (!content) return content.error();
        auto purged = purge_associations_of(*content, change.before->id);
        return purged ? sdk::Result<void>() : purged.error();
    }
    sdk::Json& after = change.after->fields;
    drop_server_members(after);
    mend_features(after);
    for (const char* name : kKeptOfDeletion)
        keep(before, name, after);
    name_changeset(before, after);
    if (is_association(before)) {
        for (const char* name : kEnds)
            keep(before, name, after);
    }
    if (!after.contains(member::kFeatures)) keep(before, member::kFeatures, after);
    keep_servers_features(&before, after, false);
    sdk::Violations violations;
    check_features(&before, after, violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    return {};
}

sdk::Result<void> DeletionFamily::complete_system(const sdk::Change& change, sdk::Context& context,
                                                  sdk::Json& system) {
    auto note =
        Changes::of(context, services().branches).note(context, change.collection.container_key);
    if (!note) return note.error();
    // Last, where readers of the branch look for it.
    system.erase(member::kChangeset);
    system[member::kChangeset] = (*note)->random_part;
    return {};
}

sdk::Result<void> DeletionFamily::complete_query(const sdk::Call&, sdk::Json& query) {
    if (!mentions(query, kAssociationFlag)) query[kAssociationFlag] = false;
    rename_queried_features(query);
    return {};
}

sdk::Result<void> DeletionFamily::present(const sdk::Call&, sdk::Json& record) {
    name_changeset(record, record);
    return {};
}

sdk::Result<std::vector<std::string>> DeletionFamily::paths_of(
    const sdk::Reader& store, const sdk::SpaceCollection& collection,
    const sdk::RecordKey& record) {
    const std::string node = sdk::space_record_id(record);
    auto content = StoredContent::before_deletion(services(), store, collection.container, node);
    if (!content) return content.error();
    return content->paths_of(node);
}

}  // namespace stele::nodes
