#include "http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace stele::conformance {

namespace {

/// A connected socket, or -1.
int connect_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return -1;
    const timeval patience{30, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
        return socket;
    }
    ::close(socket);
    return -1;
}

bool send_all(int socket, const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
        const ssize_t now = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) return false;
        sent += static_cast<std::size_t>(now);
    }
    return true;
}

std::string receive_all(int socket) {
    std::string text;
    char piece[16384];
    while (true) {
        const ssize_t now = ::recv(socket, piece, sizeof(piece), 0);
        if (now <= 0) return text;
        text.append(piece, static_cast<std::size_t>(now));
    }
}

std::string unchunked(const std::string& text) {
    std::string body;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t size = 0;
        const auto [end, problem] =
            std::from_chars(text.data() + at, text.data() + text.size(), size, 16);
        if (problem != std::errc() || size == 0) break;
        at = static_cast<std::size_t>(end - text.data()) + 2;
        body += text.substr(at, size);
        at += size + 2;
    }
    return body;
}

std::string tag_in(const std::string& head) {
    constexpr std::string_view kName = "\r\nETag: ";
    const auto is_same = [](char one, char other) {
        return std::tolower(static_cast<unsigned char>(one)) ==
               std::tolower(static_cast<unsigned char>(other));
    };
    const auto found = std::search(head.begin(), head.end(), kName.begin(), kName.end(), is_same);
    if (found == head.end()) return {};
    const auto value = found + static_cast<std::ptrdiff_t>(kName.size());
    return {value, std::find(value, head.end(), '\r')};
}

}  // namespace

Answer HttpClient::exchange(const std::string& request) const {
    Answer answer;
    const int socket = connect_to(port_);
    if (socket < 0) return answer;
    std::string text;
    if (send_all(socket, request)) text = receive_all(socket);
    ::close(socket);
    const std::size_t head = text.find("\r\n\r\n");
    if (head == std::string::npos || text.size() < 12) return answer;
    std::from_chars(text.data() + 9, text.data() + 12, answer.status);
    answer.tag = tag_in(text.substr(0, head));
    answer.body = text.substr(head + 4);
    if (text.substr(0, head).find("chunked") != std::string::npos) {
        answer.body = unchunked(answer.body);
    }
    auto json = sdk::parse_json(answer.body);
    if (json) answer.json = std::move(*json);
    return answer;
}

Answer HttpClient::ask(const std::string& method, const std::string& path, const std::string& body,
                       const std::string& content_type) const {
    std::string request = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n";
    if (!token_.empty()) request += "Authorization: Bearer " + token_ + "\r\n";
    request += "Content-Type: " + content_type +
               "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body;
    return exchange(request);
}

std::string HttpClient::login(const std::string& basic, const std::string& form) const {
    const Answer answer =
        exchange("POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic " + basic +
                 "\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
                 "Content-Length: " +
                 std::to_string(form.size()) + "\r\n\r\n" + form);
    if (answer.status != 200 || !answer.json.is_object()) return {};
    return answer.json.value("access_token", std::string());
}

}  // namespace stele::conformance
