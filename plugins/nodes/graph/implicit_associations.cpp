#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "branch/branch_content.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"

namespace stele::nodes {

namespace {

sdk::Json person_fields(const sdk::Principal& principal) {
    const bool is_user = principal.kind == sdk::PrincipalKind::user;
    sdk::Json fields = {{member::kType, is_user ? type::kPerson : type::kGroup},
                        {"title", principal.name},
                        {"principal-id", principal.id},
                        {"principal-domain", principal.domain_id},
                        {"principal-name", principal.name},
                        {"principal-type", is_user ? "USER" : "GROUP"},
                        {"principal-email", principal.email}};
    if (is_user) {
        fields["firstName"] = principal.first_name;
        fields["lastName"] = principal.last_name;
        fields["email"] = principal.email;
    }
    return fields;
}

/// What else a principal's record says about a person.
void copy_profile(const sdk::Json& record, sdk::Json& person) {
    if (sdk::text_member(person, member::kType) != type::kPerson) return;
    for (const char* name :
         {"companyName", "jobTitle", "address", "city", "state", "zipcode", "phoneNumber"}) {
        const auto value = record.find(name);
        if (value != record.end() && value->is_string()) person[name] = *value;
    }
}

bool has_no_creator(const sdk::Json& node) {
    const std::string type = sdk::text_member(node, member::kType);
    return is_association(node) || type == type::kPerson || type == type::kGroup;
}

/// The lock that shows at a node; what has none has no feature either, and is not looked up.
sdk::Result<std::optional<NodeLock>> shown_lock(const BranchContent& content,
                                                const sdk::Document& node) {
    const bool may_be_locked =
        !is_association(node.fields) && has_feature(node.fields, feature::kLocked);
    if (!may_be_locked) return std::optional<NodeLock>();
    return lock_of(content, node.id);
}

/// The lock of a node, as an association from its holder's person.
sdk::Result<void> add_lock_of(const BranchContent& content, const sdk::Document& node,
                              std::vector<Edge>& found) {
    auto lock = shown_lock(content, node);
    if (!lock) return lock.error();
    if (!*lock) return {};
    auto person = content.find_person((*lock)->domain_id, (*lock)->principal_id);
    if (!person) return person.error();
    if (*person)
        found.push_back({implicit_id(node.id, association::kHasLock), association::kHasLock,
                         std::move(**person), Direction::incoming});
    return {};
}

/// Those that start at a person.
sdk::Result<void> add_locks_held(const BranchContent& content, const sdk::Json& person,
                                 std::size_t limit, std::vector<Edge>& found) {
    auto locked = locks_held_by(content, sdk::text_member(person, "principal-domain"),
                                sdk::text_member(person, "principal-id"), limit);
    if (!locked) return locked.error();
    for (std::string& node : *locked) {
        std::string id = implicit_id(node, association::kHasLock);
        found.push_back(
            {std::move(id), association::kHasLock, std::move(node), Direction::outgoing});
    }
    return {};
}

/// Its maker and its time are those of the lock.
void tell_lock(const NodeLock& lock, sdk::Json& system) {
    for (const char* deed : {"created", "modified", "edited"}) {
        const std::string name(deed);
        system[name + "_on"] = sdk::time_value(lock.since_ms);
        system[name + "_by"] = lock.principal_name;
        system[name + "_by_principal_id"] = lock.principal_id;
        system[name + "_by_principal_domain_id"] = lock.domain_id;
    }
    system.erase(member::kAttachments);
}

}  // namespace

sdk::Result<std::optional<std::string>> BranchContent::find_person(
    std::string_view domain_id, std::string_view principal_id) const {
    auto person = graph().find_person(domain_id, principal_id);
    if (!person || !*person) return person;
    // What stands for a principal can be deleted like any other node; the graph still knows it.
    auto is_there = view_->contains(node_record_key(**person));
    if (!is_there) return is_there.error();
    if (!*is_there) return std::optional<std::string>();
    return person;
}

sdk::Result<std::string> BranchContent::ensure_person(const sdk::Principal& principal) const {
    auto present = find_person(principal.domain_id, principal.id);
    if (!present) return present.error();
    if (*present) return std::move(**present);
    const ServersOwn own(changes());
    auto server = open(services_, context_.as_system(), branch_);
    if (!server) return server.error();
    sdk::Json fields = person_fields(principal);
    auto record = server->context().documents().read(principal.key);
    if (!record && !sdk::is_missing(record.error())) return record.error();
    if (record) copy_profile(record->fields, fields);
    auto made = server->create(std::move(fields));
    if (!made) return made.error();
    auto writer = graph_writer();
    if (!writer) return writer.error();
    writer->put_person(principal, made->id);
    auto users = node(kUsersQName);
    if (!users)
        return sdk::is_missing(users.error()) ? sdk::Result<std::string>(made->id) : users.error();
    auto joined = server->associate({.source = users->id,
                                     .target = made->id,
                                     .type = association::kChild,
                                     .fields = sdk::Json::object()});
    if (!joined) return joined.error();
    return made->id;
}

sdk::Result<std::vector<Edge>> BranchContent::implicit_edges(const sdk::Document& node,
                                                             Direction direction,
                                                             std::string_view type,
                                                             std::size_t limit) const {
    std::vector<Edge> found;
    const bool wants_role = type.empty() || type == association::kHasRole;
    const bool wants_creation = type.empty() || type == association::kCreated;
    const bool wants_lock = type.empty() || type == association::kHasLock;
    if (direction == Direction::mutual || (!wants_role && !wants_creation && !wants_lock))
        return found;
    const bool tells_creation = wants_creation && place_.is_social;
    const auto add = [&](const std::string& node_id, const std::string& other, Direction end) {
        if (wants_role)
            found.push_back(
                {implicit_id(node_id, association::kHasRole), association::kHasRole, other, end});
        if (tells_creation)
            found.push_back(
                {implicit_id(node_id, association::kCreated), association::kCreated, other, end});
    };
    if (direction != Direction::outgoing && !has_no_creator(node.fields)) {
        const Creator creator = creator_of(node.fields);
        auto person = find_person(creator.domain_id, creator.id);
        if (!person) return person.error();
        if (*person) add(node.id, **person, Direction::incoming);
    }
    if (direction != Direction::outgoing && wants_lock) {
        if (auto added = add_lock_of(*this, node, found); !added) return added.error();
    }
    if (direction == Direction::incoming ||
        sdk::text_member(node.fields, member::kType) != type::kPerson)
        return found;
    if (wants_lock) {
        if (auto added = add_locks_held(*this, node.fields, limit, found); !added)
            return added.error();
    }
    if (!wants_role && !tells_creation) return found;
    const sdk::Json by_this_person = {
        {"_system.created_by_principal_id", sdk::text_member(node.fields, "principal-id")},
        {"_system.created_by_principal_domain_id",
         sdk::text_member(node.fields, "principal-domain")},
        {member::kIsAssociation, false}};
    sdk::PageRequest wanted;
    wanted.limit = limit == kEveryEdge ? -1 : static_cast<std::int64_t>(limit);
    auto made = context_.documents().query(nodes_, by_this_person, wanted);
    if (!made) return made.error();
    for (const sdk::Document& one : made->rows) {
        if (!has_no_creator(one.fields)) add(one.id, node.id, Direction::outgoing);
    }
    // Seen from the person, the other end is the node that was made.
    for (Edge& edge : found) {
        if (edge.end != Direction::outgoing) continue;
        if (const auto implicit = find_implicit(edge.association)) edge.other = implicit->node;
    }
    return found;
}

sdk::Result<std::vector<Edge>> BranchContent::all_edges(const sdk::Document& node,
                                                        Direction direction, std::string_view type,
                                                        std::size_t limit) const {
    auto implicit = implicit_edges(node, direction, type, limit);
    if (!implicit) return implicit;
    if (implicit->size() > limit) implicit->resize(limit);
    auto explicit_ones = edges(node.id, direction, type, limit - implicit->size());
    if (!explicit_ones) return explicit_ones;
    implicit->insert(implicit->end(), explicit_ones->begin(), explicit_ones->end());
    return implicit;
}

sdk::Result<sdk::Document> BranchContent::association(const Edge& edge) const {
    const auto implicit = find_implicit(edge.association);
    if (!implicit) return context_.documents().read(nodes_, edge.association);
    auto target = context_.documents().read(nodes_, implicit->node);
    if (!target) return target;
    Creator maker = creator_of(target->fields);
    auto lock = implicit->type == association::kHasLock
                    ? lock_of(*this, target->id)
                    : sdk::Result<std::optional<NodeLock>>(std::nullopt);
    if (!lock) return lock.error();
    if (*lock) maker = {(*lock)->principal_id, (*lock)->domain_id};
    auto person = find_person(maker.domain_id, maker.id);
    if (!person) return person.error();
    sdk::Document made;
    made.key = target->key;
    made.id = edge.association;
    made.version = target->version;
    const std::string changeset =
        sdk::text_member(target->fields[member::kSystem], member::kChangeset);
    made.fields = {{"_doc", edge.association},
                   {member::kType, implicit->type},
                   {member::kQName, "o:" + edge.association},
                   {member::kFeatures, sdk::Json::object()},
                   {member::kIsAssociation, true},
                   {member::kDirectionality, kDirected},
                   {member::kSource, person->value_or(std::string())},
                   {member::kSourceType, type::kPerson},
                   {"source_changeset", changeset},
                   {member::kTarget, target->id},
                   {member::kTargetType, sdk::text_member(target->fields, member::kType)},
                   {"target_changeset", changeset}};
    if (implicit->type == association::kHasRole) made.fields["role-key"] = "owner";
    made.fields[member::kSystem] = target->fields[member::kSystem];
    if (*lock) tell_lock(**lock, made.fields[member::kSystem]);
    return made;
}

}  // namespace stele::nodes
