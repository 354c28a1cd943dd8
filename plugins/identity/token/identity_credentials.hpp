#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>

namespace stele::identity {

inline constexpr char kDirectoryType[] = "directory";
inline constexpr char kIdentityType[] = "identity";
/// Secret field of an identity: the Argon2id hash of the password.
inline constexpr char kPasswordHash[] = "passwordHash";

/// Whether the password fits the identity; false when it has none. Computes long either way, so
/// that a caller cannot tell from the time who exists.
bool fits_identity(const sdk::Document* identity, std::string_view password);

/// The identity that a user has, on whatever platform it lies; nothing for users without one.
sdk::Result<std::optional<sdk::Document>> identity_of_user(sdk::Context& context,
                                                           const sdk::RecordKey& user);
sdk::Result<bool> has_password(sdk::Context& context, const sdk::RecordKey& user);

/// Hashes and stores the password of an identity of the context's platform. Computes long.
sdk::Result<void> set_password(sdk::Context& context, std::string_view directory_id,
                               std::string_view identity_id, std::string_view password);

/// The identity of the ids on the context's platform or, failing that, on the root platform, where
/// the owners of tenants have theirs. `not_found` (`identity.unknown`) otherwise.
sdk::Result<sdk::RecordKey> find_identity(sdk::Context& context, std::uint64_t root_platform,
                                          std::string_view directory_id,
                                          std::string_view identity_id);

/// A user that an identity stands for.
struct IdentityUser {
    sdk::RecordKey principal;
    /// `_doc` of the user's platform.
    std::string platform_id;
};
/// The users of an identity, on all platforms.
sdk::Result<std::vector<IdentityUser>> users_of_identity(sdk::Context& context,
                                                         const sdk::RecordKey& identity);

}  // namespace stele::identity
