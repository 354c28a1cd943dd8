#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include <stele/sdk/result.hpp>

#include "descriptor.hpp"
#include "preview.hpp"

namespace stele::node_previews {

struct CacheBounds {
    std::uint64_t bytes = 0;
    std::size_t files = 0;
};

/// Previews in files of one folder, which several servers may share. What was not asked for longest
/// goes first. Any thread.
class PreviewCache {
public:
    PreviewCache(std::filesystem::path folder, CacheBounds bounds)
        : folder_(std::move(folder)), bounds_(bounds) {}

    /// Makes the folder, for this user alone; `unavailable` (`node_previews.folder_unusable`) when
    /// it is there and open to others, or cannot be made.
    sdk::Result<void> prepare() const;

    /// Null when the preview is not kept, or was refused too long ago.
    PreviewPtr find(const std::string& key) const;
    /// A preview that cannot be kept is told to the log: it will be made again.
    void keep(const std::string& key, const Preview& preview);

    /// A file without a name, which goes with its descriptor. Makes the folder anew where somebody
    /// tidied it away.
    sdk::Result<Descriptor> open_nameless() const;

private:
    sdk::Result<void> write(const std::string& key, const Preview& preview) const;
    void trim() const;

    std::filesystem::path folder_;
    CacheBounds bounds_;
    std::mutex trimming_;
};

/// Everything from the beginning of a file, whatever its offset is.
sdk::Result<std::string> read_file(const Descriptor& file, std::uint64_t limit);
sdk::Result<void> write_file(const Descriptor& file, std::string_view bytes);
/// `unavailable`, with what the system says for the log.
sdk::Error folder_unusable(const std::string& what);

}  // namespace stele::node_previews
