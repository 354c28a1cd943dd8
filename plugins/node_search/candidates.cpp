#include "candidates.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::node_search {

std::string version_value(const Candidate& candidate) {
    return sdk::KeyWriter()
        .text(candidate.node)
        .integer(candidate.line)
        .integer(candidate.revision)
        .key();
}

std::optional<Candidate> read_version_value(std::string_view value) {
    sdk::KeyReader reader(value);
    auto node = reader.text();
    const auto line = reader.integer();
    const auto revision = reader.integer();
    if (!node || !line || !revision) return std::nullopt;
    return Candidate{0, *line, *revision, std::move(*node)};
}

}  // namespace stele::node_search
