#pragma once

#include <cstdint>

namespace stele::nodes {

/// A branch's way through time: its own number, and the line and revision that it was forked from.
/// A line has a higher number than the one that it comes from.
using Line = std::uint64_t;
/// The number of a changeset in its repository, given at commit.
using Revision = std::uint64_t;

inline constexpr Line kFirstLine = 1;
/// Of the changeset that a repository begins with.
inline constexpr Revision kFirstRevision = 1;
/// Of entries that the present transaction writes: above every number that was given.
inline constexpr Revision kUncommitted = ~Revision{0};

/// In the rows of a line that was loaded (docs/decisions/0151-imports-of-large-branches.md): stands
/// for the number of the changeset that the line begins with, which only its commit gives.
inline constexpr Revision kLoadedRevision = 0;

/// A line with the last of its revisions that shows.
struct Link {
    Line line = 0;
    Revision bound = kUncommitted;
    /// The number of the changeset that the line was loaded with; 0 where it was not.
    Revision loaded = 0;

    bool is_tip() const { return bound == kUncommitted; }
};

}  // namespace stele::nodes
