#include "project_invitation.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>

#include "collections.hpp"
#include "project_teams.hpp"

namespace stele::platform {

namespace {

constexpr char kGuestName[] = "guest";

sdk::Error not_allowed(const char* code, const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::forbidden, code, problem);
}

/// The project's stack, where the caller may change who has what on it.
sdk::Result<sdk::Document> managed_stack(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const std::string id = sdk::text_member(call.record().fields, "stackId");
    auto stack = sdk::if_readable(context, context.documents().read(kStacks, id));
    if (!stack) return stack.error();
    if (!*stack) {
        return sdk::make_error(sdk::ErrorKind::not_found, "platform.stack_unknown",
                               "the project has no stack, or none that you may read");
    }
    auto may = sdk::holds(context, (*stack)->key, sdk::Permission::modify_permissions);
    if (!may) return may.error();
    if (!*may) {
        return not_allowed("authority.permission_missing",
                           "MODIFY_PERMISSIONS on the project's stack is needed for this");
    }
    return **std::move(stack);
}

/// The team that is asked for. The one of the users is made where the stack has none: it may be
/// older than the project.
sdk::Result<sdk::Team> joined_team(const sdk::Call& call, const ProjectServices& services,
                                   const sdk::RecordKey& stack) {
    sdk::Context& context = call.context();
    std::string key = call.parameter("teamKey").value_or("");
    if (key.empty()) key = kUsersTeam;
    if (key == kUsersTeam) {
        if (auto made = users_team(context, services, stack); !made) return made;
    }
    auto team = services.teams.find(context, stack, key);
    if (!team) return team.error();
    if (!*team) {
        return sdk::make_error(sdk::ErrorKind::not_found, "team.unknown",
                               "there is no team " + key);
    }
    if (auto own = sdk::require_membership(context, (*team)->group); !own) return own.error();
    return **std::move(team);
}

sdk::Result<sdk::Principal> named_user(const sdk::Call& call, const ProjectServices& services) {
    const auto invitee = sdk::read_invitee(call);
    if (!invitee) return invitee.error();
    const std::string& id = invitee->id;
    if (id.empty()) return services.invitations.make_user(call, "primary", invitee->email);
    sdk::Context& context = call.context();
    auto user = services.principals.find(context, id);
    if (!user) return user;
    auto may = sdk::holds(context, user->key, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown",
                               "there is no principal " + id);
    }
    const bool is_user = user->kind == sdk::PrincipalKind::user && user->name != kGuestName;
    if (is_user && user->enabled) return user;
    return sdk::make_error(
        {{"id", "platform.invitation_unfit", id + " must be an enabled user, other than a guest"}});
}

}  // namespace

sdk::Result<sdk::Reply> invite_to_project(const sdk::Call& call, const ProjectServices& services) {
    sdk::Context& context = call.context();
    const sdk::Document& project = call.record();
    auto stack = managed_stack(call);
    if (!stack) return stack.error();
    auto team = joined_team(call, services, stack->key);
    if (!team) return team.error();
    auto user = named_user(call, services);
    if (!user) return user.error();
    auto added = context.authorities().add_member(team->group, user->key, user->kind);
    if (!added) return added.error();
    if (auto own = sdk::require_grant(context, project.key, "consumer"); !own) return own.error();
    // The stack's teams have nothing on the project, which does not lie in the stack.
    auto shown = context.authorities().grant(project.key, team->group, "consumer");
    if (!shown) return shown.error();

    sdk::PageRequest first;
    first.limit = 1;
    auto own = context.documents().query({"application", ""}, {{"projectId", project.id}}, first);
    if (!own) return own.error();
    std::string title = sdk::text_member(project.fields, "title");
    if (title.empty()) title = project.id;
    auto told = services.invitations.announce(call, *user, title,
                                              own->rows.empty() ? "" : own->rows.front().id);
    if (!told) return told.error();
    sdk::Json members = {{"_doc", user->id}, {"domainId", user->domain_id}, {"teamKey", team->key}};
    members.update(*told);
    return sdk::Reply::status(members);
}

}  // namespace stele::platform
