#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/services/content_log.hpp>

namespace stele::node_search {

/// How far a repository is in the index.
struct IndexMark {
    /// Everything up to it is in the index.
    std::uint64_t revision = 0;
    /// Of the first version that it wrote, to tell its history from another of the same length.
    std::uint64_t digest = 0;
};

/// Of the whole index, in its metadata. Another one makes every index start anew: terms or
/// documents are written in another way.
inline constexpr char kIndexFormatKey[] = "format";
inline constexpr char kIndexFormat[] = "7";

/// Marks lie in the index's metadata, under names that begin so.
inline constexpr char kMarkKey[] = "mark ";
/// In place of a mark while a repository is being removed.
inline constexpr char kHalfCleared[] = "half cleared";

std::string mark_key(const sdk::ContentSpace& space);
std::string mark_text(const IndexMark& mark);
/// That of an empty index where there is none, or where it is being removed; nothing when the text
/// is none of `mark_text`.
std::optional<IndexMark> read_mark(std::string_view text);

/// For the digest of a mark.
std::uint64_t digest_of(const sdk::ContentVersion& version);
/// Whether the log still begins its changeset of the mark the way it did; of an empty mark, too.
sdk::Result<bool> has_history(sdk::ContentLog& log, const sdk::Reader& reader,
                              const sdk::ContentSpace& space, const IndexMark& mark);

}  // namespace stele::node_search
