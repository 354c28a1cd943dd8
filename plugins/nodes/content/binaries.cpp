#include "content/binaries.hpp"

#include <algorithm>

#include <stele/sdk/data_store.hpp>

namespace stele::nodes {

namespace {

constexpr std::size_t kReadPiece = std::size_t{256} * 1024;

}  // namespace

sdk::Result<sdk::BlobStore*> binaries_of(Services& services, const sdk::Reader& reader,
                                         const sdk::ContentSpace& space) {
    auto platform = services.registrar.find_platform(space.platform);
    if (!platform) return platform.error();
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
    auto asked = services.registrar.run_as_system(
        *platform, [&](sdk::Context& context) -> sdk::Result<void> {
            auto found = context.data_stores().binaries(branch);
            if (!found) return found.error();
            binaries = *found;
            return {};
        });
    if (!asked) return asked.error();
    return binaries;
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
