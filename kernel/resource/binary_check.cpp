#include "kernel/resource/binary_check.hpp"

#include "kernel/resource/rooms.hpp"
#include "kernel/storage/store_check.hpp"

namespace stele::kernel::resource {

namespace {

constexpr std::size_t kCheckedPiece = 1024 * 1024;

/// Reading all of it verifies it.
sdk::Result<void> read_binary(sdk::BlobStore& store, const std::string& name) {
    auto reader = store.open(name);
    // Removed since it was listed.
    if (!reader && sdk::is_missing(reader.error())) return {};
    if (!reader) return reader.error();
    std::string piece;
    std::uint64_t offset = 0;
    do {
        if (auto read = (*reader)->read(offset, kCheckedPiece, piece); !read) return read;
        offset += piece.size();
    } while (!piece.empty() && offset < (*reader)->size());
    return {};
}

}  // namespace

void check_binaries(Rooms& rooms, std::vector<std::string>& differences) {
    for (const std::string& place : rooms.binaries.names()) {
        auto store = rooms.binaries.find(place);
        if (!store) {
            differences.push_back(storage::not_checked("the binaries in " + place, store.error()));
            continue;
        }
        auto listed = (*store)->for_each([&](std::string_view name) {
            auto read = read_binary(**store, std::string(name));
            if (!read)
                differences.push_back(storage::not_checked(
                    "the binary " + place + '/' + std::string(name), read.error()));
        });
        if (!listed)
            differences.push_back(storage::not_checked("the binaries in " + place, listed.error()));
    }
}

}  // namespace stele::kernel::resource
