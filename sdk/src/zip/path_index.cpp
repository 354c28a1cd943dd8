#include "zip/path_index.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

namespace {

std::string_view without_slash(std::string_view path) {
    if (path.ends_with('/')) path.remove_suffix(1);
    return path;
}

std::uint64_t position_of(const SortedRows::Row& row) {
    return row.second / 2;
}

bool is_folder(const SortedRows::Row& row) {
    return row.second % 2 != 0;
}

}  // namespace

PathIndex::PathIndex(const std::filesystem::path& scratch, std::uint64_t most_folders)
    : rows_(scratch), folders_(scratch, true), most_folders_(most_folders) {}

Result<void> PathIndex::add(std::string_view path, std::uint64_t position) {
    const std::uint64_t place = 2 * position + (path.ends_with('/') ? 1 : 0);
    if (auto added = rows_.add({hash_.of(without_slash(path)), place}); !added) return added;
    // Neighbours mostly share their folders.
    const auto differs = std::mismatch(path.begin(), path.end(), former_.begin(), former_.end());
    auto slash = path.find('/', static_cast<std::size_t>(differs.first - path.begin()));
    for (; slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        auto added = folders_.add({hash_.of(path.substr(0, slash)), place});
        if (!added) return added;
    }
    former_ = path;
    return folders_.size() < compact_at_ ? Result<void>() : compact_folders();
}

Result<void> PathIndex::compact_folders() {
    if (auto sorted = folders_.sort(); !sorted) return sorted;
    compact_at_ = std::max(compact_at_, 2 * folders_.size());
    if (folders_.size() > most_folders_)
        return too_large("has more than " + std::to_string(most_folders_) + " folders");
    return {};
}

Result<void> PathIndex::finish(const PathReader& path_at) {
    former_ = {};
    if (auto sorted = rows_.sort(); !sorted) return sorted;
    if (auto compacted = compact_folders(); !compacted) return compacted;
    if (auto entries = check_entries(path_at); !entries) return entries;
    auto folders = check_folders(path_at);
    folders_ = SortedRows({});
    return folders;
}

Result<void> PathIndex::check_entries(const PathReader& path_at) const {
    std::optional<Row> former;
    return rows_.for_each([&](const Row& row) -> Result<bool> {
        const std::optional<Row> before = std::exchange(former, row);
        if (!before || before->first != row.first) return true;
        auto one = path_at(position_of(*before));
        if (!one) return one.error();
        auto other = path_at(position_of(row));
        if (!other) return other.error();
        if (without_slash(*one) == without_slash(*other)) return path_twice(*other);
        return true;
    });
}

Result<void> PathIndex::check_folders(const PathReader& path_at) const {
    SortedRows::Reading folders = folders_.read();
    auto folder = folders.next();
    return rows_.for_each([&](const Row& row) -> Result<bool> {
        while (folder && *folder && (*folder)->first < row.first)
            folder = folders.next();
        if (!folder) return folder.error();
        if (!*folder) return false;
        if ((*folder)->first != row.first || is_folder(row)) return true;
        auto path = path_at(position_of(row));
        if (!path) return path.error();
        auto inside = path_at(position_of(**folder));
        if (!inside) return inside.error();
        if (inside->starts_with(*path + '/')) return path_twice(*path);
        return true;
    });
}

Result<std::vector<std::uint64_t>> PathIndex::find(std::string_view path) const {
    const std::uint64_t hash = hash_.of(without_slash(path));
    std::vector<std::uint64_t> positions;
    auto walked = rows_.for_each_from({hash, 0}, [&](const Row& row) -> Result<bool> {
        if (row.first != hash) return false;
        positions.push_back(position_of(row));
        return true;
    });
    if (!walked) return walked.error();
    return positions;
}

}  // namespace stele::sdk::zip
