#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stele::node_search {

/// A version that fits a search and shows on one of the view's lines.
struct Candidate {
    double score = 0;
    std::uint64_t line = 0;
    std::uint64_t revision = 0;
    std::string node;
};

struct Candidates {
    /// Best first, ties in the order of creation.
    std::vector<Candidate> best;
    /// How many fit, those that were not wanted included.
    std::uint64_t total = 0;
};

/// All of a candidate but its score, as the value of an index document: a document's data would be
/// compressed, which costs more than all it says. Values sort by the nodes' ids.
std::string version_value(const Candidate& candidate);
/// Nothing when it is none of `version_value`.
std::optional<Candidate> read_version_value(std::string_view value);

}  // namespace stele::node_search
