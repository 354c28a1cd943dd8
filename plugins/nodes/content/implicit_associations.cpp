#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "content/branch_content.hpp"
#include "content/history.hpp"
#include "content/vocabulary.hpp"

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
    if (direction == Direction::mutual || (!wants_role && !wants_creation)) return found;
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
    if (direction == Direction::incoming ||
        sdk::text_member(node.fields, member::kType) != type::kPerson)
        return found;
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
    const Creator creator = creator_of(target->fields);
    auto person = find_person(creator.domain_id, creator.id);
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
    return made;
}

}  // namespace stele::nodes
