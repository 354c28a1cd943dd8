#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A node that fits a search; the score is greater than 0.
struct NodeHit {
    std::string id;
    double score = 0;
};

struct NodeHits {
    /// Best first, ties in the order of the nodes' creation.
    std::vector<NodeHit> best;
    /// How many nodes fit, also beyond those in `best`.
    std::uint64_t total = 0;
    /// More fit than one search looks at: of the best ones that it has looked at, these fit.
    bool is_truncated = false;
};

struct NodeSearchLimits {
    /// At most so many hits are answered; all are counted.
    std::size_t hits = 1000;
    /// Nodes that it refuses are no hits and are not counted. Empty: all are taken.
    std::function<Result<bool>(std::string_view id)> accepts = {};
};

/// Full text search over the nodes of a branch, associations left out. Published by the plugin that
/// keeps the index; without one there is no search. Any thread.
class NodeSearch {
public:
    virtual ~NodeSearch();

    /// What fits `expression` at the branch's tip: text in query-string syntax, or an object of the
    /// search language (docs/specification/nodes.md 15). Rights are not looked at. `invalid` for a
    /// wrong expression.
    virtual Result<NodeHits> search(Context& context, const RecordKey& branch,
                                    const Json& expression, const NodeSearchLimits& limits) = 0;

    /// Throws away what this server's index has of the branch's repository and reads the repository
    /// anew; meanwhile searches of it wait. Ends early, with `unavailable`
    /// (`node_search.rebuild_stopped`), when `must_stop` says so; then the next search goes on.
    virtual Result<void> rebuild(Context& context, const RecordKey& branch,
                                 const std::function<bool()>& must_stop) = 0;
};

}  // namespace stele::sdk
