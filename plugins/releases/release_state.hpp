#pragma once

#include <optional>
#include <string>

#include <stele/sdk/context.hpp>

#include "services.hpp"

namespace stele::releases {

/// The time that a member tells: a time object of which `ms` alone counts, `{ms}`, or a number of
/// epoch milliseconds. Nothing where there is none; `invalid` naming the member.
sdk::Result<std::optional<std::int64_t>> told_ms(const sdk::Json& fields, const char* name);

/// A release that is on the master, or archived, takes no more steps: `conflict`
/// (`releases.released`, `releases.archived`).
sdk::Result<void> check_open(const sdk::Json& release);

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

/// The master of a repository, as `branches_of`.
sdk::Result<sdk::RecordKey> master_of(sdk::Context& context, const std::string& repository);

/// Whether content of its branch may change: not while it is finalized.
sdk::Result<void> open_branch(sdk::Context& context, const std::string& repository,
                              const sdk::Json& release, bool is_open);

/// `forbidden` (`releases.approval_missing`) where the master waits for somebody's approval
/// (`autoPull` is false) and whoever acts may not UPDATE its record.
sdk::Result<void> require_approval(sdk::Context& context, const std::string& repository);

/// `conflict` (`releases.changed`) where the branch of a finalized release is not any more what it
/// was when it was finalized.
sdk::Result<void> check_unchanged(const ReleaseServices& services, sdk::Context& context,
                                  const sdk::BranchPair& branches, const sdk::Json& release);

sdk::Error branch_gone();
/// Whether its branch is not there, for anybody.
sdk::Result<bool> is_branch_gone(sdk::Context& context, const std::string& repository,
                                 const sdk::Json& release);

}  // namespace stele::releases
