#include "branch_search.hpp"

#include <algorithm>
#include <limits>

#include "query_objects.hpp"

namespace stele::node_search {

namespace {

/// What is left of a score that boosts have made too small for a number.
constexpr double kLeastScore = std::numeric_limits<double>::min();

/// The last revision that a view shows something of.
std::uint64_t needed_revision(const sdk::ContentView& view, std::uint64_t newest) {
    std::uint64_t last = 0;
    for (const sdk::ContentView::Link& link : view.links)
        last = std::max(last, link.last_revision);
    return std::min(last, newest);
}

/// Whether the view shows just this version: no nearer line has another, or removed the node.
sdk::Result<bool> is_shown(sdk::ContentLog& log, const sdk::Reader& reader,
                           const sdk::ContentView& view, const Candidate& candidate) {
    auto shown = log.shown(reader, view, candidate.node);
    if (!shown) return shown.error();
    return shown->has_value() && (*shown)->line == candidate.line &&
           (*shown)->revision == candidate.revision && !(*shown)->is_removed;
}

}  // namespace

sdk::Result<sdk::NodeHits> BranchSearch::search(sdk::Context& context, const sdk::RecordKey& branch,
                                                const sdk::Json& expression,
                                                const sdk::NodeSearchLimits& limits) {
    auto wanted = parse_search(expression);
    if (!wanted) return wanted.error();
    const sdk::Reader& reader = context.transaction();
    auto view = log_.view(reader, branch);
    if (!view) return view.error();
    auto newest = log_.newest(reader, view->space);
    if (!newest) return newest.error();
    follower_.start();
    auto candidates = feed_.find(*view, needed_revision(*view, *newest), *wanted, most_looked_at_);
    if (!candidates) return candidates.error();
    sdk::NodeHits hits;
    hits.is_truncated = candidates->is_truncated;
    for (Candidate& candidate : candidates->best) {
        auto shown = is_shown(log_, reader, *view, candidate);
        if (!shown) return shown.error();
        if (!*shown) continue;
        if (limits.accepts) {
            auto accepted = limits.accepts(candidate.node);
            if (!accepted) return accepted.error();
            if (!*accepted) continue;
        }
        ++hits.total;
        if (hits.best.size() < limits.hits)
            hits.best.push_back(
                {std::move(candidate.node), std::max(candidate.score, kLeastScore)});
    }
    return hits;
}

}  // namespace stele::node_search
