#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/services/content_log.hpp>

namespace stele::node_search {

/// How the terms of one repository are written in the index. Every term begins with the
/// repository, so that no vocabulary mixes with another's.
class Terms {
public:
    explicit Terms(const sdk::ContentSpace& space);

    /// On every document of the repository.
    const std::string& space() const { return space_; }
    std::string line(std::uint64_t line) const;
    /// On one version of a node.
    std::string version(std::uint64_t line, std::string_view node, std::uint64_t revision) const;
    /// On documents with a value at the path.
    std::string present(std::string_view path) const;
    /// What stands before the words of a field; an empty path: of all fields.
    std::string words(std::string_view path) const;
    std::string word(std::string_view path, std::string_view word) const;
    /// What stands before the keys of a field's numbers and dates (range_values.hpp).
    std::string values(std::string_view path) const;
    /// The term of a word behind `beginning`, which is what `words` answers.
    static std::string joined(const std::string& beginning, std::string_view word);

private:
    std::string space_;
};

/// A text cut down to `most` bytes: what is longer ends in a digest of the whole.
std::string shortened(std::string_view text, std::size_t most);

/// FNV-1a, which is the same in every build and on every machine.
std::uint64_t digest(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325U);

/// Name of a repository in the index and back.
std::string space_name(const sdk::ContentSpace& space);
std::optional<sdk::ContentSpace> read_space_name(std::string_view name);

}  // namespace stele::node_search
