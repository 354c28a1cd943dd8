#include "kernel/resource/upkeep/binary_check.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/record_attachments.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "kernel/storage/check/store_check.hpp"

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

void check_binaries(storage::BlobProviders& binaries, std::vector<std::string>& differences) {
    for (const std::string& place : binaries.names()) {
        auto store = binaries.find(place);
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

namespace {

/// Only whether it is there: others read it.
sdk::Result<void> find_binary(storage::BlobProviders& binaries, sdk::BlobStore& store,
                              std::string_view name) {
    auto reader = store.open(name);
    if (reader) return {};
    if (!sdk::is_missing(reader.error())) return reader.error();
    // Noted; the others are looked for, too.
    (void)binaries.note_gone(reader.error());
    return {};
}

sdk::Result<void> find_attached_binaries(Services& services, const sdk::Reader& reader,
                                         const sdk::PlatformScope& platform) {
    return run_as_system(services, platform, [&](sdk::Context& context) {
        return for_each_attached(
            reader, platform.number,
            [&](const sdk::RecordKey& record, const sdk::Json& attachments) -> sdk::Result<void> {
                auto store = context.data_stores().binaries(record);
                // Its record has gone since.
                if (!store && sdk::is_missing(store.error())) return {};
                if (!store) return store.error();
                for (const sdk::Json& attachment : attachments) {
                    const std::string name = sdk::text_member(attachment, "objectId");
                    if (auto found = find_binary(services.binaries, **store, name); !found)
                        return found;
                }
                return {};
            });
    });
}

}  // namespace

sdk::Result<void> find_missing_binaries(Services& services) {
    const auto reader = services.engine->snapshot();
    auto platforms = services.platforms.all();
    if (!platforms) return platforms.error();
    for (const sdk::PlatformScope& platform : *platforms) {
        auto found = find_attached_binaries(services, *reader, platform);
        if (!found) return found;
    }
    if (services.content_sizes == nullptr) return {};
    return services.content_sizes->for_each_binary(
        *reader, [&services](sdk::BlobStore& store, std::string_view name) {
            return find_binary(services.binaries, store, name);
        });
}

}  // namespace stele::kernel::resource
