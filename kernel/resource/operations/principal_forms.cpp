#include "kernel/resource/operations/principal_forms.hpp"

#include "kernel/authority/removed_collections.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/record/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Error no_directory() {
    return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown",
                           "no enabled plugin knows principals");
}

/// A record in which principals live, or inside one, gives unqualified names their home.
std::string home_of(const RoutedCall& call, const sdk::PrincipalDirectory& directory) {
    const std::string_view home = directory.home_type();
    if (home.empty() || !call.route().resource) return {};
    const sdk::ResourceDescriptor& descriptor = call.route().resource->descriptor;
    if (descriptor.container == home) return call.collection().container;
    if (descriptor.type == home && !call.stored().sequence.empty()) return id_of(call.stored());
    return {};
}

}  // namespace

sdk::Result<sdk::Principal> find_principal(const RoutedCall& call, std::string_view form) {
    sdk::PrincipalDirectory* directory = call.services().principals;
    if (!directory) return no_directory();
    return plugin::guarded<sdk::Principal>("principal directory", "find", [&] {
        return directory->find(call.context(), form, home_of(call, *directory));
    });
}

sdk::Result<sdk::Principal> principal_parameter(const RoutedCall& call) {
    if (const std::string_view form = call.path("aclPrincipalId"); !form.empty())
        return find_principal(call, form);
    auto form = call.required_parameter("id");
    if (!form) return form.error();
    return find_principal(call, *form);
}

sdk::Result<sdk::Principal> describe_principal(const RoutedCall& call, const sdk::RecordKey& key) {
    sdk::PrincipalDirectory* directory = call.services().principals;
    if (!directory) return no_directory();
    // Whose domain was removed is gone before its own record is.
    auto removed = authority::RemovedCollections(call.work().transaction()).has(key);
    if (!removed) return removed.error();
    if (*removed) {
        return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown",
                               "there is no such principal");
    }
    return plugin::guarded<sdk::Principal>("principal directory", "describe", [&] {
        return directory->describe(call.context(), key);
    });
}

sdk::Result<bool> is_told_of(const RoutedCall& call, const sdk::RecordKey& principal) {
    const sdk::Principal& caller = call.context().principal();
    if (principal == caller.key || !call.services().principals) return true;
    auto guest = plugin::guarded<bool>("principal directory", "is_guest", [&] {
        return call.services().principals->is_guest(call.context(), caller);
    });
    if (!guest) return guest;
    return !*guest;
}

namespace {

/// Nobody has an empty key.
sdk::Result<sdk::Principal> only_if_told(const RoutedCall& call,
                                         sdk::Result<sdk::Principal> principal) {
    if (!principal && !sdk::is_missing(principal.error())) return principal;
    auto told = is_told_of(call, principal ? principal->key : sdk::RecordKey());
    if (!told) return told.error();
    if (*told) return principal;
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.guest_excluded",
                           "the guest is told of its own rights only");
}

}  // namespace

sdk::Result<sdk::Principal> find_told_principal(const RoutedCall& call, std::string_view form) {
    return only_if_told(call, find_principal(call, form));
}

sdk::Result<sdk::Principal> told_principal_parameter(const RoutedCall& call) {
    return only_if_told(call, principal_parameter(call));
}

}  // namespace stele::kernel::resource
