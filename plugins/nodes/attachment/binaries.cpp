#include "attachment/binaries.hpp"

#include <algorithm>

#include <stele/sdk/data_store.hpp>

namespace stele::nodes {

namespace {

constexpr std::size_t kReadPiece = std::size_t{256} * 1024;

/// How the kernel tells that a platform was removed.
constexpr char kUnknownPlatform[] = "platform.unknown";

/// Whether that is why something of a repository was not found.
sdk::Result<bool> was_removed(Services& services, const sdk::ContentSpace& space,
                              const sdk::Error& not_found) {
    if (!sdk::is_missing(not_found)) return false;
    if (not_found.code == kUnknownPlatform) return true;
    auto listed = services.branches.has_space(*services.registrar.engine().snapshot(), space);
    if (!listed) return listed;
    return !*listed;
}

}  // namespace

sdk::Result<sdk::BlobStore*> binaries_of(Services& services, const sdk::Reader& reader,
                                         const sdk::ContentSpace& space) {
    // Any of its branches stands for the repository.
    sdk::RecordKey branch;
    const BranchPlace place{space.platform, space.repository, kFirstLine};
    auto walked =
        services.branches.for_each_line(reader, place, [&](Line, const sdk::RecordKey& first) {
            branch = first;
            return false;
        });
    if (!walked) return walked.error();
    sdk::BlobStore* binaries = nullptr;
    // The number is enough to ask for a record by its key. A closed platform is asked, too: nobody
    // gets into it, but what it holds stays.
    const sdk::PlatformScope platform{space.platform, {}, {}};
    auto asked =
        services.registrar.run_as_system(platform, [&](sdk::Context& context) -> sdk::Result<void> {
            auto found = context.data_stores().binaries(branch);
            if (!found) return found.error();
            binaries = *found;
            return {};
        });
    if (asked) return binaries;
    auto removed = was_removed(services, space, asked.error());
    if (!removed) return removed.error();
    if (!*removed) return asked.error();
    return nullptr;
}

sdk::Result<std::string> first_bytes(sdk::BlobStore& binaries, const std::string& name,
                                     std::size_t limit) {
    auto reader = binaries.open(name);
    if (!reader) return reader.error();
    std::string bytes;
    std::string piece;
    while (bytes.size() < limit) {
        const std::size_t wanted = std::min(kReadPiece, limit - bytes.size());
        if (auto read = (*reader)->read(bytes.size(), wanted, piece); !read) return read.error();
        if (piece.empty()) break;
        bytes += piece;
    }
    return bytes;
}

}  // namespace stele::nodes
