#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// The branch of a reference in a context of the server, which acts for the principal there.
sdk::Result<BranchContent> open_for(Services& services, sdk::Context& context,
                                    const sdk::Principal& principal, std::string_view branch);

/// Walks the deletions of a branch in the order of their keys, apart from the transaction that
/// purges them: whoever lists them in it has a conflict with everybody who deletes meanwhile.
class PurgeList {
public:
    /// The branch's record has the reference; `until` is the last changeset whose deletions count,
    /// `kUncommitted` where all do.
    PurgeList(Services& services, sdk::PlatformScope platform, sdk::Principal principal,
              std::string branch, Revision until)
        : services_(services),
          platform_(std::move(platform)),
          principal_(std::move(principal)),
          branch_(std::move(branch)),
          until_(until) {}

    /// Ids of at most `most` further ones that the principal may remove; fewer only at the end.
    /// `go_on` is asked for each that is looked at. Waits for the store.
    sdk::Result<std::vector<std::string>> next(std::size_t most,
                                               const std::function<sdk::Result<void>()>& go_on);
    bool is_at_end() const { return is_at_end_; }
    std::size_t kept() const { return kept_; }

private:
    sdk::Result<void> look_at(const BranchContent& content, const std::string& id,
                              std::vector<std::string>& found);

    Services& services_;
    const sdk::PlatformScope platform_;
    const sdk::Principal principal_;
    const std::string branch_;
    const Revision until_;
    std::string last_;
    std::size_t kept_ = 0;
    bool is_at_end_ = false;
};

/// Purges those that are still there, from no later than `until`, and that whoever acts may remove;
/// answers how many went, their associations among them.
sdk::Result<std::size_t> purge_deletions(const BranchContent& content, Revision until,
                                         std::span<const std::string> ids);

}  // namespace stele::nodes
