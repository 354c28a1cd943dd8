#include "kernel/resource/operations/standard_routes.hpp"

#include <algorithm>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/standard_operations.hpp"

namespace stele::kernel::resource {

namespace {

const std::vector<sdk::Parameter>& page_parameters() {
    using enum sdk::FieldKind;
    static const std::vector<sdk::Parameter> kParameters{{"sort", false, object},
                                                         {"skip", false, integer},
                                                         {"limit", false, integer},
                                                         {"options", false, object},
                                                         {"explain", false, boolean}};
    return kParameters;
}

sdk::Bounds bounds_of(const sdk::Fields& fields) {
    sdk::Bounds bounds;
    for (const sdk::Field& field : fields) {
        if (field.most > 0) bounds.push_back({field.name, field.most});
    }
    return bounds;
}

/// Those that the route does not know.
void add_parameters(Route& route, const std::vector<sdk::Parameter>& more) {
    for (const sdk::Parameter& parameter : more) {
        const bool is_known =
            std::any_of(route.parameters.begin(), route.parameters.end(),
                        [&](const sdk::Parameter& known) { return known.name == parameter.name; });
        if (!is_known) route.parameters.push_back(parameter);
    }
}

/// What is started can be waited for.
void add_schedule(Route& route) {
    if (!route.path.ends_with("/start")) return;
    add_parameters(route,
                   {{"schedule", false, sdk::FieldKind::text, {"ASYNCHRONOUS", "SYNCHRONOUS"}}});
}

/// How much a reply with records says of them (docs/reference/http.md).
void add_reply_parameters(Route& route) {
    const StandardOperation& operation = *route.standard;
    const bool is_list = operation.run == &list_records || operation.run == &query_records;
    const bool is_read = operation.run == &read_record;
    if (!is_list && !is_read && !operation.takes_record()) return;
    if (!is_read) route.parameters.push_back({"full", false, sdk::FieldKind::boolean});
    route.parameters.push_back({"metadata", false, sdk::FieldKind::boolean});
}

/// Of records of a family.
Route standard_route(const StandardOperation& operation, const std::string& below,
                     const RegisteredResource& family,
                     const sdk::OperationPermissions& permissions) {
    Route route;
    route.method = operation.method;
    route.path = below + operation.path;
    route.plugin_id = family.plugin_id;
    route.operation = operation.title;
    route.standard = &operation;
    route.run = operation.run;
    route.guard = operation.is_item() ? Guard::record : Guard::container;
    route.permission = permissions.*operation.permission;
    route.parameters = operation.traits.parameters;
    if (operation.traits.paged) add_parameters(route, page_parameters());
    add_reply_parameters(route);
    route.placeholders = placeholders_of(route.path);
    route.is_item = operation.is_item();
    route.is_paged = operation.traits.paged;
    // What fills pages may walk through a lot.
    route.is_slow = operation.traits.slow || operation.traits.paged;
    route.is_urgent = operation.traits.urgent;
    route.body = operation.traits.body;
    if (operation.traits.takes) route.takes = operation.traits.takes(family.descriptor.type);
    route.answers = operation.answers(family.descriptor.type);
    return route;
}

void fit_create(Route& route, const sdk::Creating& creating) {
    add_parameters(route, creating.parameters);
    route.takes_array = creating.most > 0;
    const bool makes_many = creating.most > 0 || creating.takes_forms;
    if (creating.most > 0)
        route.takes = sdk::shape::either({route.takes, sdk::shape::array(route.takes)});
    if (makes_many) {
        const std::string& type = route.resource->descriptor.type;
        const sdk::Shape page = sdk::shape::page(sdk::shape::record(type));
        route.answers = sdk::shape::either({route.answers, page});
    }
    if (creating.takes_forms) route.has_streamed_body = route.is_slow = true;
}

void fit_list(Route& route, const sdk::ResourceDescriptor& descriptor) {
    for (const std::string& filter : descriptor.list_filters)
        add_parameters(route, {{filter}});
    if (descriptor.listing.takes_query) add_parameters(route, {{"query"}});
    add_parameters(route, descriptor.listing.parameters);
}

/// Those on which the family passes records through a hook.
void add_presenting_parameters(Route& route, const std::vector<std::string>& names) {
    const auto run = route.standard->run;
    if (run != &list_records && run != &query_records && run != &read_record) return;
    for (const std::string& name : names)
        add_parameters(route, {{name}});
}

/// What follows from the family that the operation is of.
void fit_to_family(Route& route, const RegisteredResource& resource) {
    const StandardOperation& operation = *route.standard;
    const sdk::ResourceDescriptor& descriptor = resource.descriptor;
    route.resource = &resource;
    if (operation.run == &read_record) {
        if (resource.is_guarded_by_container) route.guard = Guard::container;
        add_parameters(route, descriptor.reading.parameters);
    }
    if (operation.run == &list_records) fit_list(route, descriptor);
    add_presenting_parameters(route, descriptor.presented_by);
    if (!operation.writes_record()) return;
    route.bounds = bounds_of(descriptor.fields);
    if (descriptor.slow_writes || (operation.removes() && !resource.contained.empty()))
        route.is_slow = true;
    if (operation.run == &create_record) fit_create(route, descriptor.creating);
}

}  // namespace

void add_standard_routes(const RegisteredResource& resource, const std::string& collection,
                         std::vector<Route>& routes) {
    const sdk::ResourceDescriptor& descriptor = resource.descriptor;
    const auto add = [&](const StandardOperation& operation, const std::string& below) {
        routes.push_back(standard_route(operation, below, resource, descriptor.permissions));
        fit_to_family(routes.back(), resource);
    };
    const std::string item = collection + resource.item_segment();
    for (const StandardOperation& operation : standard_operations()) {
        if (!(descriptor.operations.*operation.offered)) continue;
        add(operation, operation.is_item() ? item : collection);
        if (!operation.queries()) continue;
        for (const std::string& alias : descriptor.querying.aliases) {
            add(operation, collection);
            routes.back().path = collection + "/" + alias;
        }
    }
    // Other words for the path lead to the same container.
    if (!descriptor.checks_at_container || !collection.ends_with(descriptor.path)) return;
    const std::string container =
        collection.substr(0, collection.size() - descriptor.path.size() - 1);
    for (const StandardOperation& operation : standard_operations()) {
        if (!operation.traits.bulk_check) continue;
        add(operation, container);
        routes.back().alias_of = resource.collection_path + operation.path;
    }
}

namespace {

/// What a path that ends so takes is a query, whoever serves it.
sdk::BodyUse body_use(sdk::BodyUse declared, bool is_paged, std::string_view path) {
    return is_paged && path.ends_with("/query") ? sdk::BodyUse::condition : declared;
}

/// All but what runs it.
Route action_route(const sdk::Action& action, const std::string& plugin_id,
                   const std::string& path) {
    Route route;
    route.method = action.method;
    route.path = action.name.empty() ? path : path + "/" + action.name;
    route.plugin_id = plugin_id;
    route.operation = action.name.empty() ? action.method : action.name;
    route.permission = action.permission;
    route.parameters = action.parameters;
    if (action.paged) add_parameters(route, page_parameters());
    route.placeholders = placeholders_of(route.path);
    route.is_item = action.scope == sdk::ActionScope::item;
    route.guard = route.is_item ? Guard::record : Guard::container;
    route.is_paged = action.paged;
    route.has_streamed_body = action.streamed_body;
    // What fills pages may walk through a lot.
    route.is_slow = action.slow || action.paged || action.streamed_body;
    route.has_raw_body = route.may_have_json = action.raw_body;
    route.takes_array = action.array_body || action.raw_body;
    route.body = body_use(action.body, action.paged, route.path);
    route.bounds = action.bounds;
    route.has_own_tag = action.has_own_tag;
    route.is_urgent = action.urgent;
    route.takes = action.takes;
    route.answers = action.answers;
    add_schedule(route);
    return route;
}

/// Of an action that the family declares, which runs it, also where the family is the root.
Route family_action_route(const sdk::Action& action, const RegisteredResource& family,
                          const std::string& path) {
    Route route = action_route(action, family.plugin_id, path);
    // What one of them does to a record may be as long as an update.
    if (family.descriptor.slow_writes && action.method != "GET") route.is_slow = true;
    route.run = [&action, &family, title = route.operation](RoutedCall& call) {
        return plugin::guarded<sdk::Reply>(family.plugin_id, title,
                                           [&] { return action.run(*family.resource, call); });
    };
    return route;
}

Route capability_route(const KernelAction& action, const RegisteredResource& family,
                       const std::string& path) {
    Route route = action_route({.name = action.name,
                                .method = action.method,
                                .permission = action.permission,
                                .parameters = action.parameters,
                                .paged = action.is_paged,
                                .slow = action.is_slow,
                                .streamed_body = action.has_streamed_body,
                                .body = action.body,
                                .has_own_tag = action.has_own_tag,
                                .urgent = action.is_urgent,
                                .takes = action.takes,
                                .answers = action.answers},
                               family.plugin_id, path);
    route.run = action.run;
    return route;
}

}  // namespace

void add_action_routes(const RegisteredResource& resource, const std::string& collection,
                       std::vector<Route>& routes) {
    const std::string item = collection + resource.item_segment();
    for (const sdk::Action& action : resource.descriptor.actions) {
        const bool is_item = action.scope == sdk::ActionScope::item;
        routes.push_back(family_action_route(action, resource, is_item ? item : collection));
        routes.back().resource = &resource;
    }
    for (const KernelAction& action : resource.kernel_actions) {
        routes.push_back(capability_route(action, resource, item));
        routes.back().resource = &resource;
    }
}

void add_family_routes(const RegisteredResource& resource, std::vector<Route>& routes) {
    const auto add = [&](const std::string& collection) {
        add_standard_routes(resource, collection, routes);
        add_action_routes(resource, collection, routes);
    };
    add(resource.collection_path);
    for (const std::string& collection : resource.alias_paths) {
        const std::size_t first = routes.size();
        add(collection);
        for (auto route = routes.begin() + static_cast<std::ptrdiff_t>(first);
             route != routes.end(); ++route) {
            if (route->alias_of.empty()) {
                route->alias_of = resource.collection_path + route->path.substr(collection.size());
            }
        }
    }
}

// The root has no path of its own, and no collection.
void add_platform_routes(const RegisteredResource& platform, std::vector<Route>& routes) {
    for (const StandardOperation& operation : standard_operations()) {
        const bool is_offered = operation.offered == &sdk::Operations::permissions ||
                                (operation.transfers() && platform.descriptor.operations.transfer);
        if (is_offered) routes.push_back(standard_route(operation, "", platform, {}));
    }
    for (const sdk::Action& action : platform.descriptor.actions)
        routes.push_back(family_action_route(action, platform, ""));
    for (const KernelAction& action : platform.kernel_actions)
        routes.push_back(capability_route(action, platform, ""));
}

Route endpoint_route(const std::string& plugin_id, const sdk::Endpoint& endpoint) {
    Route route;
    route.method = endpoint.method;
    route.path = endpoint.path;
    route.plugin_id = plugin_id;
    route.operation = endpoint.title;
    route.run = [&endpoint, plugin_id](RoutedCall& call) {
        return plugin::guarded<sdk::Reply>(plugin_id, endpoint.title,
                                           [&] { return endpoint.run(call); });
    };
    route.guard = Guard::platform;
    route.permission = endpoint.permission;
    route.parameters = endpoint.parameters;
    if (endpoint.paged) add_parameters(route, page_parameters());
    route.placeholders = placeholders_of(route.path);
    route.is_paged = endpoint.paged;
    route.is_slow = endpoint.slow || endpoint.paged;
    route.is_open = endpoint.access == sdk::EndpointAccess::open;
    route.has_raw_body = endpoint.raw_body;
    // One that bounds an array takes one.
    route.takes_array =
        endpoint.raw_body || std::any_of(endpoint.bounds.begin(), endpoint.bounds.end(),
                                         [](const sdk::Bound& one) { return one.member.empty(); });
    route.checks_credentials = endpoint.checks_credentials;
    route.is_urgent = endpoint.urgent || endpoint.checks_credentials;
    route.body = body_use(endpoint.body, endpoint.paged, route.path);
    route.bounds = endpoint.bounds;
    route.takes = endpoint.takes;
    route.answers = endpoint.answers;
    add_schedule(route);
    return route;
}

void add_endpoint_routes(const std::string& plugin_id, const sdk::Endpoint& endpoint,
                         std::vector<Route>& routes) {
    const Route route = endpoint_route(plugin_id, endpoint);
    routes.push_back(route);
    for (const std::string& path : endpoint.path_aliases) {
        Route alias = route;
        alias.path = path;
        alias.alias_of = route.path;
        routes.push_back(std::move(alias));
    }
}

}  // namespace stele::kernel::resource
