#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/call.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::http {

/// Makes the folder that uploads wait in, and removes what a server left there that was killed.
sdk::Result<void> prepare_upload_folder(const std::filesystem::path& folder);
/// Whether uploads can lie there: `unavailable` (`http.upload_folder_unusable`) otherwise. A full
/// disk, or too many open files, is another matter.
sdk::Result<void> check_upload_folder(const std::filesystem::path& folder);

/// One body on its way in: its beginning in memory, the rest in a file without a name, which is
/// gone with the object or the process. One thread at a time; once complete, any number reads.
class UploadSpool {
public:
    static constexpr std::size_t kInMemory = 64 * 1024;

    /// As many bytes as `reserve` says are left to others on the folder's disk.
    UploadSpool(std::filesystem::path folder, std::uint64_t reserve);

    /// Keeps so many bytes in memory, which the caller has room for; before any is here.
    void keep_in_memory(std::size_t bytes) {
        in_memory_ = std::max(bytes, kInMemory);
        memory_.reserve(in_memory_);
    }

    /// Whether `append` of so many bytes waits for the disk.
    bool needs_disk(std::size_t count) const { return memory_.size() + count > in_memory_; }
    /// `storage_full` (`http.upload_disk_full`) when the disk has no room.
    sdk::Result<void> append(std::string_view bytes);

    std::uint64_t size() const { return memory_.size() + file_size_; }
    std::size_t memory_size() const { return memory_.size(); }
    /// Replaces `piece` with the bytes from `offset` on, some kilobytes and at most `most`; empty
    /// at the end.
    sdk::Result<void> read(std::uint64_t offset, std::string& piece,
                           std::size_t most = std::size_t{64} * 1024) const;

private:
    sdk::Result<void> write(std::string_view bytes);
    sdk::Result<void> check_room(std::size_t count);

    std::filesystem::path folder_;
    std::uint64_t reserve_;
    std::string memory_;
    std::size_t in_memory_ = kInMemory;
    file::PosixFile file_;
    std::uint64_t file_size_ = 0;
    std::uint64_t granted_ = 0;  ///< bytes until the room on the disk is looked at again
};

/// A complete body, from its start.
std::unique_ptr<sdk::Upload> open_upload(std::shared_ptr<const UploadSpool> spool);

}  // namespace stele::kernel::http
