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

/// The data of an index document: all of a candidate but its score.
std::string document_text(const Candidate& candidate);
/// Nothing when the text is none of `document_text`.
std::optional<Candidate> read_document_text(std::string_view text);

}  // namespace stele::node_search
