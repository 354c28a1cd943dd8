#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/principal_directory.hpp>

namespace stele::data_stores {

/// The user that `domainId` and `principalId` of a new tenant name: enabled, with a password of its
/// own, known to the caller. `invalid` naming the field otherwise.
sdk::Result<sdk::Document> find_owner(sdk::PrincipalDirectory& principals, sdk::Context& context,
                                      const sdk::Json& tenant);

/// Makes the platform of a new tenant: what every platform has, and the owner's copy, which is the
/// same person and logs in with the same password.
sdk::Result<sdk::PlatformScope> make_platform(sdk::Platforms& platforms, sdk::Context& context,
                                              const sdk::Document& tenant,
                                              std::string_view registrar_id,
                                              const sdk::Document& owner);

// On the tenant's platform:

/// The client that came with the platform, its secret among the fields.
sdk::Result<sdk::Json> default_client(sdk::Context& context);
/// The platform itself, its data stores, stacks and clients; of one type when it is given. Each row
/// says its `typeId` and `ref`.
sdk::Result<sdk::Json> platform_objects(sdk::Context& context, std::string_view type);
sdk::Result<sdk::Json> client_mappings(sdk::Context& context);

}  // namespace stele::data_stores
