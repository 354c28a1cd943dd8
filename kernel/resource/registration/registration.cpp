#include "kernel/resource/registration/registration.hpp"

#include <fmt/format.h>

#include "kernel/resource/operations/attachment_operations.hpp"
#include "kernel/resource/operations/data_store_capability.hpp"
#include "kernel/resource/operations/role_operations.hpp"
#include "kernel/resource/operations/standard_routes.hpp"
#include "kernel/resource/operations/team_operations.hpp"
#include "kernel/resource/registry/activity_family.hpp"
#include "kernel/resource/registry/descriptor_check.hpp"
#include "kernel/resource/registry/platform_family.hpp"

namespace stele::kernel::resource {

namespace {

storage::CollectionRules rules_of(const sdk::ResourceDescriptor& descriptor) {
    storage::CollectionRules rules;
    for (const sdk::Field& field : descriptor.fields) {
        if (field.secret) continue;
        if (field.unique || field.addresses) rules.unique_fields.push_back(field.name);
        if (field.unindexed) rules.unindexed_fields.push_back(field.name);
    }
    rules.composite_indexes = descriptor.composite_indexes;
    rules.is_in_space = descriptor.has_space;
    return rules;
}

RegisteredResource family_of(std::string plugin_id, std::unique_ptr<sdk::Resource> resource,
                             sdk::ResourceDescriptor descriptor) {
    RegisteredResource family;
    family.plugin_id = std::move(plugin_id);
    family.resource = std::move(resource);
    family.rules = rules_of(descriptor);
    for (const sdk::Field& field : descriptor.fields) {
        if (field.addresses) family.addressing_fields.push_back(field.name);
    }
    family.part_members = placeholders_of(descriptor.path);
    family.descriptor = std::move(descriptor);
    return family;
}

/// Fields and operations that a family did not have to write.
void add_capabilities(sdk::ResourceDescriptor& descriptor) {
    if (descriptor.capabilities.data_store) {
        add_data_store(descriptor);
        descriptor.capabilities.teams = descriptor.capabilities.roles = true;
    }
    if (descriptor.capabilities.teams) add_teams(descriptor);
    if (descriptor.capabilities.roles) add_roles(descriptor);
    if (descriptor.capabilities.attachments && !descriptor.has_space) add_attachments(descriptor);
}

}  // namespace

void add_kernel_families(Registry& registry) {
    auto platforms = std::make_unique<PlatformFamily>();
    sdk::ResourceDescriptor root = platforms->describe();
    add_teams(root);
    add_roles(root);
    add_attachments(root);
    add_tenant_attachments(root);
    registry.add(family_of("kernel", std::move(platforms), std::move(root)));
    auto activities = std::make_unique<ActivityFamily>();
    sdk::ResourceDescriptor log = activities->describe();
    RegisteredResource family = family_of("kernel", std::move(activities), std::move(log));
    family.rules = activity_rules();
    family.is_guarded_by_container = true;
    registry.add(std::move(family));
}

sdk::Result<void> add_family(Registry& registry, std::string plugin_id,
                             std::unique_ptr<sdk::Resource> resource) {
    if (!resource) {
        return sdk::make_error(sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                               fmt::format("plugin {} added a resource that is null", plugin_id));
    }
    sdk::ResourceDescriptor descriptor = resource->describe();
    if (auto checked = check_descriptor(plugin_id, descriptor); !checked) return checked;
    if (const RegisteredResource* other = registry.find(descriptor.type)) {
        return sdk::make_error(
            sdk::ErrorKind::conflict, "plugin.type_duplicate",
            fmt::format("plugin {}: resource type {} belongs to plugin {} already", plugin_id,
                        descriptor.type, other->plugin_id));
    }
    add_capabilities(descriptor);
    registry.add(family_of(std::move(plugin_id), std::move(resource), std::move(descriptor)));
    return {};
}

sdk::Result<void> add_endpoint(Registry& registry, std::string plugin_id, sdk::Endpoint endpoint) {
    auto checked =
        check_endpoint(plugin_id, endpoint.method, endpoint.path, static_cast<bool>(endpoint.run));
    if (!checked) return checked;
    registry.add({std::move(plugin_id), std::move(endpoint)});
    return {};
}

sdk::Result<void> freeze(Registry& registry) {
    if (auto linked = registry.link(); !linked) return linked;
    std::vector<Route> routes;
    for (const RegisteredResource& resource : registry.resources()) {
        if (resource.descriptor.type == kPlatformType) continue;
        std::vector<std::string> collections{resource.collection_path};
        collections.insert(collections.end(), resource.alias_paths.begin(),
                           resource.alias_paths.end());
        for (const std::string& collection : collections) {
            add_standard_routes(resource, collection, routes);
            add_action_routes(resource, collection, routes);
        }
    }
    add_platform_routes(*registry.find(kPlatformType), routes);
    for (const RegisteredEndpoint& owned : registry.endpoints())
        routes.push_back(endpoint_route(owned.plugin_id, owned.endpoint));
    registry.set_routes(std::move(routes));
    return {};
}

}  // namespace stele::kernel::resource
