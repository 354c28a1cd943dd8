#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>

#include "kernel/resource/registry/kernel_action.hpp"
#include "kernel/resource/registry/route.hpp"
#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::resource {

/// Type of the platform's root record, the container of all others.
inline constexpr char kPlatformType[] = "platform";

/// A family that a plugin added, with what follows from its descriptor.
struct RegisteredResource {
    std::string plugin_id;
    std::unique_ptr<sdk::Resource> resource;
    sdk::ResourceDescriptor descriptor;
    /// What its capabilities add, behind its own actions.
    KernelActions kernel_actions;
    storage::CollectionRules rules;
    std::vector<std::string> addressing_fields;
    /// Members of its records whose values stand in the path, in front of a record's id.
    std::vector<std::string> part_members;
    /// The container's family; null when the platform is the container.
    const RegisteredResource* container = nullptr;
    std::vector<const RegisteredResource*> contained;
    /// From the platform's level down to this one.
    std::vector<const RegisteredResource*> chain;
    std::string collection_path;
    std::string instance_path;
    /// The collection's paths with any of the families' other words, the one above not among them.
    std::vector<std::string> alias_paths;
    /// Behind a collection's path: the placeholder of a record.
    std::string item_segment() const { return "/{" + descriptor.placeholder + "}"; }
    /// Rights on the container decide about its records, too; such records have no references,
    /// because who follows one is asked for rights on the record.
    bool is_guarded_by_container = false;

    /// What a record says decides about rights on it, beside grants.
    bool has_own_rights() const { return descriptor.has_space || descriptor.is_ungranted; }
};

/// An endpoint that a plugin added.
struct RegisteredEndpoint {
    std::string plugin_id;
    sdk::Endpoint endpoint;
};

/// What plugins offer: families, endpoints, and the routes that lead to them. Filled while plugins
/// open (registration.hpp), then frozen; afterwards read by any thread.
class Registry {
public:
    /// Under its type, which no other has. Stays where it is.
    RegisteredResource& add(RegisteredResource family);
    const RegisteredEndpoint& add(RegisteredEndpoint endpoint) {
        return endpoints_.emplace_back(std::move(endpoint));
    }
    /// Links families to their containers, and derives their paths and words. Fails with
    /// `plugin.descriptor_incomplete` where one has no container that can hold it.
    sdk::Result<void> link();
    /// No family has export and import.
    void switch_off_transfer();
    void set_routes(std::vector<Route> routes) { routes_ = std::move(routes); }

    const RegisteredResource* find(std::string_view type) const;
    /// The family of a reference's type word, compared without regard to case.
    const RegisteredResource* find_reference_type(std::string_view word) const;
    /// The family in whose records lies what such references name
    /// (`ResourceDescriptor::inner_words`).
    const RegisteredResource* find_inner_word(std::string_view word) const;
    const std::deque<RegisteredResource>& resources() const { return resources_; }
    const std::deque<RegisteredEndpoint>& endpoints() const { return endpoints_; }
    const std::vector<Route>& routes() const { return routes_; }

private:
    sdk::Result<void> link_containers();
    void derive_paths(RegisteredResource& resource);

    std::deque<RegisteredResource> resources_;
    std::deque<RegisteredEndpoint> endpoints_;
    std::map<std::string, RegisteredResource*, std::less<>> by_type_;
    std::map<std::string, RegisteredResource*, std::less<>> by_reference_type_;
    std::map<std::string, RegisteredResource*, std::less<>> by_inner_word_;
    std::vector<Route> routes_;
};

}  // namespace stele::kernel::resource
