#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>

#include "kernel/http/connection/server_test_client.hpp"

namespace stele::kernel::http {

TestClient::TestClient(std::uint16_t port, int receive_buffer) {
    descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0) {
        setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    }
    const int yes = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    // Only so that a broken server fails the test rather than blocks it.
    const timeval patience{20, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
        ::close(descriptor_);
        throw std::runtime_error("cannot connect");
    }
}

TestClient::~TestClient() {
    ::close(descriptor_);
}

bool TestClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

long TestClient::read_some(char* bytes, std::size_t size) {
    return ::recv(descriptor_, bytes, size, 0);
}

bool TestClient::fill() {
    std::array<char, 16384> bytes{};
    const long count = read_some(bytes.data(), bytes.size());
    if (count <= 0) return false;
    input_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
}

std::optional<std::string> TestClient::take_line() {
    std::size_t end = 0;
    while ((end = input_.find("\r\n")) == std::string::npos) {
        if (!fill()) return std::nullopt;
    }
    std::string line = input_.substr(0, end);
    input_.erase(0, end + 2);
    return line;
}

std::optional<std::string> TestClient::take(std::size_t size) {
    while (input_.size() < size) {
        if (!fill()) return std::nullopt;
    }
    std::string bytes = input_.substr(0, size);
    input_.erase(0, size);
    return bytes;
}

bool TestClient::take_chunks(std::string& body) {
    for (;;) {
        const auto line = take_line();
        if (!line) return false;
        const std::size_t size = std::stoul(*line, nullptr, 16);
        const auto chunk = take(size);
        const auto end = take_line();
        if (!chunk || !end || !end->empty()) return false;
        if (size == 0) return true;
        body += *chunk;
    }
}

std::optional<ClientReply> TestClient::receive(bool has_body) {
    ClientReply reply;
    const auto status_line = take_line();
    if (!status_line || !status_line->starts_with("HTTP/1.1 ")) return std::nullopt;
    reply.status = std::stoi(status_line->substr(9, 3));
    reply.reason = status_line->substr(13);
    for (;;) {
        const auto line = take_line();
        if (!line) return std::nullopt;
        if (line->empty()) break;
        const std::size_t colon = line->find(": ");
        if (colon == std::string::npos) return std::nullopt;
        reply.headers.emplace(sdk::lower_case(line->substr(0, colon)), line->substr(colon + 2));
    }
    if (!has_body || reply.status == 304 || reply.status == 100) return reply;
    if (reply.header("transfer-encoding") == "chunked") {
        if (!take_chunks(reply.body)) return std::nullopt;
    } else if (reply.header("content-length") != "(none)") {
        auto body = take(std::stoul(reply.header("content-length")));
        if (!body) return std::nullopt;
        reply.body = std::move(*body);
    } else {
        reply.body = receive_all();
    }
    return reply;
}

std::string TestClient::receive_all() {
    while (fill()) {
    }
    return std::exchange(input_, {});
}

bool TestClient::is_at_end() {
    if (!input_.empty()) return false;
    char byte = 0;
    return read_some(&byte, 1) == 0;
}

void TestClient::end_sending() {
    ::shutdown(descriptor_, SHUT_WR);
}

nlohmann::json error_of(const std::optional<ClientReply>& reply) {
    REQUIRE(reply);
    nlohmann::json body = nlohmann::json::parse(reply->body);
    CHECK(body["ok"] == false);
    CHECK(body["error"] == true);
    CHECK(body["status"] == reply->status);
    CHECK(body["requestId"] == reply->header("x-request-id"));
    CHECK_FALSE(body["message"].get<std::string>().empty());
    return body;
}

}  // namespace stele::kernel::http
