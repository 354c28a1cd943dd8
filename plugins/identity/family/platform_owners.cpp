#include "platform_owners.hpp"

#include "rights/principal_lookup.hpp"

namespace stele::identity {

namespace {

sdk::Error last_owner(const std::string& message) {
    return sdk::make_error(sdk::ErrorKind::conflict, "identity.principal_last_owner", message);
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

sdk::Result<void> leave_group(sdk::Context& context, const sdk::RecordKey& group,
                              const sdk::RecordKey& member) {
    PrincipalLookup principals;
    auto is_kept = sdk::keeps_owner(context, principals, group, [&] {
        return context.authorities().remove_member(group, member);
    });
    if (!is_kept) return is_kept.error();
    if (*is_kept) return {};
    return last_owner("the platform would have no owner without this member of the group");
}

}  // namespace stele::identity
