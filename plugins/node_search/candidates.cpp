#include "candidates.hpp"

#include <charconv>

#include <fmt/format.h>

#include <stele/sdk/key_tuple.hpp>

namespace stele::node_search {

namespace {

constexpr char kId = 'i';
constexpr char kName = 'n';
constexpr char kEnd = '\0';
constexpr std::size_t kIdDigits = 20;

/// An id of the server's as bytes, any other name of a node as it is, with an end.
std::string packed(std::string_view node) {
    const bool is_id = node.size() == kIdDigits &&
                       node.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (!is_id) return std::string(1, kName).append(node) + kEnd;
    std::string bytes(1, kId);
    for (std::size_t i = 0; i < kIdDigits; i += 2) {
        unsigned char byte = 0;
        std::from_chars(node.data() + i, node.data() + i + 2, byte, 16);
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

/// Takes the node off the front.
std::optional<std::string> unpacked(std::string_view& bytes) {
    if (bytes.empty()) return std::nullopt;
    const bool is_id = bytes.front() == kId;
    bytes.remove_prefix(1);
    const std::size_t size = is_id ? kIdDigits / 2 : bytes.find(kEnd);
    if (size > bytes.size()) return std::nullopt;
    std::string node;
    if (is_id) {
        for (const char byte : bytes.substr(0, size))
            fmt::format_to(std::back_inserter(node), "{:02x}", static_cast<unsigned char>(byte));
    } else {
        node = bytes.substr(0, size);
    }
    bytes.remove_prefix(is_id ? size : size + 1);
    return node;
}

}  // namespace

std::string version_value(const Candidate& candidate) {
    return sdk::KeyWriter(packed(candidate.node))
        .integer(candidate.line)
        .integer(candidate.revision)
        .key();
}

std::optional<Candidate> read_version_value(std::string_view value) {
    auto node = unpacked(value);
    if (!node) return std::nullopt;
    sdk::KeyReader reader(value);
    const auto line = reader.integer();
    const auto revision = reader.integer();
    if (!line || !revision) return std::nullopt;
    return Candidate{0, *line, *revision, std::move(*node)};
}

}  // namespace stele::node_search
