#include "candidates.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::node_search {

std::string document_text(const Candidate& candidate) {
    return sdk::KeyWriter()
        .integer(candidate.line)
        .integer(candidate.revision)
        .raw(candidate.node)
        .key();
}

std::optional<Candidate> read_document_text(std::string_view text) {
    sdk::KeyReader reader(text);
    const auto line = reader.integer();
    const auto revision = reader.integer();
    if (!line || !revision) return std::nullopt;
    return Candidate{0, *line, *revision, std::string(reader.rest())};
}

}  // namespace stele::node_search
