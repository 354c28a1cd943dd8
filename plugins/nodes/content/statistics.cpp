#include "content/statistics.hpp"

#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

struct EdgeCounts {
    std::uint64_t all = 0;
    std::uint64_t outgoing = 0;
    std::uint64_t incoming = 0;
};

struct Ratings {
    std::uint64_t count = 0;
    double total = 0;
};

/// The rating in a comment; nothing when there is none that the caller may know.
sdk::Result<std::optional<double>> rating_of(const BranchContent& content, const std::string& id) {
    auto comment = sdk::if_readable(content.context(), content.node(id));
    if (!comment) return comment.error();
    if (!*comment || sdk::text_member((*comment)->fields, member::kType) != type::kComment)
        return std::optional<double>();
    const auto rating = (*comment)->fields.find("rating");
    if (rating == (*comment)->fields.end() || !rating->is_number()) return std::optional<double>();
    return std::optional<double>(rating->get<double>());
}

sdk::Json whole_or_fraction(double value) {
    constexpr double kExact = 9e15;
    if (std::abs(value) < kExact && std::trunc(value) == value)
        return static_cast<std::int64_t>(value);
    return value;
}

void add_ratings(const Ratings& ratings, sdk::Json& statistics) {
    if (ratings.count == 0) return;
    statistics["ratingTotalCount"] = ratings.count;
    statistics["ratingTotalValue"] = whole_or_fraction(ratings.total);
    statistics["ratingAverageValue"] =
        whole_or_fraction(ratings.total / static_cast<double>(ratings.count));
}

void add_counts(const std::map<std::string, EdgeCounts>& counts, sdk::Json& statistics) {
    for (const auto& [type, count] : counts) {
        statistics[type] = count.all;
        if (count.outgoing > 0) statistics[type + "_OUTGOING"] = count.outgoing;
        if (count.incoming > 0) statistics[type + "_INCOMING"] = count.incoming;
    }
}

/// What leads to the node and from it, the person of a node among them; at most one more than are
/// counted.
sdk::Result<std::vector<Edge>> counted_edges(const BranchContent& content,
                                             const sdk::Document& node) {
    auto edges = content.implicit_edges(node, Direction::incoming);
    if (!edges) return edges;
    auto walked =
        content.graph().for_each_edge(node.id, Direction::any, {}, [&edges](const Edge& edge) {
            edges->push_back(edge);
            return edges->size() <= kCountedAssociations;
        });
    if (!walked) return walked.error();
    return edges;
}

}  // namespace

sdk::Result<Statistics> statistics_of(const BranchContent& content, const sdk::Document& node) {
    auto edges = counted_edges(content, node);
    if (!edges) return edges.error();
    const bool is_truncated = edges->size() > kCountedAssociations;
    if (is_truncated) edges->resize(kCountedAssociations);
    Statistics statistics{sdk::Json::object()};
    std::map<std::string, EdgeCounts> counts;
    Ratings ratings;
    for (const Edge& edge : *edges) {
        EdgeCounts& of_type = counts[edge.type];
        ++of_type.all;
        if (edge.end != Direction::incoming) ++of_type.outgoing;
        if (edge.end != Direction::outgoing) ++of_type.incoming;
        if (edge.type != association::kHasComment || edge.end == Direction::incoming) continue;
        statistics.depends_on_reader = true;
        auto rating = rating_of(content, edge.other);
        if (!rating) return rating.error();
        if (!*rating) continue;
        ++ratings.count;
        ratings.total += **rating;
    }
    add_counts(counts, statistics.counts);
    add_ratings(ratings, statistics.counts);
    if (is_truncated) {
        statistics.counts["truncated"] = true;
        statistics.counts["bound"] = "counted_associations";
    }
    return statistics;
}

}  // namespace stele::nodes
