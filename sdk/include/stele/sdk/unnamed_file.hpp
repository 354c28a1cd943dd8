#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Where a server with this data folder keeps such files; made when it is missing, and whoever
/// opens one there hears of the problem. Empty where the server has no folder.
std::filesystem::path scratch_folder_in(const std::filesystem::path& data_folder);

/// Bytes on disk in a file without a name, which ends with the object. What was appended last is
/// still in memory. One thread. Failures are `storage_full` (`zip.disk_full`), also where others
/// would have less than the reserve, or `unavailable` (`zip.disk_failed`).
class UnnamedFile {
public:
    /// As many bytes of a disk are left to others by all such files of the process from now on;
    /// none at first. Any thread.
    static void set_reserve(std::uint64_t bytes);
    static Result<UnnamedFile> open(const std::filesystem::path& folder);
    ~UnnamedFile();
    UnnamedFile(UnnamedFile&& other) noexcept;
    UnnamedFile& operator=(UnnamedFile&& other) noexcept;

    Result<void> append(std::string_view bytes);
    /// In the place of what is at `offset`, or behind the end: what lies between reads as zeros.
    Result<void> write(std::uint64_t offset, std::string_view bytes);
    std::uint64_t size() const { return written_ + waiting_.size(); }
    /// Replaces `piece` with at most `most` bytes from `offset`, and may read fewer; empty at the
    /// end.
    Result<void> read(std::uint64_t offset, std::string& piece,
                      std::size_t most = std::size_t{64} * 1024) const;

private:
    explicit UnnamedFile(int descriptor) : descriptor_(descriptor) {}
    Result<void> write_waiting();
    Result<void> write_at(std::uint64_t offset, std::string_view bytes);
    Result<void> check_room(std::size_t count);

    int descriptor_;
    /// May be written before the disk is looked at again.
    std::uint64_t granted_ = 0;
    std::uint64_t written_ = 0;
    std::string waiting_;
};

}  // namespace stele::sdk
