#include "principal.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/registrar.hpp>

#include "group_keeper.hpp"
#include "invited_user.hpp"
#include "rights/principal_lookup.hpp"
#include "rights/principal_names.hpp"
#include "token/identity_credentials.hpp"
#include "token/spent_ids.hpp"
#include "user_lifecycle.hpp"

namespace stele::identity {

namespace {

sdk::Fields principal_fields() {
    using enum sdk::FieldKind;
    return {
        {.name = "type",
         .kind = text,
         .default_json = "\"USER\"",
         .immutable = true,
         .one_of = {"USER", "GROUP"}},
        {.name = "name", .kind = text, .required = true, .unique = true, .addresses = true},
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "email", .kind = text},
        {.name = "firstName", .kind = text},
        {.name = "lastName", .kind = text},
        {.name = "companyName", .kind = text},
        {.name = "jobTitle", .kind = text},
        {.name = "enabled", .kind = boolean, .default_json = "true"},
        {.name = "directoryId", .kind = text, .immutable = true},
        {.name = "identityId", .kind = text, .immutable = true},
        {.name = "domainQualifiedId", .kind = text, .read_only = true},
        {.name = "domainQualifiedName", .kind = text, .read_only = true},
        {.name = "inviterId", .kind = text, .read_only = true},
        {.name = "inviterDomainId", .kind = text, .read_only = true},
        {.name = "inviterName", .kind = text, .read_only = true},
        // These only mean something while a body is read; declared as secrets, so that they neither
        // show up in a reply nor in an index.
        {.name = "password", .kind = text, .secret = true},
        {.name = "currentPassword", .kind = text, .secret = true},
        {.name = "groups", .kind = array, .items = text, .secret = true, .most = 1000},
    };
}

sdk::Shape membership_checks(bool is_answer) {
    using sdk::shape::array;
    std::vector<sdk::ShapeMember> check{{"groupId", sdk::shape::text()},
                                        {"principalId", sdk::shape::text()}};
    if (is_answer) {
        check.push_back({"result", sdk::shape::boolean()});
        const sdk::Shape checks = array(sdk::shape::object(check));
        return sdk::shape::status({{"checks", checks}, {"results", checks}});
    }
    check.push_back(sdk::shape::optional("indirect", sdk::shape::boolean()));
    return sdk::shape::object({{"checks", array(sdk::shape::object(check))}});
}

sdk::Shape invited() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::status(
        {{"_doc", text()}, optional("emailId", text()), optional("emailJobId", text())});
}

/// Who belongs to a group, and to which a principal belongs.
sdk::Actions membership_actions() {
    using enum sdk::Permission;
    using enum sdk::FieldKind;
    const sdk::Shape principals = sdk::shape::page(sdk::shape::record(kPrincipalType));
    const sdk::Parameter indirect{"indirect", false, boolean};
    return {
        {.name = "members",
         .method = "GET",
         .run = sdk::action<&PrincipalFamily::members>(),
         .parameters = {{"filter", false, text, {"any", "user", "group"}}, indirect},
         .paged = true,
         .answers = principals},
        {.name = "members/add",
         .permission = update,
         .run = sdk::action<&PrincipalFamily::add_member>(),
         .parameters = {{"id", true}},
         .slow = true,
         .answers = sdk::shape::changed()},
        {.name = "members/remove",
         .permission = update,
         .run = sdk::action<&PrincipalFamily::remove_member>(),
         .parameters = {{"id", true}},
         .slow = true,
         .urgent = true,
         .answers = sdk::shape::changed()},
        {.name = "memberships",
         .method = "GET",
         .run = sdk::action<&PrincipalFamily::memberships>(),
         .parameters = {indirect},
         .paged = true,
         .answers = principals},
        {.name = "teams",
         .method = "GET",
         .run = sdk::action<&PrincipalFamily::teams>(),
         .parameters = {{"teamableType"}, {"teamableId"}},
         .paged = true,
         .answers = sdk::shape::page(sdk::shape::record("Team"))},
        {.name = "membership/check",
         .scope = sdk::ActionScope::collection,
         .permission = connect,
         .run = sdk::action<&PrincipalFamily::check_memberships>(),
         .slow = true,
         .takes = membership_checks(false),
         .answers = membership_checks(true)},
    };
}

sdk::Actions principal_actions() {
    sdk::Actions actions = membership_actions();
    const sdk::Actions others{
        {.name = "identity",
         .method = "GET",
         .run = sdk::action<&PrincipalFamily::identity>(),
         .answers = sdk::shape::record(kIdentityType)},
        {.name = "sessions/expire",
         .run = sdk::action<&PrincipalFamily::expire_sessions>(),
         .urgent = true,
         .answers = sdk::shape::changed()},
        {.name = "invite",
         .scope = sdk::ActionScope::collection,
         .permission = sdk::Permission::create_subobjects,
         .run = sdk::action<&PrincipalFamily::invite>(),
         .parameters = sdk::invitation_parameters(),
         .slow = true,
         .takes = sdk::invitation_body(),
         .answers = invited()},
    };
    actions.insert(actions.end(), others.begin(), others.end());
    return actions;
}

void qualify(sdk::Change& change) {
    sdk::Json& fields = change.after->fields;
    const std::string& domain = change.collection.container;
    fields["domainQualifiedId"] = domain + "/" + change.after->id;
    fields["domainQualifiedName"] = domain + "/" + sdk::text_member(fields, "name");
}

/// Whether the change gives a name.
bool is_renamed(const sdk::Change& change) {
    if (change.kind == sdk::ChangeKind::remove) return false;
    return !change.before || sdk::text_member(change.before->fields, "name") !=
                                 sdk::text_member(change.after->fields, "name");
}

/// Principals are found by both.
sdk::Result<void> check_unspent_ids(const sdk::Change& change, sdk::Context& context) {
    const std::string& domain = change.collection.container;
    const bool is_new = change.before == nullptr;
    auto free =
        is_new ? check_unspent(context, "_doc", domain, change.after->id) : sdk::Result<void>();
    if (!free) return free;
    return check_unspent(context, "name", domain, sdk::text_member(change.after->fields, "name"));
}

/// Takes a password out of a body, because the hash is kept elsewhere.
std::string take_password(sdk::Change& change, const char* member) {
    std::string password = sdk::text_member(change.after->secrets, member);
    change.after->secrets.erase(member);
    return password;
}

}  // namespace

sdk::ResourceDescriptor PrincipalFamily::describe() const {
    return {.type = kPrincipalType,
            .container = kDomainType,
            .path = "principals",
            .placeholder = "principalId",
            .container_member = "domainId",
            .fields = principal_fields(),
            .actions = principal_actions(),
            .default_grants = {{sdk::DefaultGrant::To::everyone, "consumer"}},
            .composite_indexes = {{"type", "name"}},
            .unmoved_members = {"identityId", "directoryId"},
            .presented_by = {"groups"},
            .reference_type_member = "type",
            .slow_writes = true,
            .title = "principals"};
}

std::uint64_t PrincipalFamily::root_platform() const {
    return registrar_.root_platform().number;
}

sdk::Result<void> PrincipalFamily::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.before) {
        auto allowed = check_no_team(teams_, context, change.before->key);
        if (!allowed) return allowed;
    }
    if (is_renamed(change)) {
        if (auto free = check_unspent_ids(change, context); !free) return free;
    }
    switch (change.kind) {
        case sdk::ChangeKind::create:
            return prepare_create(change, context);
        case sdk::ChangeKind::update:
            return prepare_update(change, context);
        case sdk::ChangeKind::remove:
            return remove_principal(*change.before, context);
    }
    return {};
}

sdk::Result<void> PrincipalFamily::prepare_create(sdk::Change& change, sdk::Context& context) {
    qualify(change);
    const std::string password = take_password(change, "password");
    change.after->secrets.erase("currentPassword");
    if (sdk::text_member(change.after->fields, "type") == "GROUP") {
        change.after->fields.erase("directoryId");
        change.after->fields.erase("identityId");
        return {};
    }
    if (!password.empty()) {
        if (auto fit = passwords_.check_new(password); !fit) return fit;
    }
    return give_identity(*change.after, password, context, root_platform());
}

/// By its name it is known as the guest, whose rights are not those of everybody.
sdk::Result<void> PrincipalFamily::check_guest_kept(const sdk::Change& change,
                                                    sdk::Context& context) {
    auto guest = is_guest(context, principal_of(*change.before));
    if (!guest || !*guest) return guest ? sdk::Result<void>() : guest.error();
    if (change.before->key == context.principal().key) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "identity.principal_guest_unchangeable",
                               "the guest is shared by everybody and cannot change itself");
    }
    if (sdk::text_member(change.after->fields, "name") == kGuest) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "identity.principal_indispensable",
                           "the guest cannot be renamed");
}

sdk::Result<void> PrincipalFamily::prepare_update(sdk::Change& change, sdk::Context& context) {
    if (auto kept = check_guest_kept(change, context); !kept) return kept;
    qualify(change);
    change.after->secrets.erase("groups");
    const std::string password = take_password(change, "password");
    const std::string present = take_password(change, "currentPassword");
    if (!sdk::flag_member(change.after->fields, "enabled", true)) {
        auto kept = keep_last_owner(*change.before, context);
        if (!kept) return kept;
    }
    if (password.empty()) return {};
    return change_user_password(*change.after, {password, present}, passwords_, context);
}

void PrincipalFamily::validate(const sdk::Change& change, sdk::Context&,
                               sdk::Violations& violations) {
    if (!is_renamed(change)) return;
    std::string problem = name_problem(sdk::text_member(change.after->fields, "name"));
    if (!problem.empty()) {
        violations.push_back({"name", "identity.principal_name_malformed", std::move(problem)});
    }
}

sdk::Result<void> PrincipalFamily::stored(const sdk::Change& change, sdk::Context& context) {
    const bool is_removed = change.kind == sdk::ChangeKind::remove;
    const bool is_new_name = is_renamed(change);
    if (is_removed || (is_new_name && change.before)) {
        if (auto left = leave_name(context, *change.before); !left) return left;
    }
    if (is_removed) return {};
    if (is_new_name) {
        if (auto taken = take_name(context, *change.after); !taken) return taken;
    }
    auto copied = copy_principal(*change.after, context, root_platform());
    if (!copied || change.kind == sdk::ChangeKind::update) return copied;
    return settle_in(*change.after, context, root_platform(), teams_);
}

sdk::Result<sdk::Reply> PrincipalFamily::expire_sessions(const sdk::Call& call) {
    const sdk::Document& user = call.record();
    if (principal_of(user).kind != sdk::PrincipalKind::user) {
        return sdk::make_error(sdk::ErrorKind::invalid, "identity.principal_user_expected",
                               sdk::text_member(user.fields, "name") + " is a group, not a user");
    }
    if (auto ended = end_user_sessions(user, call.context()); !ended) return ended.error();
    return sdk::Reply::status({{"_doc", user.id}});
}

sdk::Result<sdk::Reply> PrincipalFamily::invite(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const std::string& domain = call.collection().container;
    const auto invitee = sdk::read_invitee(call);
    if (!invitee) return invitee.error();
    sdk::Result<sdk::Principal> invited = sdk::Principal();
    if (invitee->id.empty()) {
        invited = desk_.make_user(call, domain, invitee->email);
    } else {
        auto guest = find_invited(registrar_, platforms_, context, invitee->id);
        if (!guest) return guest.error();
        auto user = settle_invited(registrar_, context, call.collection(), *guest);
        if (!user) return user.error();
        invited = principal_of(*user);
    }
    if (!invited) return invited.error();
    auto record = context.documents().read({kDomainType, ""}, domain);
    if (!record) return record.error();
    std::string title = sdk::text_member(record->fields, "title");
    if (title.empty()) title = domain;
    auto told = desk_.announce(call, *invited, title, "");
    if (!told) return told.error();
    sdk::Json members = {{"_doc", invited->id}};
    members.update(*told);
    return sdk::Reply::status(members);
}

}  // namespace stele::identity
