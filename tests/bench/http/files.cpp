// The least that a server of files can do, a thread for each connection: a GET is answered by
// sendfile(2) of one file, the body of a POST is written to a new one and synced before its answer.
// Downloads and uploads of the server are measured against it.
//
//     bench_http_files <port> <file> <folder for uploads>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr char kLength[] = "\r\nContent-Length: ";

bool send_all(int socket, const std::string& text, int flags) {
    return ::send(socket, text.data(), text.size(), flags | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
}

bool send_file(int socket, int file, std::size_t size) {
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
    if (!send_all(socket, head, MSG_MORE)) return false;
    off_t at = 0;
    while (at < static_cast<off_t>(size))
        if (::sendfile(socket, file, &at, size - static_cast<std::size_t>(at)) <= 0) return false;
    return true;
}

/// `input` holds what has arrived of the body; it is all used.
bool store_body(int socket, const std::string& path, std::string& input, std::size_t size) {
    const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    std::string piece = std::move(input);
    bool is_good = file >= 0;
    while (is_good) {
        is_good = ::write(file, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size());
        size -= std::min(size, piece.size());
        if (size == 0 || !is_good) break;
        piece.resize(kPiece);
        const ssize_t got = ::recv(socket, piece.data(), std::min(size, kPiece), 0);
        is_good = got > 0;
        piece.resize(is_good ? static_cast<std::size_t>(got) : 0);
    }
    input.clear();
    is_good = is_good && ::fsync(file) == 0;
    ::close(file);
    return is_good && send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 0);
}

void serve(int socket, int file, std::size_t size, const std::string& folder) {
    static std::atomic<unsigned> last_upload{0};
    std::string input;
    bool is_open = true;
    while (is_open) {
        const std::size_t end = input.find("\r\n\r\n");
        if (end == std::string::npos) {
            char more[16384];
            const ssize_t got = ::recv(socket, more, sizeof(more), 0);
            is_open = got > 0;
            if (is_open) input.append(more, static_cast<std::size_t>(got));
            continue;
        }
        const std::string head = input.substr(0, end);
        input.erase(0, end + 4);
        const std::size_t length = head.find(kLength);
        if (length == std::string::npos) {
            is_open = send_file(socket, file, size);
        } else {
            const std::string path = folder + '/' + std::to_string(++last_upload);
            is_open =
                store_body(socket, path, input,
                           std::strtoul(head.c_str() + length + sizeof(kLength) - 1, nullptr, 10));
        }
    }
    ::close(socket);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s <port> <file> <folder for uploads>\n", arguments[0]);
        return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    const int file = ::open(arguments[2], O_RDONLY | O_CLOEXEC);
    struct stat found = {};
    if (file < 0 || ::fstat(file, &found) != 0) return 1;
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(arguments[1])));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return 1;
    if (::listen(listener, SOMAXCONN) != 0) return 1;
    for (;;) {
        const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        std::thread(serve, socket, file, static_cast<std::size_t>(found.st_size),
                    std::string(arguments[3]))
            .detach();
    }
}
