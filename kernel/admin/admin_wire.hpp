#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>

#include <stele/sdk/result.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::admin {

inline constexpr char kSocketName[] = "admin.sock";

enum class FrameKind : char { data = 'D', end = 'Z', failure = 'E' };

/// A socket's address below a folder whose path may be longer than an address can hold: it names
/// the open folder.
class SocketAddress {
public:
    /// Not usable when the folder cannot be opened; `errno` tells why.
    SocketAddress(const std::filesystem::path& folder, std::string_view name);

    bool is_usable() const { return folder_.is_open(); }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
    static constexpr socklen_t size() { return sizeof(sockaddr_un); }

private:
    file::PosixFile folder_;
    sockaddr_un address_{};
};

/// Both wait; false when the other side is gone.
bool send_all(int descriptor, std::string_view bytes);
bool receive_all(int descriptor, std::size_t size, std::string& out);

bool send_frame(int descriptor, FrameKind kind, std::string_view content);
bool receive_frame(int descriptor, FrameKind& kind, std::string& content);

/// A line without its end; false when it is longer than a request can be, or never ends.
bool receive_line(int descriptor, std::string& line);

}  // namespace stele::kernel::admin
