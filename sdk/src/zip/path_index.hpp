#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::sdk::zip {

/// Which entry of the directory has a path, in 16 bytes of each entry and 16 (for a moment 32) of
/// each folder: not the paths, but keyed hashes of them (SipHash), so that nobody can make equal
/// ones. One thread.
class PathIndex {
public:
    /// Reads the path of the entry at a position of the directory.
    using PathReader = std::function<Result<std::string>(std::uint64_t position)>;

    PathIndex(std::uint64_t count, std::uint64_t most_folders);

    /// `too_large` (`zip.too_large`) when the paths name too many folders; where some came twice it
    /// may be `finish` that says so.
    Result<void> add(std::string_view path, std::uint64_t position);
    /// After the last path: `invalid` (`zip.path_twice`) when two entries have one path, or one's
    /// is a folder of the other's.
    Result<void> finish(const PathReader& path_at);

    /// Positions of entries that may have the path.
    std::vector<std::uint64_t> find(std::string_view path) const;

private:
    /// `place` is twice the position, and one more for a folder.
    struct Row {
        std::uint64_t hash = 0;
        std::uint64_t place = 0;

        std::uint64_t position() const { return place / 2; }
        bool is_folder() const { return place % 2 != 0; }
        auto operator<=>(const Row&) const = default;
    };

    std::uint64_t hash_of(std::string_view path) const;
    Result<void> compact_folders();
    Result<void> check_entries(const PathReader& path_at) const;
    Result<void> check_folders(const PathReader& path_at) const;

    std::array<unsigned char, 16> key_{};
    std::vector<Row> rows_;
    std::vector<Row> folders_;
    std::uint64_t most_folders_;
    /// Twice as many as were different the last time, so that each is sorted a few times only.
    std::size_t compact_at_ = 4096;
    std::string former_;
};

}  // namespace stele::sdk::zip
