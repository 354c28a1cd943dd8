#include "branch_search.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

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

/// Versions on one line are exact in the index; of a view with several lines it does not know which
/// nodes a nearer line has versions of.
class Hidden {
public:
    Hidden(sdk::ContentLog& log, const sdk::Reader& reader, const sdk::ContentView& view)
        : log_(log), reader_(reader), view_(view) {}

    /// Whether the view shows another version of the node than this one, or none.
    sdk::Result<bool> hides(const Candidate& candidate) {
        if (candidate.line == view_.links.front().line) return false;
        if (!is_known_) {
            if (auto known = list(); !known) return known.error();
        }
        if (is_listed_) return is_nearer(candidate);
        auto shown = log_.shown(reader_, view_, candidate.node);
        if (!shown) return shown.error();
        const bool is_shown = shown->has_value() && (*shown)->line == candidate.line &&
                              (*shown)->revision == candidate.revision && !(*shown)->is_removed;
        return !is_shown;
    }

private:
    /// The place of the nearest link with a version, by node.
    sdk::Result<void> list() {
        is_known_ = true;
        for (std::size_t place = 0; place + 1 < view_.links.size(); ++place) {
            if (nearest_.size() >= kMaxListed) return {};
            auto nodes = log_.written_on(reader_, view_.space, view_.links[place],
                                         kMaxListed - nearest_.size());
            if (!nodes) return nodes.error();
            if (!*nodes) return {};
            for (std::string& node : **nodes)
                nearest_.emplace(std::move(node), place);
        }
        is_listed_ = true;
        return {};
    }

    bool is_nearer(const Candidate& candidate) const {
        const auto found = nearest_.find(candidate.node);
        return found != nearest_.end() && view_.links[found->second].line != candidate.line;
    }

    /// What is cheaper than to ask for every hit.
    static constexpr std::size_t kMaxListed = 10'000;

    sdk::ContentLog& log_;
    const sdk::Reader& reader_;
    const sdk::ContentView& view_;
    std::unordered_map<std::string, std::size_t> nearest_;
    bool is_known_ = false;
    bool is_listed_ = false;
};

void add_hit(sdk::NodeHits& hits, Candidate& candidate, std::size_t most) {
    if (hits.best.size() >= most) return;
    hits.best.push_back({std::move(candidate.node), std::max(candidate.score, kLeastScore)});
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
    // The index knows all that decides: nothing is left to look at.
    const bool is_exact = !limits.accepts && view->links.size() == 1;
    const std::size_t most = is_exact ? limits.hits : most_looked_at_;
    auto candidates = feed_.find(*view, needed_revision(*view, *newest), *wanted, most,
                                 [&context] { return context.go_on(); });
    if (!candidates) return candidates.error();
    sdk::NodeHits hits;
    if (is_exact) {
        hits.total = candidates->total;
        for (Candidate& candidate : candidates->best)
            add_hit(hits, candidate, limits.hits);
        return hits;
    }
    hits.is_truncated = candidates->total > candidates->best.size();
    Hidden hidden(log_, reader, *view);
    for (Candidate& candidate : candidates->best) {
        if (auto may = context.go_on(); !may) return may.error();
        auto hides = hidden.hides(candidate);
        if (!hides) return hides.error();
        if (*hides) continue;
        if (limits.accepts) {
            auto accepted = limits.accepts(candidate.node);
            if (!accepted) return accepted.error();
            if (!*accepted) continue;
        }
        ++hits.total;
        add_hit(hits, candidate, limits.hits);
    }
    return hits;
}

sdk::Result<void> BranchSearch::rebuild(sdk::Context& context, const sdk::RecordKey& branch,
                                        const std::function<bool()>& must_stop) {
    auto view = log_.view(context.transaction(), branch);
    if (!view) return view.error();
    return feed_.rebuild(view->space, must_stop);
}

}  // namespace stele::node_search
