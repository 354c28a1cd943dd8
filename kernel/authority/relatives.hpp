#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::authority {

/// A member of a group, or a group that contains a member.
struct Relative {
    sdk::RecordKey key;
    /// Grows with every joining; of several ways the earliest.
    std::uint64_t joined = 0;
    sdk::PrincipalKind kind = sdk::PrincipalKind::group;
};

/// What is stored of a membership, beside group and member in its key.
std::string encode_membership(std::uint64_t joined, sdk::PrincipalKind member_kind);
/// The number of a joining now; grows strictly within a process.
std::uint64_t next_joining();

/// Which way a walk over memberships goes.
enum class Towards { members, groups };

/// Everything that one step leads to from `starts`, or any number of steps, without the starts; in
/// order of joining. One breadth-first walk: cycles and depth do no harm. Only memberships that are
/// stored under the platform count.
sdk::Result<std::vector<Relative>> relatives(const sdk::Reader& reader, std::uint64_t platform,
                                             Towards towards,
                                             const std::vector<sdk::RecordKey>& starts,
                                             bool is_indirect);

}  // namespace stele::kernel::authority
