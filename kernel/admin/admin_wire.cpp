#include "kernel/admin/admin_wire.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace stele::kernel::admin {

namespace {

constexpr std::size_t kHeadSize = 5;
constexpr std::uint32_t kMaxFrameBytes = 1U << 30;
constexpr std::size_t kMaxLineLength = 64 * 1024;

}  // namespace

SocketAddress::SocketAddress(const std::filesystem::path& folder, std::string_view name)
    : folder_(folder, O_PATH | O_DIRECTORY) {
    const std::string path =
        "/proc/self/fd/" + std::to_string(folder_.descriptor()) + "/" + std::string(name);
    address_.sun_family = AF_UNIX;
    std::strncpy(address_.sun_path, path.c_str(), sizeof(address_.sun_path) - 1);
}

bool send_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receive_all(int descriptor, std::size_t size, std::string& out) {
    out.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = ::recv(descriptor, out.data() + done, size - done, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

bool send_frame(int descriptor, FrameKind kind, std::string_view content) {
    std::string head(1, static_cast<char>(kind));
    for (std::size_t i = 0; i + 1 < kHeadSize; ++i)
        head.push_back(static_cast<char>(content.size() >> (8 * i)));
    return send_all(descriptor, head) && send_all(descriptor, content);
}

bool receive_frame(int descriptor, FrameKind& kind, std::string& content) {
    std::string head;
    if (!receive_all(descriptor, kHeadSize, head)) return false;
    kind = static_cast<FrameKind>(head.front());
    std::uint32_t length = 0;
    for (std::size_t i = kHeadSize; i-- > 1;)
        length = length << 8 | static_cast<unsigned char>(head[i]);
    return length <= kMaxFrameBytes && receive_all(descriptor, length, content);
}

bool receive_line(int descriptor, std::string& line) {
    line.clear();
    char byte = 0;
    while (line.size() < kMaxLineLength) {
        const ssize_t count = ::recv(descriptor, &byte, 1, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        if (byte == '\n') return true;
        line.push_back(byte);
    }
    return false;
}

}  // namespace stele::kernel::admin
