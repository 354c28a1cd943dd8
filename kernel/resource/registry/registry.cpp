#include "kernel/resource/registry/registry.hpp"

#include <fmt/format.h>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/letter_case.hpp>

namespace stele::kernel::resource {

bool Route::takes_pieces(std::string_view content_type) const {
    if (!has_streamed_body || body != sdk::BodyUse::record) return has_streamed_body;
    return sdk::media_essence(content_type) == "multipart/form-data";
}

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

RegisteredResource& Registry::add(RegisteredResource family) {
    RegisteredResource& added = resources_.emplace_back(std::move(family));
    by_type_[added.descriptor.type] = &added;
    return added;
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

sdk::Result<void> Registry::link() {
    if (auto linked = link_containers(); !linked) return linked;
    for (RegisteredResource& resource : resources_) {
        derive_paths(resource);
        if (!resource.is_guarded_by_container) add_reference_words(by_reference_type_, resource);
        for (const std::string& word : resource.descriptor.inner_words)
            by_inner_word_[sdk::lower_case(word)] = &resource;
    }
    return {};
}

void Registry::switch_off_transfer() {
    for (RegisteredResource& family : resources_)
        family.descriptor.operations.transfer = false;
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
