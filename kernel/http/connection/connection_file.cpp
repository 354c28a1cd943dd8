#include <algorithm>
#include <cerrno>

#include <stele/sdk/file_reader.hpp>

#include "kernel/file/sent_file.hpp"
#include "kernel/http/connection/connection.hpp"

namespace stele::kernel::http {

namespace {

/// After so many bytes the other connections of the thread have their turn.
constexpr std::uint64_t kTurn = 4 * 1024 * 1024;

}  // namespace

/// Sends the file of a download from where it is: in turns, as fast as its reader takes it, and
/// nothing that this thread would wait for.
bool Connection::send_file(StreamedReply& reply) {
    const std::uint64_t turn_end = std::min(reply.end, reply.at + kTurn);
    while (reply.at < turn_end) {
        if (!reply.is_next_ready()) return pull_piece(reply);
        if (!reply.is_head_sent) append_stream_head(reply);
        if (!flush(true)) return false;
        const ssize_t count = write_from(reply.file->descriptor(), reply.at,
                                         static_cast<std::size_t>(reply.in_memory - reply.at));
        if (count <= 0) return on_file_not_sent(reply, count < 0 ? errno : 0);
        reply.at += static_cast<std::uint64_t>(count);
        *reply.missing -= static_cast<std::uint64_t>(count);
        reply_bytes_ += static_cast<std::uint64_t>(count);
        context_->traffic.bytes_sent.add(static_cast<std::size_t>(count));
    }
    if (reply.at < reply.end) {
        context_->post([connection = self()] { connection->run(); });
        return false;
    }
    stream_.reset();
    finish_reply();
    return true;
}

bool Connection::on_file_not_sent(StreamedReply& reply, int error) {
    if (error == EAGAIN || error == EWOULDBLOCK) {
        await_reader();
        wait_until_writable();
        return false;
    }
    // Nothing, where there should be bytes: it became shorter.
    if (error == 0 || file::is_failure_of_file(error)) {
        reply.has_file_failed = true;
        return pull_piece(reply);
    }
    close();
    return false;
}

}  // namespace stele::kernel::http
