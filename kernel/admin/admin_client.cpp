#include <sys/socket.h>

#include <cerrno>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/admin/admin_wire.hpp"

namespace stele::kernel::admin {

namespace {

sdk::Error broken_off() {
    return sdk::make_error(sdk::ErrorKind::unavailable, "admin.server_gone",
                           "the server ended the conversation; its log may say why");
}

sdk::Error failure_of(const std::string& text) {
    auto failure = sdk::parse_json(text);
    if (!failure) return broken_off();
    return sdk::make_error(sdk::ErrorKind::unavailable, sdk::text_member(*failure, "code"),
                           sdk::text_member(*failure, "message"),
                           sdk::text_member(*failure, "detail"));
}

sdk::Result<file::PosixFile> connect_to(const std::filesystem::path& data) {
    const SocketAddress address(data, kSocketName);
    file::PosixFile socket = file::PosixFile::own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool is_connected =
        address.is_usable() && socket.is_open() &&
        ::connect(socket.descriptor(), address.get(), SocketAddress::size()) == 0;
    if (is_connected) return socket;
    const bool is_absent = errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR;
    return sdk::make_error(
        is_absent ? sdk::ErrorKind::not_found : sdk::ErrorKind::unavailable,
        is_absent ? "admin.not_served" : "admin.socket_failed",
        is_absent ? "no server serves this folder" : "the server of this folder cannot be asked",
        file::system_reason(errno));
}

}  // namespace

sdk::Result<sdk::Json> ask_server(const std::filesystem::path& data, const sdk::Json& request,
                                  const Output& output) {
    auto socket = connect_to(data);
    if (!socket) return socket.error();
    if (!send_all(socket->descriptor(), sdk::dump_json(request) + "\n")) return broken_off();
    FrameKind kind{};
    std::string content;
    while (receive_frame(socket->descriptor(), kind, content)) {
        switch (kind) {
            case FrameKind::data:
                if (auto taken = output(content); !taken) return taken.error();
                break;
            case FrameKind::end:
                return sdk::parse_json(content);
            case FrameKind::failure:
                return failure_of(content);
        }
    }
    return broken_off();
}

}  // namespace stele::kernel::admin
