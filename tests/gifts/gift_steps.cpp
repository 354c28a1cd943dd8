#include "tests/gifts/gift_steps.hpp"

namespace stele::kernel::gifts {

namespace {

const std::string kPrincipals = "/domains/{domainId}/principals";
const std::string kPrincipal = kPrincipals + "/{principalId}";
const std::string kPolicies = "/access/policies";
const std::string kPolicy = kPolicies + "/{accessPolicyId}";

}  // namespace

std::map<std::string, int>& GiftSteps::succeeded() {
    static std::map<std::string, int> succeeded;
    return succeeded;
}

bool GiftSteps::request(const Person& caller, const std::string& method, const std::string& route,
                        std::vector<std::string> values, GiftServer::Parameters parameters,
                        sdk::Json body) {
    const std::string name = method + " " + route;
    told_ = caller.session->principal.name + ": " + name;
    for (const std::string& value : values)
        told_ += " " + value;
    for (const auto& [key, value] : parameters)
        told_ += " " + key + "=" + value;
    told_ += " " + sdk::dump_json(body);
    auto reply = server_.request(caller.session, method, route, std::move(values),
                                 std::move(parameters), std::move(body));
    if (!reply) {
        // Nothing but refusals: a fault of the server or of this test must not pass for one.
        refusal_ = reply.error().message;
        if (reply.error().kind == sdk::ErrorKind::internal)
            throw std::runtime_error(told_ + ": " + refusal_);
        return false;
    }
    ++succeeded()[name];
    reply_ = *std::move(reply);
    return true;
}

std::string GiftSteps::any_role() {
    static const std::vector<std::string> kRoles{"consumer", "editor", "collaborator", "manager",
                                                 "manager",  "owner",  "helper",       "guide"};
    return pick(kRoles);
}

std::string GiftSteps::any_form(const Person& caller) {
    return below(2) == 0 ? caller.form() : pick(world_.forms);
}

const Place& GiftSteps::any_place_with_teams() {
    while (true) {
        const Place& place = pick(world_.places);
        if (place.has_teams) return place;
    }
}

std::string GiftSteps::new_name() {
    return "n" + std::to_string(++names_);
}

std::optional<Taken> GiftSteps::take(const Person& caller) {
    static const std::pair<std::size_t, Step> kKinds[] = {
        {14, &GiftSteps::grant},           {5, &GiftSteps::revoke},
        {12, &GiftSteps::change_members},  {6, &GiftSteps::make_principal},
        {3, &GiftSteps::remove_principal}, {8, &GiftSteps::make_team},
        {16, &GiftSteps::change_team},     {6, &GiftSteps::define_role},
        {4, &GiftSteps::change_role},      {4, &GiftSteps::change_policy},
        {8, &GiftSteps::assign_policy},    {6, &GiftSteps::change_stack},
        {3, &GiftSteps::open_store},       {6, &GiftSteps::invite},
        {4, &GiftSteps::give_stack},       {5, &GiftSteps::impersonate},
        {3, &GiftSteps::change_password},  {5, &GiftSteps::use_grant},
        {3, &GiftSteps::link_identity},    {4, &GiftSteps::export_record},
        {6, &GiftSteps::import_archive}};
    std::size_t sum = 0;
    for (const auto& [weight, step] : kKinds)
        sum += weight;
    std::size_t place = below(sum);
    for (const auto& [weight, step] : kKinds) {
        if (place < weight) return (this->*step)(caller);
        place -= weight;
    }
    return std::nullopt;
}

std::optional<Taken> GiftSteps::grant(const Person& caller) {
    const Place& place = pick(world_.places);
    if (!request(caller, "POST", place.route + "/authorities/{authorityId}/grant",
                 with(place.values, any_role()), {{"id", any_form(caller)}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::revoke(const Person& caller) {
    const Place& place = pick(world_.places);
    if (!request(caller, "POST", place.route + "/authorities/{authorityId}/revoke",
                 with(place.values, below(2) == 0 ? "all" : any_role()),
                 {{"id", any_form(caller)}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::change_members(const Person& caller) {
    const Place& group = pick(world_.groups);
    const std::string verb = below(3) == 0 ? "remove" : "add";
    if (!request(caller, "POST", kPrincipal + "/members/" + verb, group.values,
                 {{"id", any_form(caller)}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::make_principal(const Person& caller) {
    sdk::Json body = {{"type", "USER"}, {"name", new_name()}};
    if (below(4) > 0) body["groups"] = sdk::Json::array({pick(world_.groups).id()});
    if (!request(caller, "POST", kPrincipals, {world_.domain}, {}, body)) return std::nullopt;
    return Taken{
        {}, {server_.key_of({"principal", world_.domain}, reply_.at("_doc").get<std::string>())}};
}

std::optional<Taken> GiftSteps::remove_principal(const Person& caller) {
    const Place& group = pick(world_.groups);
    if (!request(caller, "DELETE", kPrincipal, group.values)) return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::make_team(const Person& caller) {
    const Place& place = any_place_with_teams();
    const std::string key = new_name();
    if (!request(caller, "POST", place.route + "/teams", place.values, {{"key", key}}))
        return std::nullopt;
    teams_.push_back({place, key});
    return Taken{};
}

std::optional<Taken> GiftSteps::change_team(const Person& caller) {
    Team team{any_place_with_teams(), "owners"};
    if (!teams_.empty() && below(5) > 0) team = pick(teams_);
    if (below(2) == 0) team = {world_.focus, world_.crew};
    const std::string route = team.place.route + "/teams/{teamKey}";
    const auto values = with(team.place.values, team.key);
    switch (below(8)) {
        case 0:
            if (!request(caller, "POST", route + "/members/remove", values,
                         {{"id", any_form(caller)}}))
                return std::nullopt;
            return Taken{};
        case 1:
            if (!request(caller, "POST", route + "/authorities/{authorityId}/revoke",
                         with(values, any_role())))
                return std::nullopt;
            return Taken{};
        case 2:
            if (!request(caller, "DELETE", route, values)) return std::nullopt;
            return Taken{};
        case 3:
        case 4:
        case 5:
            if (!request(caller, "POST", route + "/members/add", values,
                         {{"id", any_form(caller)}}))
                return std::nullopt;
            return Taken{};
        default:
            if (!request(caller, "POST", route + "/authorities/{authorityId}/grant",
                         with(values, any_role())))
                return std::nullopt;
            return Taken{};
    }
}

std::optional<Taken> GiftSteps::define_role(const Person& caller) {
    const Place& place = any_place_with_teams();
    static const std::vector<sdk::Json> kPermissions{
        {"CONNECT"}, {"CONNECT", "READ"}, {"CONNECT", "READ", "UPDATE", "MODIFY_PERMISSIONS"}};
    if (!request(
            caller, "POST", place.route + "/roles", place.values, {},
            {{"roleKey", below(2) == 0 ? "helper" : "guide"}, {"permissions", pick(kPermissions)}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::change_role(const Person& caller) {
    const Place& place = any_place_with_teams();
    const auto values = with(place.values, below(2) == 0 ? "helper" : "guide");
    const std::string route = place.route + "/roles/{roleKeyOrId}";
    const bool is_done =
        below(2) == 0
            ? request(caller, "DELETE", route, values)
            : request(caller, "PUT", route, values, {},
                      {{"permissions", {"CONNECT", "READ", "UPDATE", "DELETE", "IMPERSONATE"}}});
    return is_done ? std::optional<Taken>(Taken{}) : std::nullopt;
}

std::optional<Taken> GiftSteps::change_policy(const Person& caller) {
    const Place& policy = pick(world_.policies);
    const sdk::Json statements = {
        {{"action", below(3) == 0 ? "revoke" : "grant"}, {"roles", {any_role()}}}};
    bool is_done = false;
    switch (below(3)) {
        case 0:
            is_done =
                request(caller, "PUT", kPolicy, policy.values, {}, {{"statements", statements}});
            break;
        case 1:
            is_done = request(caller, "DELETE", kPolicy, policy.values);
            break;
        default:
            is_done = request(caller, "POST", kPolicies, {}, {}, {{"statements", statements}});
            if (is_done)
                world_.policies.push_back({kPolicy, {reply_.at("_doc").get<std::string>()}, {}});
    }
    return is_done ? std::optional<Taken>(Taken{}) : std::nullopt;
}

std::optional<Taken> GiftSteps::assign_policy(const Person& caller) {
    const Place& policy = below(2) == 0 ? world_.policies.front() : pick(world_.policies);
    const bool is_group = below(3) == 0;
    const std::string id = is_group        ? pick(world_.groups).id()
                           : below(2) == 0 ? caller.id
                                           : pick(world_.users).id;
    const GiftServer::Parameters ref{{"ref", world_.reference(id, is_group)}};
    const std::size_t kind = below(7);
    const bool is_done =
        kind == 0   ? request(caller, "POST", kPolicies + "/unassignall", {}, ref)
        : kind == 1 ? request(caller, "POST", kPolicy + "/unassign", policy.values, ref)
        : kind == 2 ? request(caller, "POST", kPolicies + "/system/{key}/assign",
                              {below(2) == 0 ? "project-user" : "project-collaborator"}, ref)
                    : request(caller, "POST", kPolicy + "/assign", policy.values, ref);
    return is_done ? std::optional<Taken>(Taken{}) : std::nullopt;
}

std::optional<Taken> GiftSteps::change_stack(const Person& caller) {
    const std::string route = world_.stack.route;
    const std::size_t kind = below(6);
    const std::size_t store = below(world_.stores.size());
    bool is_done = false;
    if (kind == 0) {
        is_done = request(caller, "DELETE", route, world_.stack.values);
    } else if (kind < 3) {
        is_done = request(caller, "POST", route + "/datastores/unassign", world_.stack.values,
                          {{"key", "first"}});
    } else {
        const std::string type = store == 2 ? "repository" : "webhost";
        is_done = request(caller, "POST", route + "/datastores/assign", world_.stack.values,
                          {{"type", type}, {"id", world_.stores[store].id()}, {"key", "first"}});
    }
    return is_done ? std::optional<Taken>(Taken{}) : std::nullopt;
}

std::optional<Taken> GiftSteps::open_store(const Person& caller) {
    const Place& store = pick(world_.stores);
    if (!request(caller, "PUT", store.route, store.values, {}, {{"enableAuthorities", false}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::invite(const Person& caller) {
    static const std::vector<std::string> kTeams{"project-users-team", "owners"};
    if (!request(caller, "POST", world_.project.route + "/users/invite", world_.project.values,
                 {{"id", any_form(caller)}, {"teamKey", pick(kTeams)}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::give_stack(const Person& caller) {
    if (!request(caller, "PUT", world_.project.route, world_.project.values, {},
                 {{"stackId", pick(world_.stacks).id()}}))
        return std::nullopt;
    return Taken{};
}

std::optional<Taken> GiftSteps::impersonate(const Person& caller) {
    const Person& person = pick(world_.users);
    const std::string route = "/auth/impersonate/{domainId}/{principalId}";
    if (!request(caller, "POST", route, {person.domain, person.id})) {
        // What is asked last is which token the new one stands for, and callers here have none.
        if (refusal_.find("the token in use has ended") == std::string::npos) return std::nullopt;
        ++succeeded()["POST " + route];
    }
    return Taken{{person.key()}, {}};
}

std::optional<Taken> GiftSteps::change_password(const Person& caller) {
    const Person& person = pick(world_.users);
    const bool is_by_user = below(2) == 0;
    const bool is_done =
        is_by_user ? request(caller, "PUT", kPrincipal, {person.domain, person.id}, {},
                             {{"name", person.session->principal.name}, {"password", "taken over"}})
                   : request(caller, "POST", person.identity.route + "/changepassword",
                             person.identity.values, {},
                             {{"password", "taken over"}, {"verifyPassword", "taken over"}});
    return is_done ? std::optional<Taken>(Taken{{person.key()}, {}}) : std::nullopt;
}

std::optional<Taken> GiftSteps::use_grant(const Person& caller) {
    const std::size_t kind = below(3);
    const std::size_t wanted = below(world_.users.size());
    const Person& person = world_.users[wanted];
    if (kind == 0) {
        if (!request(caller, "GET", world_.grant.route, world_.grant.values, {{"full", "true"}}))
            return std::nullopt;
        if (!reply_.contains("secret")) return std::nullopt;
        return Taken{{world_.users[world_.grant_owner].key()}, {}};
    }
    const sdk::Json body = {{"principalDomainId", person.domain},
                            {"principalId", person.id},
                            {"allowOpenDriverAuthentication", true}};
    const bool is_done =
        kind == 1 ? request(caller, "PUT", world_.grant.route, world_.grant.values, {}, body)
                  : request(caller, "POST", "/auth/grants", {}, {}, body);
    if (!is_done) return std::nullopt;
    if (kind == 1) world_.grant_owner = wanted;
    return Taken{{person.key()}, {}};
}

std::optional<Taken> GiftSteps::link_identity(const Person& caller) {
    const Person& person = pick(world_.users);
    if (!request(caller, "POST", kPrincipals, {world_.domain}, {},
                 {{"type", "USER"},
                  {"name", new_name()},
                  {"directoryId", person.identity.values[0]},
                  {"identityId", person.identity.values[1]}}))
        return std::nullopt;
    return Taken{
        {}, {server_.key_of({"principal", world_.domain}, reply_.at("_doc").get<std::string>())}};
}

}  // namespace stele::kernel::gifts
