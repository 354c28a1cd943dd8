#include "platform_owners.hpp"

#include "principal_lookup.hpp"

namespace stele::identity {

namespace {

sdk::Error last_owner(const std::string& message) {
    return sdk::make_error(sdk::ErrorKind::conflict, "principal.last_owner", message);
}

}  // namespace

sdk::Result<void> keep_an_owner(sdk::Context& context, const sdk::IsLeaving& is_leaving,
                                const std::string& message) {
    PrincipalLookup principals;
    auto is_kept = sdk::has_owner(context, principals, is_leaving);
    if (!is_kept) return is_kept.error();
    if (*is_kept) return {};
    // Where nobody owns the platform, nothing is lost.
    auto was_owned = sdk::has_owner(context, principals);
    if (!was_owned) return was_owned.error();
    if (!*was_owned) return {};
    return last_owner(message);
}

sdk::Result<void> require_an_owner(sdk::Context& context) {
    PrincipalLookup principals;
    auto is_owned = sdk::has_owner(context, principals);
    if (!is_owned) return is_owned.error();
    if (*is_owned) return {};
    return last_owner("the platform would have no owner without this member of the group");
}

}  // namespace stele::identity
