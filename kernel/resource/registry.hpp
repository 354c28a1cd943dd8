#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>

#include "kernel/storage/document_store.hpp"

namespace stele::kernel::resource {

/// Type of the platform's root record, the container of all others.
inline constexpr char kPlatformType[] = "platform";

/// A family that a plugin added, with what follows from its descriptor.
struct RegisteredResource {
    std::string plugin_id;
    std::unique_ptr<sdk::Resource> resource;
    sdk::ResourceDescriptor descriptor;
    storage::CollectionRules rules;
    std::vector<std::string> addressing_fields;
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

enum class RouteKind : std::uint8_t {
    create,
    list,
    query,
    read,
    update,
    remove,
    check_permission,
    check_authority,
    check_permissions,
    check_authorities,
    grant,
    revoke,
    acl,
    acl_of_principal,
    report,
    action,
    endpoint,
};

/// One method at one path, and what it leads to.
struct Route {
    std::string method;
    std::string path;
    RouteKind kind = RouteKind::endpoint;
    std::string plugin_id;
    std::string operation;
    const RegisteredResource* resource = nullptr;
    const sdk::Action* action = nullptr;
    const sdk::Endpoint* endpoint = nullptr;
    std::vector<sdk::Parameter> parameters;
    /// Names of the placeholders in path order.
    std::vector<std::string> placeholders;
    /// The path addresses one record, not a collection.
    bool is_item = false;
    bool is_paged = false;
    /// Runs on a worker, whatever the engine.
    bool is_slow = false;
    /// Needs no token.
    bool is_open = false;
    bool has_raw_body = false;
    /// The body is read piece by piece.
    bool has_streamed_body = false;
    /// Nevertheless decoded where it is JSON.
    bool may_have_json = false;
    /// Callers prove here who they are.
    bool checks_credentials = false;
    /// Goes on when the disk is full, with what the store holds back for it.
    bool is_urgent = false;
    sdk::BodyUse body = sdk::BodyUse::parameters;
    sdk::Bounds bounds;
    /// What the path names has a tag of its own, which the handler compares with `If-Match`.
    bool has_own_tag = false;

    /// Whether the path is that of a record or lies below one, and the method may change something.
    bool may_change_record() const { return is_item && resource && method != "GET"; }
};

/// What plugins offer. Filled while plugins open, then frozen; afterwards read by any thread.
class Registry {
public:
    Registry();
    ~Registry();

    /// Checks the descriptor by itself (`plugin.descriptor_incomplete`, `plugin.type_duplicate`).
    sdk::Result<void> add(std::string plugin_id, std::unique_ptr<sdk::Resource> resource);
    sdk::Result<void> add(std::string plugin_id, sdk::Endpoint endpoint);

    /// Links families to their containers, derives all routes, and accepts nothing more.
    sdk::Result<void> freeze();

    const RegisteredResource* find(std::string_view type) const;
    /// The family of a reference's type word, compared without regard to case.
    const RegisteredResource* find_reference_type(std::string_view word) const;
    /// The family in whose records lies what such references name
    /// (`ResourceDescriptor::inner_words`).
    const RegisteredResource* find_inner_word(std::string_view word) const;
    const std::deque<RegisteredResource>& resources() const { return resources_; }
    const std::vector<Route>& routes() const { return routes_; }

private:
    sdk::Result<void> link_containers();
    void derive_paths(RegisteredResource& resource);

    struct OwnedEndpoint {
        std::string plugin_id;
        sdk::Endpoint endpoint;
    };

    std::deque<RegisteredResource> resources_;
    std::deque<OwnedEndpoint> endpoints_;
    std::map<std::string, RegisteredResource*, std::less<>> by_type_;
    std::map<std::string, RegisteredResource*, std::less<>> by_reference_type_;
    std::map<std::string, RegisteredResource*, std::less<>> by_inner_word_;
    std::vector<Route> routes_;
};

/// Names between braces, in order.
std::vector<std::string> placeholders_of(std::string_view path);

}  // namespace stele::kernel::resource
