#include "kernel/resource/standard_routes.hpp"

#include <algorithm>

namespace stele::kernel::resource {

namespace {

const std::vector<sdk::Parameter>& page_parameters() {
    static const std::vector<sdk::Parameter> kParameters{
        {"sort", false}, {"skip", false}, {"limit", false}, {"options", false}, {"explain", false}};
    return kParameters;
}

sdk::Bounds bounds_of(const sdk::Fields& fields) {
    sdk::Bounds bounds;
    for (const sdk::Field& field : fields) {
        if (field.most > 0) bounds.push_back({field.name, field.most});
    }
    return bounds;
}

/// What is started can be waited for.
void add_schedule(Route& route) {
    const auto is_schedule = [](const sdk::Parameter& known) { return known.name == "schedule"; };
    const bool has_it = std::any_of(route.parameters.begin(), route.parameters.end(), is_schedule);
    if (!has_it && route.path.ends_with("/start")) route.parameters.push_back({"schedule", false});
}

class RouteList {
public:
    RouteList(const RegisteredResource* resource, std::string plugin_id, std::vector<Route>& routes)
        : resource_(resource), plugin_id_(std::move(plugin_id)), routes_(routes) {}

    Route& add(RouteKind kind, const char* method, std::string path, const char* operation,
               std::vector<sdk::Parameter> parameters = {}) {
        Route& route = routes_.emplace_back();
        route.method = method;
        route.path = std::move(path);
        route.kind = kind;
        route.plugin_id = plugin_id_;
        route.operation = operation;
        route.parameters = std::move(parameters);
        route.resource = resource_;
        route.placeholders = placeholders_of(route.path);
        return route;
    }

    Route& add_item(RouteKind kind, const char* method, std::string path, const char* operation,
                    std::vector<sdk::Parameter> parameters = {}) {
        Route& route = add(kind, method, std::move(path), operation, std::move(parameters));
        route.is_item = true;
        return route;
    }

    void add_bulk_checks(const std::string& path) {
        add(RouteKind::check_authorities, "POST", path + "/authorities/check",
            "check multiple authorities")
            .is_slow = true;
        add(RouteKind::check_permissions, "POST", path + "/permissions/check",
            "check multiple permissions")
            .is_slow = true;
    }

    void add_permission_routes(const std::string& item, const std::string& collection) {
        const std::vector<sdk::Parameter> id{{"id", true}};
        add_item(RouteKind::check_permission, "POST", item + "/permissions/{permissionId}/check",
                 "check permission", id);
        add_item(RouteKind::check_authority, "POST", item + "/authorities/{authorityId}/check",
                 "check single authority", id);
        add_bulk_checks(collection);
        add_item(RouteKind::grant, "POST", item + "/authorities/{authorityId}/grant",
                 "grant authority", id);
        add_item(RouteKind::revoke, "POST", item + "/authorities/{authorityId}/revoke",
                 "revoke authority", id)
            .is_urgent = true;
        Route& acl =
            add_item(RouteKind::acl, "GET", item + "/acl/list", "read ACL", page_parameters());
        acl.is_paged = acl.is_slow = true;
        std::vector<sdk::Parameter> of_principal = page_parameters();
        Route& by_path = add_item(RouteKind::acl_of_principal, "GET", item + "/acl/{principalId}",
                                  "read ACL for principal", of_principal);
        by_path.is_paged = by_path.is_slow = true;
        of_principal.insert(of_principal.begin(), id.begin(), id.end());
        Route& by_id = add_item(RouteKind::acl_of_principal, "GET", item + "/acl",
                                "read ACL for principal", of_principal);
        by_id.is_paged = by_id.is_slow = true;
        add_item(RouteKind::report, "POST", item + "/authorities", "authorities report").is_slow =
            true;
    }

private:
    const RegisteredResource* resource_;
    std::string plugin_id_;
    std::vector<Route>& routes_;
};

}  // namespace

void add_standard_routes(const RegisteredResource& resource, const std::string& collection,
                         std::vector<Route>& routes) {
    const std::string item = collection + resource.item_segment();
    const sdk::Operations& operations = resource.descriptor.operations;
    const std::size_t first = routes.size();
    RouteList list(&resource, resource.plugin_id, routes);
    if (operations.create) list.add(RouteKind::create, "POST", collection, "create");
    if (operations.list) {
        Route& route = list.add(RouteKind::list, "GET", collection, "list", page_parameters());
        route.is_paged = route.is_slow = true;
        for (const std::string& filter : resource.descriptor.list_filters) {
            route.parameters.push_back({filter, false});
        }
    }
    if (operations.query) {
        Route& route =
            list.add(RouteKind::query, "POST", collection + "/query", "query", page_parameters());
        route.is_paged = route.is_slow = true;
    }
    if (operations.read) list.add_item(RouteKind::read, "GET", item, "read");
    if (operations.update) {
        list.add_item(RouteKind::update, "PUT", item, "update");
        list.add_item(RouteKind::update, "POST", item + "/update", "update");
    }
    if (operations.remove) {
        list.add_item(RouteKind::remove, "DELETE", item, "delete");
        list.add_item(RouteKind::remove, "POST", item + "/delete", "delete");
    }
    if (operations.permissions) list.add_permission_routes(item, collection);
    const std::size_t container_end = collection.size() - resource.descriptor.path.size();
    // Other words for the path lead to the same container.
    if (resource.descriptor.checks_at_container && collection.ends_with(resource.descriptor.path))
        list.add_bulk_checks(collection.substr(0, container_end - 1));
    for (std::size_t i = first; i < routes.size(); ++i) {
        const RouteKind kind = routes[i].kind;
        const bool is_write =
            kind == RouteKind::create || kind == RouteKind::update || kind == RouteKind::remove;
        if (is_write) {
            routes[i].body = sdk::BodyUse::record;
            routes[i].bounds = bounds_of(resource.descriptor.fields);
        }
        if (kind == RouteKind::remove) routes[i].is_urgent = true;
        if (kind == RouteKind::query) routes[i].body = sdk::BodyUse::condition;
        if (is_write && resource.descriptor.slow_writes) routes[i].is_slow = true;
        if (kind == RouteKind::remove && !resource.contained.empty()) routes[i].is_slow = true;
    }
}

namespace {

/// What a path that ends so takes is a query, whoever serves it.
sdk::BodyUse body_use(sdk::BodyUse declared, bool is_paged, std::string_view path) {
    return is_paged && path.ends_with("/query") ? sdk::BodyUse::condition : declared;
}

Route action_route(const sdk::Action& action, const std::string& plugin_id,
                   const std::string& path) {
    Route route;
    route.method = action.method;
    route.path = action.name.empty() ? path : path + "/" + action.name;
    route.kind = RouteKind::action;
    route.plugin_id = plugin_id;
    route.operation = action.name.empty() ? action.method : action.name;
    route.action = &action;
    route.parameters = action.parameters;
    if (action.paged) {
        route.parameters.insert(route.parameters.end(), page_parameters().begin(),
                                page_parameters().end());
    }
    route.placeholders = placeholders_of(route.path);
    route.is_item = action.scope == sdk::ActionScope::item;
    route.is_paged = action.paged;
    route.has_streamed_body = action.streamed_body;
    // What fills pages may walk through a lot.
    route.is_slow = action.slow || action.paged || action.streamed_body;
    route.has_raw_body = route.may_have_json = action.raw_body;
    route.body = body_use(action.body, action.paged, route.path);
    route.bounds = action.bounds;
    route.has_own_tag = action.has_own_tag;
    route.is_urgent = action.urgent;
    add_schedule(route);
    return route;
}

}  // namespace

void add_action_routes(const RegisteredResource& resource, const std::string& collection,
                       std::vector<Route>& routes) {
    for (const sdk::Action& action : resource.descriptor.actions) {
        const bool is_item = action.scope == sdk::ActionScope::item;
        routes.push_back(action_route(action, resource.plugin_id,
                                      is_item ? collection + resource.item_segment() : collection));
        routes.back().resource = &resource;
    }
}

// The root has no path of its own, and no collection.
void add_platform_routes(const RegisteredResource& platform, std::vector<Route>& routes) {
    RouteList(nullptr, platform.plugin_id, routes).add_permission_routes("", "");
    for (const sdk::Action& action : platform.descriptor.actions)
        routes.push_back(action_route(action, platform.plugin_id, ""));
}

Route endpoint_route(const std::string& plugin_id, const sdk::Endpoint& endpoint) {
    Route route;
    route.method = endpoint.method;
    route.path = endpoint.path;
    route.kind = RouteKind::endpoint;
    route.plugin_id = plugin_id;
    route.operation = endpoint.title;
    route.endpoint = &endpoint;
    route.parameters = endpoint.parameters;
    if (endpoint.paged) {
        route.parameters.insert(route.parameters.end(), page_parameters().begin(),
                                page_parameters().end());
    }
    route.placeholders = placeholders_of(route.path);
    route.is_paged = endpoint.paged;
    route.is_slow = endpoint.slow || endpoint.paged;
    route.is_open = endpoint.access == sdk::EndpointAccess::open;
    route.has_raw_body = endpoint.raw_body;
    route.checks_credentials = endpoint.checks_credentials;
    route.is_urgent = endpoint.urgent || endpoint.checks_credentials;
    route.body = body_use(endpoint.body, endpoint.paged, route.path);
    route.bounds = endpoint.bounds;
    add_schedule(route);
    return route;
}

}  // namespace stele::kernel::resource
