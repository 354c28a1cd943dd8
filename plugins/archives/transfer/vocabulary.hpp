#pragma once

#include <string_view>

/// Types that transfers treat in a way of their own.
namespace stele::archives {

inline constexpr char kPlatform[] = "platform";
inline constexpr char kRepository[] = "repository";
inline constexpr char kBranch[] = "branch";
/// What each repository comes with.
inline constexpr char kMaster[] = "master";
inline constexpr char kNode[] = "node";
inline constexpr char kAssociation[] = "association";
inline constexpr char kDomain[] = "domain";
inline constexpr char kGroup[] = "group";
inline constexpr char kVault[] = "vault";
inline constexpr char kAccessPolicy[] = "accessPolicy";

/// Whether records of the type are content of branches.
inline bool is_content(std::string_view type) {
    return type == kNode || type == kAssociation;
}

/// Among the targets of a policy, beside the types of principals.
inline constexpr char kTeam[] = "TEAM";

/// Beside the record of a branch: what its nodes' own `acl.json` cannot say.
inline constexpr char kGrantsFile[] = "grants.json";
/// Beside the record of an archive.
inline constexpr char kZipFile[] = "archive.zip";
/// Beside a record, of what its secrets are, sealed.
inline constexpr char kSecretsFile[] = "secrets.json";

}  // namespace stele::archives
