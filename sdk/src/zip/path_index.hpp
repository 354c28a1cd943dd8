#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

#include "store/keyed_hash.hpp"
#include "zip/sorted_rows.hpp"

namespace stele::sdk::zip {

/// Which entry of the directory has a path: keyed hashes of paths (SipHash), so that nobody can
/// make equal ones, in 16 bytes of each entry and, as long as it is made, of each folder. Most of
/// them lie in files without names where there is a folder for these. One thread.
class PathIndex {
public:
    /// Reads the path of the entry at a position of the directory.
    using PathReader = std::function<Result<std::string>(std::uint64_t position)>;

    /// An empty `scratch`: in memory.
    PathIndex(const std::filesystem::path& scratch, std::uint64_t most_folders);

    /// `too_large` (`zip.too_large`) when the paths name too many folders; where some came twice it
    /// may be `finish` that says so.
    Result<void> add(std::string_view path, std::uint64_t position);
    /// After the last path: `invalid` (`zip.path_twice`) when two entries have one path, or one's
    /// is a folder of the other's.
    Result<void> finish(const PathReader& path_at);

    /// Positions of entries that may have the path.
    Result<std::vector<std::uint64_t>> find(std::string_view path) const;

private:
    /// Its second number is twice the position, and one more for a folder.
    using Row = SortedRows::Row;

    Result<void> compact_folders();
    Result<void> check_entries(const PathReader& path_at) const;
    Result<void> check_folders(const PathReader& path_at) const;

    detail::KeyedHash hash_;
    SortedRows rows_;
    SortedRows folders_;
    std::uint64_t most_folders_;
    /// Twice as many as were different the last time, so that each is sorted a few times only.
    std::uint64_t compact_at_ = 4096;
    std::string former_;
};

}  // namespace stele::sdk::zip
