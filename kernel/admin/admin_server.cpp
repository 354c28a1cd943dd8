#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

#include <stele/sdk/log.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/admin/admin_wire.hpp"

namespace stele::kernel::admin {

namespace {

constexpr timeval kRequestTime{5, 0};

/// The folder's permissions keep others out already.
bool is_own_user(int descriptor) {
    ucred peer{};
    socklen_t size = sizeof(peer);
    if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == 0 || peer.uid == ::geteuid();
}

std::string failure_text(const sdk::Error& error) {
    return sdk::dump_json(
        {{"code", error.code}, {"message", error.message}, {"detail", error.detail}});
}

sdk::Error unusable(const std::string& doing) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "admin.socket_failed",
                           "the socket for administration cannot be used",
                           doing + ": " + file::system_reason(errno));
}

}  // namespace

/// The listening socket and the thread that serves it.
class AdminServer::Socket {
public:
    ~Socket() {
        for (const int descriptor : {listening, wake}) {
            if (descriptor >= 0) ::close(descriptor);
        }
    }

    int listening = -1;
    int wake = -1;
    ino_t name_node = 0;  ///< of the name in the data folder that this server made
    std::atomic<bool> is_stopping = false;
    std::mutex mutex;
    int active = -1;  ///< the conversation under way, while there is one
    std::thread thread;
};

AdminServer::AdminServer(std::filesystem::path data, std::map<std::string, Command> commands)
    : data_(std::move(data)), commands_(std::move(commands)) {}

AdminServer::~AdminServer() {
    stop();
}

sdk::Result<void> AdminServer::start() {
    auto socket = std::make_unique<Socket>();
    socket->listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socket->wake = ::eventfd(0, EFD_CLOEXEC);
    if (socket->listening < 0 || socket->wake < 0) return unusable("while making it");
    // Bound under a name of its own and then renamed: a name that a dead server left is replaced,
    // and nobody can connect before the permissions are set.
    const std::string fresh = std::string(kSocketName) + "." + std::to_string(::getpid());
    const SocketAddress address(data_, fresh);
    if (!address.is_usable()) return unusable("while opening the data folder");
    ::unlink((data_ / fresh).c_str());
    if (::bind(socket->listening, address.get(), SocketAddress::size()) != 0) {
        return unusable("while binding it");
    }
    struct stat made {};
    if (::chmod((data_ / fresh).c_str(), 0600) != 0 ||
        ::stat((data_ / fresh).c_str(), &made) != 0 ||
        ::listen(socket->listening, SOMAXCONN) != 0 ||
        ::rename((data_ / fresh).c_str(), (data_ / kSocketName).c_str()) != 0) {
        const auto error = unusable("while naming it");
        ::unlink((data_ / fresh).c_str());
        return error;
    }
    socket->name_node = made.st_ino;
    socket_ = std::move(socket);
    socket_->thread = std::thread([this] { run(); });
    return {};
}

void AdminServer::stop() {
    if (!socket_) return;
    socket_->is_stopping = true;
    const std::uint64_t one = 1;
    if (::write(socket_->wake, &one, sizeof(one)) < 0) {
        sdk::log(sdk::LogLevel::error, "admin", "the thread cannot be woken");
    }
    {
        const std::lock_guard lock(socket_->mutex);
        if (socket_->active >= 0) ::shutdown(socket_->active, SHUT_RDWR);
    }
    socket_->thread.join();
    // Another server over the same folder may have taken the name.
    struct stat named {};
    const auto name = data_ / kSocketName;
    if (::stat(name.c_str(), &named) == 0 && named.st_ino == socket_->name_node) {
        ::unlink(name.c_str());
    }
    socket_.reset();
}

void AdminServer::run() {
    while (!socket_->is_stopping) {
        std::array<pollfd, 2> wanted{pollfd{socket_->listening, POLLIN, 0},
                                     pollfd{socket_->wake, POLLIN, 0}};
        if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return;
        if (socket_->is_stopping || (wanted[0].revents & POLLIN) == 0) continue;
        const int descriptor = ::accept4(socket_->listening, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor < 0) continue;
        {
            const std::lock_guard lock(socket_->mutex);
            socket_->active = descriptor;
        }
        if (!socket_->is_stopping && is_own_user(descriptor)) serve(descriptor);
        const std::lock_guard lock(socket_->mutex);
        socket_->active = -1;
        ::close(descriptor);
    }
}

void AdminServer::serve(int descriptor) {
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &kRequestTime, sizeof(kRequestTime));
    std::string line;
    if (!receive_line(descriptor, line)) return;
    auto request = sdk::parse_json(line);
    sdk::Result<sdk::Json> answered = request;
    if (request) {
        try {
            answered = answer(*request, [descriptor](std::string_view bytes) -> sdk::Result<void> {
                if (send_frame(descriptor, FrameKind::data, bytes)) return {};
                return sdk::make_error(sdk::ErrorKind::unavailable, "admin.caller_gone",
                                       "whoever asked is gone");
            });
        } catch (const std::exception& problem) {
            answered = sdk::make_error(sdk::ErrorKind::internal, "admin.command_failed",
                                       "the server failed", problem.what());
        }
    }
    if (answered) {
        send_frame(descriptor, FrameKind::end, sdk::dump_json(*answered));
    } else {
        send_frame(descriptor, FrameKind::failure, failure_text(answered.error()));
    }
}

sdk::Result<sdk::Json> AdminServer::answer(const sdk::Json& request, const Output& output) {
    const std::string name = sdk::text_member(request, "command");
    const auto command = commands_.find(name);
    if (command == commands_.end()) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "admin.command_unknown",
            "the server does not know the command '" + name + "'; it is of another version");
    }
    sdk::log(sdk::LogLevel::info, "admin", name + " began");
    auto answered =
        command->second({request, output, [this] { return socket_->is_stopping.load(); }});
    sdk::log(sdk::LogLevel::info, "admin",
             name + (answered ? " ended" : " failed: " + answered.error().code));
    return answered;
}

}  // namespace stele::kernel::admin
