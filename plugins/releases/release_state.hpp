#pragma once

#include <optional>
#include <string>

#include <stele/sdk/context.hpp>

#include "services.hpp"

namespace stele::releases {

/// The time that a release date tells: a time object of which `ms` alone counts, `{ms}`, or a
/// number of epoch milliseconds. Nothing where there is none; `invalid` naming `releaseDate`.
sdk::Result<std::optional<std::int64_t>> release_ms(const sdk::Json& release);

/// The branch of a release and the master of its repository, for whoever may READ both; `conflict`
/// (`releases.branch_gone`) otherwise.
sdk::Result<sdk::BranchPair> branches_of(sdk::Context& context, const std::string& repository,
                                         const sdk::Json& release);

/// What stands in the way of a release: conflicts with the master, and other finalized releases of
/// the repository that change the same nodes, of those whose changes whoever asks may READ.
sdk::Result<sdk::Json> look_for_conflicts(const ReleaseServices& services, sdk::Context& context,
                                          const sdk::CollectionName& releases,
                                          const sdk::Document& release);

/// Members of a release that is finalized by whoever acts, and of one that is not any more.
sdk::Json finalized_members(const sdk::Context& context);
sdk::Json unfinalized_members();

/// Whether content of its branch may change: not while it is finalized.
sdk::Result<void> open_branch(sdk::Context& context, const std::string& repository,
                              const sdk::Json& release, bool is_open);

}  // namespace stele::releases
