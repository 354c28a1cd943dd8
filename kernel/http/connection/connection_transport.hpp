#pragma once

#include "kernel/http/message/server_beast.hpp"
// The switches above come before Asio.
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <poll.h>

#include <memory>
#include <string>

#include "kernel/file/sent_file.hpp"
#include "kernel/http/connection/connection.hpp"

namespace stele::kernel::http {

/// Sockets whose executor is known at compile time; a generic one costs a tenth of a small reply.
using TcpSocket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

/// What differs between plain TCP and TLS is in these overloads.
template <class Stream>
struct TransportTraits;

/// A connection over `Stream`.
template <class Stream>
class StreamConnection final : public Connection {
public:
    using Traits = TransportTraits<Stream>;

    StreamConnection(std::shared_ptr<ConnectionContext> context, std::string remote_address,
                     Stream&& stream)
        : Connection(std::move(context), std::move(remote_address)), stream_(std::move(stream)) {}

private:
    void open() override {
        Traits::open(stream_, [this, keep = self()](bool is_open) { on_open(is_open); });
    }

    void read_into(std::span<char> space) override {
        stream_.async_read_some(
            boost::asio::mutable_buffer(space.data(), space.size()),
            [this, keep = self()](const boost::system::error_code& code, std::size_t count) {
                on_read(!code, count);
            });
    }

    std::optional<std::size_t> write_now(const Pieces& pieces, bool more_follows) override {
        return Traits::write_now(stream_, buffers_of(pieces), more_follows);
    }

    bool can_send_files() const override { return Traits::kSendsFiles; }

    ssize_t write_from(int descriptor, std::uint64_t offset, std::size_t count) override {
        return file::send_from_file(stream_.lowest_layer().native_handle(), descriptor, offset,
                                    count);
    }

    void wait_until_writable() override {
        stream_.lowest_layer().async_wait(
            boost::asio::socket_base::wait_write,
            [this, keep = self()](const boost::system::error_code& code) { on_written(!code, 0); });
    }

    void write_later(const Pieces& pieces) override {
        stream_.async_write_some(
            buffers_of(pieces),
            [this, keep = self()](const boost::system::error_code& code, std::size_t count) {
                on_written(!code, count);
            });
    }

    bool needs_farewell() const override { return Traits::kNeedsFarewell; }

    bool end_sending() override {
        return Traits::end_sending(stream_, [this, keep = self()] { on_read(false, 0); });
    }

    void close_transport(bool is_reset) override {
        auto& socket = stream_.lowest_layer();
        boost::system::error_code ignored;  // the peer may be gone already
        if (is_reset) socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
        socket.close(ignored);
    }

    bool is_peer_gone() override {
        pollfd peer{stream_.lowest_layer().native_handle(), POLLRDHUP, 0};
        return ::poll(&peer, 1, 0) > 0 &&
               (peer.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
    }

    static std::array<boost::asio::const_buffer, 3> buffers_of(const Pieces& pieces) {
        std::array<boost::asio::const_buffer, 3> buffers;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            buffers[i] = boost::asio::const_buffer(pieces[i].data(), pieces[i].size());
        }
        return buffers;
    }

    Stream stream_;
};

}  // namespace stele::kernel::http
