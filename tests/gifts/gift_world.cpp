#include "tests/gifts/gift_world.hpp"

namespace stele::kernel::gifts {

namespace {

const char* const kRoles[] = {"connector",    "consumer", "contributor", "editor",
                              "collaborator", "manager",  "manager"};

}  // namespace

GiftWorld::GiftWorld(std::mt19937& random) : random_(&random) {
    const Place own = make("/domains", {}, {"domain", ""}, {{"title", "own"}});
    domain = own.id();
    places.push_back({"", {}, server_.platform().root, true});
    places.push_back({"/domains/{domainId}", {domain}, own.key, true});
    for (const char* name : {"ann", "bob", "cid", "dot", "boss"})
        make_user(name);
    keeper = make_person("keeper");
    for (const char* name : {"reds", "blues", "greens"}) {
        groups.push_back(make("/domains/{domainId}/principals", {domain}, {"principal", domain},
                              {{"type", "GROUP"}, {"name", name}}));
        groups.back().route = "/domains/{domainId}/principals/{principalId}";
        places.push_back(groups.back());
        principals.push_back(groups.back().key);
        forms.push_back(domain + "/" + groups.back().id());
    }
    make_places();
    make_policies();
    make_ghost();
    open_vault();
    for (const Place& place : places)
        records.push_back(place.key);
}

void GiftWorld::deal(std::mt19937& random) {
    random_ = &random;
    give_rights();
    set_focus();
    if (below(4) == 0) hold_down();
}

/// A policy of a group takes from a member what another one gives it; the first user changes the
/// group.
void GiftWorld::hold_down() {
    const Place& group = groups[1];
    const Person& member = users[1 + below(actor_count() - 1)];
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        sdk::Authorities& authorities = context.authorities();
        auto done = authorities.add_member(group.key, member.key(), sdk::PrincipalKind::user);
        if (!done) return done;
        return authorities.grant(group.key, users.front().key(), "editor");
    });
    const auto assign = [&](const Place& policy, const std::string& reference) {
        server_.as_system("POST", "/access/policies/{accessPolicyId}/assign", policy.values,
                          {{"ref", reference}});
    };
    assign(policies[below(2)], reference(member.id, false));
    assign(policies[2 + below(2)], reference(group.id(), true));
}

/// Steps that lead somewhere only together are rare where everything is chance.
void GiftWorld::set_focus() {
    const std::vector<Place> candidates{places[0], places[0], places[1], stores[0],
                                        stores[2], stack,     stack};
    focus = candidates[below(candidates.size())];
    crew = "crew" + users.front().id;
    server_.as_system("POST", focus.route + "/teams", focus.values, {{"key", crew}});
    if (below(2) == 0) {
        server_.as_system("POST", focus.route + "/teams/{teamKey}/members/add",
                          with(focus.values, crew), {{"id", users.front().form()}});
    }
    server_.work([this](sdk::Context& context) -> sdk::Result<void> {
        sdk::Authorities& authorities = context.authorities();
        const sdk::RecordKey& first = users.front().key();
        const bool is_deep = focus.key == stack.key && below(2) == 0;
        auto done = authorities.grant(focus.key, first, "manager", is_deep);
        if (done && below(2) == 0)
            done = authorities.grant(policies.front().key, first, "consumer");
        if (done && below(3) == 0) {
            const Person& ward = users[1 + below(users.size() - 1)];
            done = authorities.grant(ward.key(), first, "owner");
            if (done) done = authorities.grant(ward.identity.key, first, "manager");
        }
        return done;
    });
}

Place GiftWorld::make(const std::string& route, std::vector<std::string> values,
                      const sdk::CollectionName& collection, sdk::Json fields) {
    const sdk::Json made = server_.as_system("POST", route, values, {}, std::move(fields));
    Place place{route, std::move(values), {}, false};
    place.values.push_back(made.at("_doc").get<std::string>());
    place.key = server_.key_of(collection, place.id());
    return place;
}

Person GiftWorld::make_person(const std::string& name) {
    const Place user = make("/domains/{domainId}/principals", {domain}, {"principal", domain},
                            {{"type", "USER"}, {"name", name}});
    Person person{server_.session_of(domain, user.id()), domain, user.id(), {}};
    const sdk::Json fields = server_.as_system(
        "GET", "/domains/{domainId}/principals/{principalId}", {domain, user.id()});
    const std::string directory = fields.at("directoryId").get<std::string>();
    const std::string identity = fields.at("identityId").get<std::string>();
    person.identity = {"/directories/{directoryId}/identities/{identityId}",
                       {directory, identity},
                       server_.key_of({"identity", directory}, identity),
                       false};
    return person;
}

void GiftWorld::make_user(const std::string& name) {
    Person person = make_person(name);
    places.push_back(
        {"/domains/{domainId}/principals/{principalId}", {domain, person.id}, person.key(), false});
    places.push_back(person.identity);
    principals.push_back(person.key());
    forms.push_back(person.form());
    users.push_back(std::move(person));
}

void GiftWorld::make_ghost() {
    const Place other = make("/domains", {}, {"domain", ""}, {{"title", "of the ghost"}});
    ghost = make("/domains/{domainId}/principals", {other.id()}, {"principal", other.id()},
                 {{"type", "USER"}, {"name", "ghost"}})
                .key;
    server_.work([this](sdk::Context& context) -> sdk::Result<void> {
        sdk::Authorities& authorities = context.authorities();
        for (const Place& place : places) {
            if (below(3) != 0) continue;
            if (auto done = authorities.grant(place.key, ghost, "connector"); !done) return done;
        }
        return authorities.add_member(groups[1 + below(2)].key, ghost, sdk::PrincipalKind::user);
    });
}

/// Everybody may keep archives, so that it is by their sources that exports are refused.
void GiftWorld::open_vault() {
    vault = server_.key_of({"vault", ""}, "default");
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        for (const Person& user : users) {
            auto done = context.authorities().grant(vault, user.key(), "contributor");
            if (!done) return done;
        }
        return context.authorities().grant(places.front().key, keeper.key(), "owner", true);
    });
}

void GiftWorld::make_places() {
    const auto store = [this](const std::string& path, const std::string& type,
                              const std::string& inner_path, const std::string& inner) {
        Place one = make("/" + path, {}, {type, ""}, {{"title", "store"}});
        one.route = "/" + path + "/{" + type + "Id}";
        one.has_teams = true;
        Place inside = make(one.route + "/" + inner_path, one.values, {inner, one.id()},
                            {{"title", "inside"}});
        inside.route += "/{" + inner + "Id}";
        stores.push_back(one);
        places.push_back(one);
        places.push_back(inside);
    };
    store("webhosts", "webhost", "pages", "page");
    store("webhosts", "webhost", "pages", "page");
    store("repositories", "repository", "drawers", "drawer");
    stack = make("/stacks", {}, {"stack", ""}, {{"title", "stack"}});
    stack.route = "/stacks/{stackId}";
    stack.has_teams = true;
    places.push_back(stack);
    Place projects_stack = make("/stacks", {}, {"stack", ""}, {{"title", "of the project"}});
    projects_stack.route = stack.route;
    projects_stack.has_teams = true;
    places.push_back(projects_stack);
    stacks = {stack, projects_stack};
    project = make("/projects", {}, {"project", ""}, {{"stackId", projects_stack.id()}});
    project.route = "/projects/{projectId}";
    places.push_back(project);
    const std::string directory = users.front().identity.values.front();
    places.push_back({"/directories/{directoryId}",
                      {directory},
                      server_.key_of({"directory", ""}, directory),
                      true});
    grant_owner = below(users.size());
    grant = make("/auth/grants", {}, {"authenticationGrant", ""},
                 {{"principalDomainId", domain}, {"principalId", users[grant_owner].id}});
    grant.route = "/auth/grants/{authenticationGrantId}";
    places.push_back(grant);
    client = make("/clients", {}, {"client", ""}, {{"title", "app"}});
    client.route = "/clients/{clientId}";
    places.push_back(client);
}

void GiftWorld::make_policies() {
    const char* const shapes[][2] = {
        {"grant", "manager"}, {"grant", "consumer"}, {"revoke", "consumer"}, {"revoke", "manager"}};
    for (const auto& [action, role] : shapes) {
        sdk::Json statement = {{"action", action}, {"roles", {role}}};
        if (below(3) == 0) {
            statement["conditions"] = {
                {{"type", "type"}, {"config", {{"type", "^(webhost|page|group).*"}}}}};
        }
        sdk::Json policy = {{"statements", {statement}}, {"order", 1 + below(9)}};
        if (action == std::string_view("grant") && below(2) == 0) policy["scope"] = "project";
        policies.push_back(make("/access/policies", {}, {"accessPolicy", ""}, std::move(policy)));
        policies.back().route = "/access/policies/{accessPolicyId}";
        places.push_back(policies.back());
    }
}

std::string GiftWorld::reference(const std::string& id, bool is_group) const {
    return (is_group ? "group://" : "user://") + server_.platform().id + "/" + domain + "/" + id;
}

void GiftWorld::give_rights() {
    // By grants as the server makes them: a grant of a team is a deep one.
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        sdk::Authorities& authorities = context.authorities();
        for (std::size_t i = 0; i < actor_count(); ++i) {
            // The last one has less than others at times, so that they may act as it.
            const std::size_t least = i + 1 < actor_count() ? 1 : 0;
            for (std::size_t n = least + below(4); n > 0; --n) {
                auto done = authorities.grant(places[below(places.size())].key, users[i].key(),
                                              kRoles[below(std::size(kRoles))], below(4) == 0);
                if (!done) return done;
            }
        }
        const sdk::RecordKey& powerful = below(2) == 0 ? users.back().key() : groups.front().key;
        if (auto done = authorities.grant(places.front().key, powerful, "owner"); !done)
            return done;
        for (std::size_t n = below(4); n > 0; --n) {
            const bool is_owner = below(2) == 0;
            auto done = authorities.grant(
                places[below(places.size())].key, groups[1 + below(groups.size() - 1)].key,
                is_owner ? "owner" : kRoles[below(std::size(kRoles))], below(3) == 0);
            if (!done) return done;
        }
        for (std::size_t n = below(3); n > 0; --n) {
            auto done =
                authorities.add_member(groups[1 + below(2)].key, users[below(users.size())].key(),
                                       sdk::PrincipalKind::user);
            if (!done) return done;
        }
        return {};
    });
    for (std::size_t n = below(3); n > 0; --n) {
        const bool is_group = below(2) == 0;
        const std::string id = is_group ? groups[1 + below(2)].id() : users[below(4)].id;
        server_.as_system("POST", "/access/policies/{accessPolicyId}/assign",
                          policies[below(policies.size())].values,
                          {{"ref", reference(id, is_group)}});
    }
    if (below(2) == 0) {
        server_.as_system("POST", "/stacks/{stackId}/datastores/assign", stack.values,
                          {{"type", "webhost"}, {"id", stores[0].id()}, {"key", "first"}});
    }
}

sdk::PermissionSet GiftWorld::permissions(const sdk::Reader& reader,
                                          const sdk::RecordKey& principal,
                                          const sdk::RecordKey& record) const {
    auto held = server_.services().authorities.permissions(reader, principal, record);
    if (!held && sdk::is_missing(held.error())) return {};
    return value_of(std::move(held));
}

bool GiftWorld::is_gone(const sdk::RecordKey& record) const {
    bool is_gone = false;
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        const auto reference = context.reference(record);
        is_gone = !reference && sdk::is_missing(reference.error());
        return {};
    });
    return is_gone;
}

GiftWorld::Table GiftWorld::table() const {
    const auto reader = server_.services().engine->snapshot();
    Table table;
    for (const sdk::RecordKey& principal : principals) {
        for (const sdk::RecordKey& record : records)
            table[{principal, record}] = permissions(*reader, principal, record);
    }
    return table;
}

}  // namespace stele::kernel::gifts
