#pragma once

/// Types that transfers treat in a way of their own.
namespace stele::archives {

inline constexpr char kPlatform[] = "platform";
inline constexpr char kRepository[] = "repository";
inline constexpr char kBranch[] = "branch";
/// What each repository comes with.
inline constexpr char kMaster[] = "master";
inline constexpr char kNode[] = "node";
inline constexpr char kAssociation[] = "association";
inline constexpr char kGroup[] = "group";
inline constexpr char kVault[] = "vault";

/// Beside the record of an archive.
inline constexpr char kZipFile[] = "archive.zip";

}  // namespace stele::archives
