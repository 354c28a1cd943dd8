#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Keeps the groups that stand behind teams. Published by the plugin that keeps principals; without
/// one there are no teams. Any thread.
class TeamGroups {
public:
    virtual ~TeamGroups();

    /// A group in the platform's primary domain that only its team changes. `name` is for people; a
    /// taken one is altered. `not_found` (`team.domain_missing`) while there is no primary domain.
    virtual Result<Principal> create(Context& context, std::string_view name) = 0;
    /// With its memberships and grants. Harmless when it is gone.
    virtual Result<void> remove(Context& context, const RecordKey& group) = 0;
};

}  // namespace stele::sdk
