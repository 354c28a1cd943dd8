#pragma once

#include <stele/sdk/services/jobs.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Whether what the operation writes to the branch may go into the store before the operation ends
/// (docs/decisions/0151-imports-of-large-branches.md): the engine can, nobody but others has made
/// the branch, and the operation has written nothing to its repository yet; or it has made the
/// repository behind `expect_content`, and has written nothing to the branch.
sdk::Result<bool> may_load(const BranchContent& content);

/// Says that much content may come into repositories that the operation makes from now on. Not
/// where it has made some already.
sdk::Result<void> expect_content(Services& services, sdk::Context& context);

/// Makes it so. The branch is at another line then, so that `content` is to be opened anew. Whoever
/// else writes to the branch until the operation's commit makes that a conflict, which a write may
/// tell already.
sdk::Result<void> begin_load(const BranchContent& content);

/// The job that looks after a line that is loaded (attachment/collected_loads.hpp), after some
/// time.
sdk::NewJob collection_of(const BranchPlace& place, std::int64_t wait_ms);
inline constexpr char kCollection[] = "nodes.collect_load";
inline constexpr char kCollectedRepository[] = "repository";
inline constexpr char kCollectedLine[] = "line";
/// How often it looks whether the line is still written.
inline constexpr std::int64_t kBetweenLooksMs = 5 * 60 * 1000;

}  // namespace stele::nodes
