// The least that a Beast responder can do: no routes, no limits, no headers beyond
// the length. What the server reaches is measured against it.
//
//     bench_http_ceiling <port> <threads> <body bytes>

#include "kernel/http/message/server_beast.hpp"
// The switches above come before Asio.
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "kernel/http/connection/listener_address.hpp"

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

/// Walks over a request and keeps nothing of it.
class Parser final : public http::basic_parser<true> {
    void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int, string_view, int, error_code&) override {}
    void on_field_impl(http::field, string_view, string_view, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view text, error_code&) override { return text.size(); }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view text, error_code&) override {
        return text.size();
    }
    void on_finish_impl(error_code&) override {}
};

class Session;
using Sessions = std::unordered_set<std::shared_ptr<Session>>;

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(Socket&& socket, const std::string& reply, Sessions& sessions)
        : socket_(std::move(socket)), reply_(reply), sessions_(sessions) {}

    void read() {
        socket_.async_read_some(
            asio::buffer(buffer_.data() + filled_, buffer_.size() - filled_),
            [this, keep = shared_from_this()](const error_code& code, std::size_t count) {
                if (code) return close();
                filled_ += count;
                last_used_ = Clock::now();
                on_bytes();
            });
    }

    void close_if_idle_since(Clock::time_point time) {
        if (last_used_ < time) close();
    }

private:
    void on_bytes() {
        Parser parser;
        parser.eager(true);
        error_code code;
        const std::size_t used = parser.put(asio::buffer(buffer_.data(), filled_), code);
        if (code == http::error::need_more && filled_ < buffer_.size()) return read();
        if (code) return close();
        filled_ -= used;
        if (filled_ > 0) std::memmove(buffer_.data(), buffer_.data() + used, filled_);
        written_ = 0;
        write();
    }

    void write() {
        socket_.async_write_some(
            asio::buffer(reply_.data() + written_, reply_.size() - written_),
            [this, keep = shared_from_this()](const error_code& code, std::size_t count) {
                if (code) return close();
                written_ += count;
                if (written_ < reply_.size()) return write();
                if (filled_ > 0) return on_bytes();
                read();
            });
    }

    void close() {
        error_code ignored;
        socket_.close(ignored);
        sessions_.erase(shared_from_this());
    }

    Socket socket_;
    const std::string& reply_;
    Sessions& sessions_;
    std::array<char, 8192> buffer_{};
    std::size_t filled_ = 0;
    std::size_t written_ = 0;
    Clock::time_point last_used_ = Clock::now();
};

class Thread {
public:
    Thread(int descriptor, const std::string& reply)
        : acceptor_(io_, asio::ip::tcp::v4(), descriptor), timer_(io_), reply_(reply) {}

    void run() {
        accept();
        sweep();
        io_.run();
    }

private:
    void accept() {
        acceptor_.async_accept([this](const error_code& code, Socket socket) {
            if (!code) {
                error_code ignored;
                socket.set_option(asio::ip::tcp::no_delay(true), ignored);
                auto session = std::make_shared<Session>(std::move(socket), reply_, sessions_);
                sessions_.insert(session);
                session->read();
            }
            accept();
        });
    }

    void sweep() {
        timer_.expires_after(std::chrono::seconds(1));
        timer_.async_wait([this](const error_code&) {
            const auto oldest = Clock::now() - std::chrono::seconds(75);
            const Sessions all = sessions_;
            for (const auto& session : all)
                session->close_if_idle_since(oldest);
            sweep();
        });
    }

    asio::io_context io_{1};
    Acceptor acceptor_;
    Timer timer_;
    const std::string& reply_;
    Sessions sessions_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s <port> <threads> <body bytes>\n", arguments[0]);
        return 2;
    }
    const std::string body(std::strtoul(arguments[3], nullptr, 10), 'x');
    const std::string reply =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    const auto port = static_cast<std::uint16_t>(std::strtoul(arguments[1], nullptr, 10));
    const int threads = std::atoi(arguments[2]);
    const auto sockets = stele::kernel::http::listen_on("127.0.0.1", port, threads);
    if (!sockets) {
        std::fprintf(stderr, "%s\n", sockets.error().message.c_str());
        return 1;
    }
    std::vector<std::thread> running;
    for (const int descriptor : sockets->descriptors) {
        running.emplace_back([descriptor, &reply] { Thread(descriptor, reply).run(); });
    }
    for (std::thread& thread : running)
        thread.join();
}
