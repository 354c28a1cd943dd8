#include "zip/path_index.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <sodium.h>

#include "sodium.hpp"
#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

namespace {

std::string_view without_slash(std::string_view path) {
    if (path.ends_with('/')) path.remove_suffix(1);
    return path;
}

}  // namespace

PathIndex::PathIndex(std::uint64_t count, std::uint64_t most_folders)
    : most_folders_(most_folders) {
    static_assert(crypto_shorthash_KEYBYTES == std::tuple_size_v<decltype(key_)>);
    static_assert(crypto_shorthash_BYTES == sizeof(std::uint64_t));
    detail::require_sodium();
    randombytes_buf(key_.data(), key_.size());
    rows_.reserve(static_cast<std::size_t>(count));
}

Result<void> PathIndex::add(std::string_view path, std::uint64_t position) {
    const std::uint64_t place = 2 * position + (path.ends_with('/') ? 1 : 0);
    rows_.push_back({hash_of(without_slash(path)), place});
    // Neighbours mostly share their folders.
    const auto differs = std::mismatch(path.begin(), path.end(), former_.begin(), former_.end());
    auto slash = path.find('/', static_cast<std::size_t>(differs.first - path.begin()));
    for (; slash != std::string_view::npos; slash = path.find('/', slash + 1))
        folders_.push_back({hash_of(path.substr(0, slash)), place});
    former_ = path;
    return folders_.size() < compact_at_ ? Result<void>() : compact_folders();
}

Result<void> PathIndex::compact_folders() {
    std::sort(folders_.begin(), folders_.end());
    const auto is_same = [](const Row& a, const Row& b) { return a.hash == b.hash; };
    folders_.erase(std::unique(folders_.begin(), folders_.end(), is_same), folders_.end());
    compact_at_ = std::max(compact_at_, 2 * folders_.size());
    if (folders_.size() > most_folders_)
        return too_large("has more than " + std::to_string(most_folders_) + " folders");
    return {};
}

Result<void> PathIndex::finish(const PathReader& path_at) {
    former_ = {};
    std::sort(rows_.begin(), rows_.end());
    if (auto compacted = compact_folders(); !compacted) return compacted;
    if (auto entries = check_entries(path_at); !entries) return entries;
    auto folders = check_folders(path_at);
    folders_ = {};
    return folders;
}

Result<void> PathIndex::check_entries(const PathReader& path_at) const {
    for (std::size_t i = 1; i < rows_.size(); ++i) {
        if (rows_[i - 1].hash != rows_[i].hash) continue;
        auto former = path_at(rows_[i - 1].position());
        if (!former) return former.error();
        auto path = path_at(rows_[i].position());
        if (!path) return path.error();
        if (without_slash(*former) == without_slash(*path)) return path_twice(*path);
    }
    return {};
}

Result<void> PathIndex::check_folders(const PathReader& path_at) const {
    auto folder = folders_.begin();
    for (const Row& row : rows_) {
        while (folder != folders_.end() && folder->hash < row.hash)
            ++folder;
        if (folder == folders_.end()) break;
        if (folder->hash != row.hash || row.is_folder()) continue;
        auto path = path_at(row.position());
        if (!path) return path.error();
        auto inside = path_at(folder->position());
        if (!inside) return inside.error();
        if (inside->starts_with(*path + '/')) return path_twice(*path);
    }
    return {};
}

std::vector<std::uint64_t> PathIndex::find(std::string_view path) const {
    const std::uint64_t hash = hash_of(without_slash(path));
    std::vector<std::uint64_t> positions;
    auto row = std::lower_bound(rows_.begin(), rows_.end(), Row{hash, 0});
    for (; row != rows_.end() && row->hash == hash; ++row)
        positions.push_back(row->position());
    return positions;
}

std::uint64_t PathIndex::hash_of(std::string_view path) const {
    std::array<unsigned char, crypto_shorthash_BYTES> bytes{};
    crypto_shorthash(bytes.data(), reinterpret_cast<const unsigned char*>(path.data()), path.size(),
                     key_.data());
    return number_at<std::uint64_t>({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 0);
}

}  // namespace stele::sdk::zip
