#include "graph/statistics.hpp"

#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"

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

/// The rating in a comment; nothing when there is none.
std::optional<double> rating_of(const sdk::Document& comment) {
    if (sdk::text_member(comment.fields, member::kType) != type::kComment) return std::nullopt;
    const auto rating = comment.fields.find("rating");
    if (rating == comment.fields.end() || !rating->is_number()) return std::nullopt;
    return rating->get<double>();
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

/// What leads to the node and from it, the person of a node among them; at most one more than
/// `most`.
sdk::Result<std::vector<Edge>> edges_up_to(const BranchContent& content, const sdk::Document& node,
                                           std::size_t most) {
    auto edges = content.implicit_edges(node, Direction::incoming);
    if (!edges) return edges;
    Pace pace(content.context());
    sdk::Result<void> may_go_on;
    auto walked = content.graph().for_each_edge(
        node.id, Direction::any, {}, paced(pace, may_go_on, [&edges, most](const Edge& edge) {
            edges->push_back(edge);
            return edges->size() <= most;
        }));
    if (!walked) return walked.error();
    if (!may_go_on) return may_go_on.error();
    return edges;
}

bool is_comment_of(const Edge& edge) {
    return edge.type == association::kHasComment && edge.end != Direction::incoming;
}

sdk::Result<bool> is_readable(const BranchContent& content, const std::string& id) {
    auto node = sdk::if_readable(content.context(), content.node(id));
    if (!node) return node.error();
    return node->has_value();
}

sdk::Result<void> add_rating(const BranchContent& content, const std::string& id,
                             Ratings& ratings) {
    auto comment = content.node(id);
    if (!comment && sdk::is_missing(comment.error())) return {};
    if (!comment) return comment.error();
    if (const auto rating = rating_of(*comment)) {
        ++ratings.count;
        ratings.total += *rating;
    }
    return {};
}

sdk::Result<sdk::Json> counted(const BranchContent& content, const sdk::Document& node,
                               std::size_t most, bool is_asked) {
    auto edges = edges_up_to(content, node, most);
    if (!edges) return edges.error();
    const bool is_truncated = edges->size() > most;
    if (is_truncated) edges->resize(most);
    std::map<std::string, EdgeCounts> counts;
    Ratings ratings;
    for (const Edge& edge : *edges) {
        if (is_asked) {
            auto readable = is_readable(content, edge.other);
            if (!readable) return readable.error();
            if (!*readable) continue;
        }
        EdgeCounts& of_type = counts[edge.type];
        ++of_type.all;
        if (edge.end != Direction::incoming) ++of_type.outgoing;
        if (edge.end != Direction::outgoing) ++of_type.incoming;
        if (!is_comment_of(edge)) continue;
        if (auto added = add_rating(content, edge.other, ratings); !added) return added.error();
    }
    sdk::Json statistics = sdk::Json::object();
    add_counts(counts, statistics);
    add_ratings(ratings, statistics);
    if (is_truncated) {
        statistics["truncated"] = true;
        statistics["bound"] = "counted_associations";
    }
    return statistics;
}

}  // namespace

sdk::Result<sdk::Json> statistics_of(const BranchContent& content, const sdk::Document& node) {
    return counted(content, node, kCountedAssociations, false);
}

sdk::Result<sdk::Json> readable_statistics_of(const BranchContent& content,
                                              const sdk::Document& node) {
    return counted(content, node, kAskedAssociations, true);
}

}  // namespace stele::nodes
