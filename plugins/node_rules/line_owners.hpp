#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <stele/sdk/services/content_log.hpp>

#include "services.hpp"

namespace stele::node_rules {

/// A branch, and what it shows; the first link is its own line, or one that it has gone on from.
struct LineOwner {
    sdk::RecordKey branch;
    sdk::ContentView view;

    /// What it shows after a changeset of its own line.
    sdk::ContentView at(std::uint64_t revision) const;
};

/// Knows to which branch a line of the content log belongs. Remembers it: a line is one branch's
/// for as long as it is any's. One thread.
class LineOwners {
public:
    explicit LineOwners(const RuleServices& services) : services_(services) {}

    /// Nothing for a line that no branch has any more: of a removed branch, or from before a reset.
    sdk::Result<std::optional<LineOwner>> find(const sdk::PlatformScope& platform,
                                               const sdk::ContentSpace& space, std::uint64_t line);

    /// Whether the version was written on the branch itself, if need be before a reset, which gave
    /// the branch another line: not on one that it was forked from.
    sdk::Result<bool> is_own(const sdk::PlatformScope& platform, const LineOwner& owner,
                             const sdk::ContentVersion& version);

private:
    sdk::Result<bool> was_of(sdk::Context& context, const LineOwner& owner,
                             const std::string& changeset) const;
    sdk::Result<void> look(const sdk::PlatformScope& platform, const sdk::ContentSpace& space);
    sdk::Result<void> look_for_repositories(sdk::Context& context);
    sdk::Result<void> look_at_branches(sdk::Context& context, const sdk::RecordKey& repository);

    const RuleServices& services_;
    std::map<sdk::RecordKey, sdk::ContentSpace> repositories_;
    std::map<sdk::ContentSpace, std::map<std::uint64_t, std::optional<LineOwner>>> lines_;
    /// Whether an inherited line was the branch's own: by branch and line.
    std::map<std::pair<sdk::RecordKey, std::uint64_t>, bool> former_;
};

}  // namespace stele::node_rules
