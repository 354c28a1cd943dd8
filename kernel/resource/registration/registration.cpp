#include "kernel/resource/registration/registration.hpp"

#include <iterator>

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
                             sdk::ResourceDescriptor descriptor, KernelActions actions) {
    RegisteredResource family;
    family.kernel_actions = std::move(actions);
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

void append(KernelActions& actions, KernelActions more) {
    actions.insert(actions.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
}

/// Fields and operations that a family did not have to write.
KernelActions add_capabilities(sdk::ResourceDescriptor& descriptor) {
    KernelActions actions;
    if (descriptor.capabilities.data_store) {
        add_data_store_fields(descriptor);
        append(actions, data_store_actions(descriptor.type));
        descriptor.capabilities.teams = descriptor.capabilities.roles = true;
    }
    if (descriptor.capabilities.teams) append(actions, team_actions());
    if (descriptor.capabilities.roles) append(actions, role_actions());
    if (descriptor.capabilities.attachments && !descriptor.has_space)
        append(actions, attachment_actions(descriptor.type));
    return actions;
}

/// The platform has what other families ask for.
KernelActions platform_actions() {
    KernelActions actions = team_actions();
    append(actions, role_actions());
    append(actions, attachment_actions(kPlatformType));
    append(actions, tenant_attachment_actions());
    return actions;
}

}  // namespace

void add_kernel_families(Registry& registry) {
    auto platforms = std::make_unique<PlatformFamily>();
    sdk::ResourceDescriptor root = platforms->describe();
    registry.add(family_of("kernel", std::move(platforms), std::move(root), platform_actions()));
    auto activities = std::make_unique<ActivityFamily>();
    sdk::ResourceDescriptor log = activities->describe();
    RegisteredResource family = family_of("kernel", std::move(activities), std::move(log), {});
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
    KernelActions actions = add_capabilities(descriptor);
    registry.add(family_of(std::move(plugin_id), std::move(resource), std::move(descriptor),
                           std::move(actions)));
    return {};
}

sdk::Result<void> add_endpoint(Registry& registry, std::string plugin_id, sdk::Endpoint endpoint) {
    std::vector<std::string> paths{endpoint.path};
    paths.insert(paths.end(), endpoint.path_aliases.begin(), endpoint.path_aliases.end());
    auto checked =
        check_endpoint(plugin_id, endpoint.method, paths, static_cast<bool>(endpoint.run));
    if (!checked) return checked;
    registry.add({std::move(plugin_id), std::move(endpoint)});
    return {};
}

sdk::Result<void> freeze(Registry& registry, bool has_transfer) {
    if (!has_transfer) registry.switch_off_transfer();
    if (auto linked = registry.link(); !linked) return linked;
    std::vector<Route> routes;
    for (const RegisteredResource& resource : registry.resources()) {
        if (resource.descriptor.type == kPlatformType) continue;
        add_family_routes(resource, routes);
    }
    add_platform_routes(*registry.find(kPlatformType), routes);
    for (const RegisteredEndpoint& owned : registry.endpoints())
        add_endpoint_routes(owned.plugin_id, owned.endpoint, routes);
    registry.set_routes(std::move(routes));
    return {};
}

}  // namespace stele::kernel::resource
