#include "kernel/resource/registry.hpp"

#include <fmt/format.h>

#include <stele/sdk/letter_case.hpp>

#include "kernel/resource/activity_family.hpp"
#include "kernel/resource/data_store_family.hpp"
#include "kernel/resource/descriptor_check.hpp"
#include "kernel/resource/operations/attachment_operations.hpp"
#include "kernel/resource/operations/role_operations.hpp"
#include "kernel/resource/operations/team_operations.hpp"
#include "kernel/resource/platform_family.hpp"
#include "kernel/resource/standard_routes.hpp"

namespace stele::kernel::resource {

std::vector<std::string> placeholders_of(std::string_view path) {
    std::vector<std::string> names;
    std::size_t begin = 0;
    while ((begin = path.find('{', begin)) != std::string_view::npos) {
        const std::size_t end = path.find('}', begin);
        if (end == std::string_view::npos) break;
        names.emplace_back(path.substr(begin + 1, end - begin - 1));
        begin = end;
    }
    return names;
}

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

}  // namespace

Registry::Registry() {
    RegisteredResource& platform = resources_.emplace_back();
    platform.plugin_id = "kernel";
    platform.resource = std::make_unique<PlatformFamily>();
    platform.descriptor = platform.resource->describe();
    add_teams(platform.descriptor);
    add_roles(platform.descriptor);
    add_attachments(platform.descriptor);
    add_tenant_attachments(platform.descriptor);
    platform.rules = rules_of(platform.descriptor);
    by_type_[platform.descriptor.type] = &platform;
    RegisteredResource& activities = resources_.emplace_back();
    activities.plugin_id = "kernel";
    activities.resource = std::make_unique<ActivityFamily>();
    activities.descriptor = activities.resource->describe();
    activities.rules = activity_rules();
    activities.is_guarded_by_container = true;
    by_type_[activities.descriptor.type] = &activities;
}

Registry::~Registry() = default;

sdk::Result<void> Registry::add(std::string plugin_id, std::unique_ptr<sdk::Resource> resource) {
    if (!resource) {
        return sdk::make_error(sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                               fmt::format("plugin {} added a resource that is null", plugin_id));
    }
    sdk::ResourceDescriptor descriptor = resource->describe();
    if (auto checked = check_descriptor(plugin_id, descriptor); !checked) return checked;
    if (const RegisteredResource* other = find(descriptor.type)) {
        return sdk::make_error(
            sdk::ErrorKind::conflict, "plugin.type_duplicate",
            fmt::format("plugin {}: resource type {} belongs to plugin {} already", plugin_id,
                        descriptor.type, other->plugin_id));
    }
    if (descriptor.capabilities.data_store) {
        add_data_store(descriptor);
        descriptor.capabilities.teams = descriptor.capabilities.roles = true;
    }
    if (descriptor.capabilities.teams) add_teams(descriptor);
    if (descriptor.capabilities.roles) add_roles(descriptor);
    if (descriptor.capabilities.attachments && !descriptor.has_space) add_attachments(descriptor);
    RegisteredResource& added = resources_.emplace_back();
    added.plugin_id = std::move(plugin_id);
    added.resource = std::move(resource);
    added.rules = rules_of(descriptor);
    for (const sdk::Field& field : descriptor.fields) {
        if (field.addresses) added.addressing_fields.push_back(field.name);
    }
    added.part_members = placeholders_of(descriptor.path);
    added.descriptor = std::move(descriptor);
    by_type_[added.descriptor.type] = &added;
    return {};
}

sdk::Result<void> Registry::add(std::string plugin_id, sdk::Endpoint endpoint) {
    auto checked =
        check_endpoint(plugin_id, endpoint.method, endpoint.path, static_cast<bool>(endpoint.run));
    if (!checked) return checked;
    endpoints_.push_back({std::move(plugin_id), std::move(endpoint)});
    return {};
}

sdk::Result<void> Registry::link_containers() {
    for (RegisteredResource& resource : resources_) {
        const std::string& type = resource.descriptor.container;
        if (type == kPlatformType) continue;
        const auto container = by_type_.find(type);
        if (container == by_type_.end()) {
            return sdk::make_error(
                sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                fmt::format("plugin {}: resource {}: its container {} is not offered by any "
                            "enabled plugin",
                            resource.plugin_id, resource.descriptor.type, type));
        }
        if (container->second->descriptor.has_space) {
            return sdk::make_error(
                sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                fmt::format("plugin {}: resource {}: records of {} lie in a space and contain none",
                            resource.plugin_id, resource.descriptor.type, type));
        }
        if (!container->second->part_members.empty()) {
            return sdk::make_error(
                sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                fmt::format("plugin {}: resource {}: the path of {} has placeholders of its own, "
                            "and its records contain none",
                            resource.plugin_id, resource.descriptor.type, type));
        }
        resource.container = container->second;
        container->second->contained.push_back(&resource);
    }
    for (RegisteredResource& resource : resources_) {
        for (const RegisteredResource* step = &resource; step; step = step->container) {
            resource.chain.insert(resource.chain.begin(), step);
            if (resource.chain.size() > 8) {
                return sdk::make_error(sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                                       fmt::format("plugin {}: resource {} contains itself",
                                                   resource.plugin_id, resource.descriptor.type));
            }
        }
    }
    return {};
}

void Registry::derive_paths(RegisteredResource& resource) {
    // The path itself comes first.
    std::vector<std::string> containers{""};
    std::vector<std::string> collections;
    for (const RegisteredResource* step : resource.chain) {
        collections.clear();
        for (const std::string& container : containers) {
            collections.push_back(container + "/" + step->descriptor.path);
            for (const std::string& alias : step->descriptor.path_aliases)
                collections.push_back(container + "/" + alias);
        }
        containers = collections;
        for (std::string& container : containers)
            container += step->item_segment();
    }
    resource.collection_path = collections.front();
    resource.instance_path = containers.front();
    resource.alias_paths.assign(collections.begin() + 1, collections.end());
}

namespace {

void add_reference_words(std::map<std::string, RegisteredResource*, std::less<>>& words,
                         RegisteredResource& resource) {
    words[sdk::lower_case(resource.descriptor.type)] = &resource;
    for (const std::string& word : resource.descriptor.reference_words)
        words[sdk::lower_case(word)] = &resource;
    const std::string& member = resource.descriptor.reference_type_member;
    for (const sdk::Field& field : resource.descriptor.fields) {
        if (member.empty() || field.name != member) continue;
        for (const std::string& value : field.one_of)
            words[sdk::lower_case(value)] = &resource;
    }
}

}  // namespace

sdk::Result<void> Registry::freeze() {
    if (auto linked = link_containers(); !linked) return linked;
    for (RegisteredResource& resource : resources_) {
        derive_paths(resource);
        if (!resource.is_guarded_by_container) add_reference_words(by_reference_type_, resource);
        for (const std::string& word : resource.descriptor.inner_words)
            by_inner_word_[sdk::lower_case(word)] = &resource;
        if (resource.descriptor.type == kPlatformType) continue;
        add_standard_routes(resource, resource.collection_path, routes_);
        add_action_routes(resource, resource.collection_path, routes_);
        for (const std::string& alias : resource.alias_paths) {
            add_standard_routes(resource, alias, routes_);
            add_action_routes(resource, alias, routes_);
        }
    }
    add_platform_routes(*find(kPlatformType), routes_);
    for (const OwnedEndpoint& owned : endpoints_) {
        routes_.push_back(endpoint_route(owned.plugin_id, owned.endpoint));
    }
    return {};
}

const RegisteredResource* Registry::find(std::string_view type) const {
    const auto found = by_type_.find(type);
    return found == by_type_.end() ? nullptr : found->second;
}

const RegisteredResource* Registry::find_inner_word(std::string_view word) const {
    const auto found = by_inner_word_.find(sdk::lower_case(word));
    return found == by_inner_word_.end() ? nullptr : found->second;
}

const RegisteredResource* Registry::find_reference_type(std::string_view word) const {
    const auto found = by_reference_type_.find(sdk::lower_case(word));
    return found == by_reference_type_.end() ? nullptr : found->second;
}

}  // namespace stele::kernel::resource
