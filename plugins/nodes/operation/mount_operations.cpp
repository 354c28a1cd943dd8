#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "graph/mounts.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kMountKey[] = "mountKey";

sdk::Result<std::string> mount_key_of(const sdk::Call& call) {
    std::string key(call.path(kMountKey));
    if (is_mount_key(key)) return key;
    return sdk::make_error(
        {{kMountKey, "nodes.mount_key_malformed",
          "mountKey must be a word of at most 128 bytes that is no id and not root"}});
}

/// Takes the key from the node that it stands for; answers whether that is this one.
sdk::Result<bool> free_mount_key(const BranchContent& content, const std::string& key,
                                 const std::string& node) {
    auto mount = content.node(kMountPrefix + key);
    if (!mount && sdk::is_missing(mount.error())) return false;
    if (!mount) return mount.error();
    const AssociationEnds ends = ends_of(*mount);
    if (ends.target == node) return true;
    auto may = sdk::Result<bool>(false);
    if (ends.type == association::kHasMount) {
        auto mounted = content.node(ends.target);
        if (!mounted) return mounted.error();
        may = content.may(mounted->key, sdk::Permission::update);
    }
    if (!may) return may;
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.mount_key_taken",
                               "mount key " + key + " stands for something else");
    }
    auto gone = content.context().documents().remove(content.nodes(), mount->id);
    if (!gone) return gone.error();
    return false;
}

sdk::Result<sdk::Reply> mount_node(Services& services, const sdk::Call& call) {
    auto key = mount_key_of(call);
    if (!key) return key.error();
    if (is_association(call.record().fields)) {
        return sdk::make_error(
            {{kNodeId, "nodes.association_unfit", "an association cannot be mounted"}});
    }
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = content->require_create(); !may) return may.error();
    auto root = content->node(kRootAlias);
    if (!root) return root.error();
    auto is_mounted = free_mount_key(*content, *key, call.record().id);
    if (!is_mounted) return is_mounted.error();
    if (!*is_mounted) {
        auto mounted = content->associate(
            {.source = root->id,
             .target = call.record().id,
             .type = association::kHasMount,
             .fields = {{member::kQName, kMountPrefix + *key}, {kMountKeyMember, *key}}});
        if (!mounted) return mounted.error();
    }
    return sdk::Reply::status(call.record().fields);
}

sdk::Result<sdk::Reply> unmount_node(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto mounts = mounts_of(*content, call.record().id, Direction::incoming);
    if (!mounts) return mounts.error();
    for (const Edge& mount : *mounts) {
        auto gone = call.context().documents().remove(content->nodes(), mount.association);
        if (!gone) return gone.error();
    }
    return sdk::Reply::status(call.record().fields);
}

/// The node with the feature that shows a lock, or without it.
sdk::Result<sdk::Document> show_lock(const BranchContent& content, const sdk::Document& node,
                                     bool is_locked) {
    const auto present = node.fields.find(member::kFeatures);
    const bool is_object = present != node.fields.end() && present->is_object();
    sdk::Json features = is_object ? *present : sdk::Json::object();
    if (features.contains(feature::kLocked) == is_locked) return node;
    if (is_locked) {
        features[feature::kLocked] = {{"lockedBy", content.principal().name}};
    } else {
        features.erase(feature::kLocked);
    }
    return content.context().documents().patch(content.nodes(), node.id,
                                               {{member::kFeatures, std::move(features)}});
}

sdk::Result<sdk::Reply> lock_node(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const sdk::Principal& holder = content->principal();
    auto present = lock_of(*content, call.record().id);
    if (!present) return present.error();
    if (*present && !(*present)->is_held_by(holder)) {
        return locked_error(call.record().id, **present);
    }
    if (!*present) {
        auto locked = put_lock(*content, call.record().id,
                               {holder.domain_id, holder.id, holder.name, sdk::now_ms()});
        if (!locked) return locked.error();
    }
    // The association that shows it begins there.
    if (auto person = content->ensure_person(holder); !person) return person.error();
    auto shown = show_lock(*content, call.record(), true);
    if (!shown) return shown.error();
    return sdk::Reply::status(shown->fields);
}

sdk::Result<sdk::Reply> unlock_node(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto free = check_unlocked(*content, call.record()); !free) return free.error();
    if (auto unlocked = forget_lock(*content, call.record().id); !unlocked) return unlocked.error();
    auto shown = show_lock(*content, call.record(), false);
    if (!shown) return shown.error();
    return sdk::Reply::status(shown->fields);
}

sdk::Result<sdk::Reply> read_lock(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto lock = lock_of(*content, call.record().id);
    if (!lock) return lock.error();
    sdk::Json answer = {{"locked", lock->has_value()}};
    if (*lock) {
        answer["lockedBy"] = (*lock)->principal_name;
        answer["lockedByPrincipalId"] = (*lock)->principal_id;
        answer["lockedByPrincipalDomainId"] = (*lock)->domain_id;
        answer["lockedOn"] = sdk::time_value((*lock)->since_ms);
    }
    return sdk::Reply::json(answer);
}

sdk::Shape lock_shape() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"locked", sdk::shape::boolean()},
                               optional("lockedBy", text()),
                               optional("lockedByPrincipalId", text()),
                               optional("lockedByPrincipalDomainId", text()),
                               optional("lockedOn", sdk::shape::time())});
}

}  // namespace

sdk::Actions node_mount_actions() {
    using enum sdk::Permission;
    return {
        {.name = "mount/{mountKey}",
         .permission = update,
         .run = operation<&mount_node>(),
         .answers = written_node()},
        {.name = "unmount",
         .permission = update,
         .run = operation<&unmount_node>(),
         .answers = written_node()},
        {.name = "lock",
         .permission = update,
         .run = operation<&lock_node>(),
         .answers = written_node()},
        {.name = "lock",
         .method = "GET",
         .permission = read,
         .run = operation<&read_lock>(),
         .answers = lock_shape()},
        {.name = "unlock",
         .permission = update,
         .run = operation<&unlock_node>(),
         .answers = written_node()},
    };
}

}  // namespace stele::nodes
