#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk::zip {

/// Bytes on disk in a file without a name, which ends with the object. What was appended last is
/// still in memory. One thread. Failures are `storage_full` (`zip.disk_full`) or `unavailable`
/// (`zip.disk_failed`).
class UnnamedFile {
public:
    static Result<UnnamedFile> open(const std::filesystem::path& folder);
    ~UnnamedFile();
    UnnamedFile(UnnamedFile&& other) noexcept;
    UnnamedFile& operator=(UnnamedFile&& other) noexcept;

    Result<void> append(std::string_view bytes);
    std::uint64_t size() const { return written_ + waiting_.size(); }
    /// Replaces `piece` with bytes from `offset`; empty at the end.
    Result<void> read(std::uint64_t offset, std::string& piece) const;

private:
    explicit UnnamedFile(int descriptor) : descriptor_(descriptor) {}
    Result<void> write_waiting();

    int descriptor_;
    std::uint64_t written_ = 0;
    std::string waiting_;
};

}  // namespace stele::sdk::zip
