#include <stele/sdk/zip.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "zip/byte_window.hpp"
#include "zip/entry_source.hpp"
#include "zip/path_index.hpp"
#include "zip/zip_directory.hpp"
#include "zip/zip_format.hpp"

namespace stele::sdk {

namespace {

/// Around an entry that is looked up; its neighbours are not wanted.
constexpr std::size_t kLookup = 1024;

/// What all files may expand to.
std::uint64_t most_bytes(std::uint64_t size, const ZipLimits& limits) {
    const bool is_beyond = limits.expansion != 0 && size > limits.most_bytes / limits.expansion;
    const std::uint64_t expanded = is_beyond ? limits.most_bytes : size * limits.expansion;
    return std::min(std::max(expanded, limits.least_bytes), limits.most_bytes);
}

}  // namespace

struct ZipReader::State {
    State(BlobStore::Reader& archive, const zip::DirectoryPlace& directory,
          std::uint64_t most_folders, const std::filesystem::path& scratch)
        : bytes(archive), place(directory), index(scratch, most_folders), extents(scratch) {}

    zip::ByteWindow window(std::size_t ahead) const { return {bytes, place.end(), ahead}; }
    Result<void> scan(const ZipLimits& limits);
    Result<void> order();
    /// With its limit.
    Result<zip::DirectoryEntry> entry(zip::ByteWindow& directory, std::uint64_t position) const;

    BlobStore::Reader& bytes;
    zip::DirectoryPlace place;
    zip::PathIndex index;
    /// The entries lie in the order of the directory.
    bool is_ascending = true;
    /// From where to where they reach at least; only where they lie in another order.
    zip::SortedRows extents;
};

Result<void> ZipReader::State::scan(const ZipLimits& limits) {
    const std::uint64_t most = most_bytes(bytes.size(), limits);
    zip::ByteWindow directory = window(zip::kPiece);
    std::uint64_t position = place.begin;
    std::uint64_t size = 0;
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < place.count; ++i) {
        auto found = zip::entry_at(directory, place, position);
        if (!found) return found.error();
        if (found->entry.size > most - size)
            return zip::too_large("expands to more than " + std::to_string(most) + " bytes");
        size += found->entry.size;
        is_ascending = is_ascending && found->entry.offset >= end;
        end = found->least_end;
        if (auto added = index.add(found->entry.path, position); !added) return added;
        position = found->next;
    }
    if (position != place.end()) return zip::malformed("its directory has more than its entries");
    return {};
}

/// What does not lie in the order of the directory is sorted, to find what overlaps.
Result<void> ZipReader::State::order() {
    if (is_ascending) return {};
    zip::ByteWindow directory = window(zip::kPiece);
    std::uint64_t position = place.begin;
    for (std::uint64_t i = 0; i < place.count; ++i) {
        auto found = zip::entry_at(directory, place, position);
        if (!found) return found.error();
        auto added = extents.add({found->entry.offset, found->least_end});
        if (!added) return added;
        position = found->next;
    }
    if (auto sorted = extents.sort(); !sorted) return sorted;
    std::uint64_t end = 0;
    return extents.for_each([&end](const zip::SortedRows::Row& extent) -> Result<bool> {
        if (extent.first < end) return zip::malformed("two of its entries overlap");
        end = extent.second;
        return true;
    });
}

Result<zip::DirectoryEntry> ZipReader::State::entry(zip::ByteWindow& directory,
                                                    std::uint64_t position) const {
    auto found = zip::entry_at(directory, place, position);
    if (!found) return found;
    found->entry.limit = place.begin;
    if (!is_ascending) {
        auto next = extents.first_from({found->entry.offset + 1, 0});
        if (!next) return next.error();
        if (*next) found->entry.limit = (*next)->first;
    } else if (found->next < place.end()) {
        auto next = zip::offset_at(directory, found->next);
        if (!next) return next.error();
        found->entry.limit = *next;
    }
    return found;
}

ZipReader::ZipReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipReader::~ZipReader() = default;
ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;

Result<ZipReader> ZipReader::open(BlobStore::Reader& bytes, const ZipLimits& limits,
                                  const std::filesystem::path& scratch) {
    auto place = zip::find_directory(bytes);
    if (!place) return place.error();
    if (place->count > limits.entries)
        return zip::too_large("has more than " + std::to_string(limits.entries) + " entries");
    auto state = std::make_unique<State>(bytes, *place, limits.entries, scratch);
    if (auto scanned = state->scan(limits); !scanned) return scanned.error();
    if (auto ordered = state->order(); !ordered) return ordered.error();
    zip::ByteWindow directory = state->window(kLookup);
    auto finished = state->index.finish([&](std::uint64_t position) -> Result<std::string> {
        auto found = zip::entry_at(directory, state->place, position);
        if (!found) return found.error();
        return std::move(found->entry.path);
    });
    if (!finished) return finished.error();
    return ZipReader(std::move(state));
}

std::uint64_t ZipReader::entry_count() const {
    return state_->place.count;
}

Result<void> ZipReader::for_each(
    const std::function<Result<bool>(const ZipEntry& entry)>& visit) const {
    zip::ByteWindow directory = state_->window(zip::kPiece);
    std::uint64_t position = state_->place.begin;
    while (position < state_->place.end()) {
        auto found = state_->entry(directory, position);
        if (!found) return found.error();
        auto more = visit(found->entry);
        if (!more) return more.error();
        if (!*more) break;
        position = found->next;
    }
    return {};
}

Result<std::optional<ZipEntry>> ZipReader::find(std::string_view path) const {
    zip::ByteWindow directory = state_->window(kLookup);
    auto positions = state_->index.find(path);
    if (!positions) return positions.error();
    for (const std::uint64_t position : *positions) {
        auto found = state_->entry(directory, position);
        if (!found) return found.error();
        if (found->entry.path == path) return std::optional(std::move(found->entry));
    }
    return std::optional<ZipEntry>();
}

PieceSource ZipReader::read(const ZipEntry& entry) const {
    // Shared because a PieceSource is copyable; copies go on with the same bytes.
    return [source = std::make_shared<zip::EntrySource>(state_->bytes, entry)](std::string& piece) {
        return source->read(piece);
    };
}

Result<std::string> ZipReader::read_all(const ZipEntry& entry, std::size_t limit) const {
    if (entry.size > limit) {
        return zip::too_large("has more than " + std::to_string(limit) + " bytes in " +
                              shown_path(entry.path));
    }
    zip::EntrySource source(state_->bytes, entry);
    std::string all;
    all.reserve(static_cast<std::size_t>(entry.size));
    std::string piece;
    while (true) {
        if (auto read = source.read(piece); !read) return read.error();
        if (piece.empty()) return all;
        all += piece;
    }
}

}  // namespace stele::sdk
