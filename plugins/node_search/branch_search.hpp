#pragma once

#include <stele/sdk/services/node_search.hpp>

#include "follower.hpp"
#include "index_feed.hpp"

namespace stele::node_search {

/// Searches the nodes that a branch shows (docs/reference/search.md).
class BranchSearch final : public sdk::NodeSearch {
public:
    /// All must outlive it.
    BranchSearch(sdk::ContentLog& log, IndexFeed& feed, Follower& follower,
                 std::size_t most_looked_at)
        : log_(log), feed_(feed), follower_(follower), most_looked_at_(most_looked_at) {}

    sdk::Result<sdk::NodeHits> search(sdk::Context& context, const sdk::RecordKey& branch,
                                      const sdk::Json& expression,
                                      const sdk::NodeSearchLimits& limits) override;
    sdk::Result<void> rebuild(sdk::Context& context, const sdk::RecordKey& branch,
                              const std::function<bool()>& must_stop) override;

private:
    sdk::ContentLog& log_;
    IndexFeed& feed_;
    Follower& follower_;
    std::size_t most_looked_at_;
};

}  // namespace stele::node_search
