#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace stele::kernel::file {

/// An open file of the operating system; closed with the object.
class PosixFile {
public:
    PosixFile() = default;
    /// Not open when `open` fails; `errno` tells why. What is opened for reading only and is no
    /// folder must be a file: a pipe that somebody put there would be waited for, for ever.
    PosixFile(const std::filesystem::path& path, int flags);
    /// Takes over an open descriptor, or the -1 of a call that failed.
    static PosixFile own(int descriptor);
    ~PosixFile();
    PosixFile(PosixFile&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, kClosed)) {}
    PosixFile& operator=(PosixFile&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    bool is_open() const { return descriptor_ != kClosed; }
    int descriptor() const { return descriptor_; }

private:
    static constexpr int kClosed = -1;
    int descriptor_ = kClosed;
};

/// Brings new, renamed and removed names of a folder to the disk; false with `errno` on failure.
bool sync_folder(const std::filesystem::path& folder);

/// Creates a folder with those above it, on disk when this returns true; false with `errno`.
bool create_folder(const std::filesystem::path& folder);

/// Room that an unprivileged process has on the disk of `folder`; false with `errno`.
bool available_bytes(const std::filesystem::path& folder, std::uint64_t& bytes);

/// Whether `errno` says that there is something else than a file: a folder, a pipe, a socket.
bool is_not_a_file(int error);

/// What `errno` says.
std::string system_reason(int error);

}  // namespace stele::kernel::file
