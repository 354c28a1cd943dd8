#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <stele/sdk/error.hpp>
#include <stele/sdk/file_reader.hpp>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// A reply that a `BodySource` writes. The I/O thread and one worker at a time own it in turn.
class StreamedReply {
public:
    /// Pieces are collected up to this size before they are sent.
    static constexpr std::size_t kPieceSize = 64 * 1024;

    explicit StreamedReply(Response&& response) : head(std::move(response)) {}

    /// Collects the next piece, or has the next bytes of a file ready; on a worker. Failures and
    /// exceptions end up in `failure`.
    void pull();
    /// Opens the file of a download if that can be done without waiting; on the I/O thread.
    void open_file_now();
    /// Whether the next bytes of the file may go out now: they are in memory, and before the last
    /// ones nobody has written to it.
    bool is_next_ready();

    Response head;  ///< all but the source's bytes
    std::string piece;
    std::optional<sdk::Error> failure;
    /// Bytes that are still to come, when the handler promised a length.
    std::optional<std::uint64_t> missing;
    /// A download that is sent from its file: what is still to come of it, and up to where it was
    /// seen in memory.
    std::shared_ptr<sdk::FileReader> file;
    std::uint64_t at = 0;
    std::uint64_t end = 0;
    std::uint64_t in_memory = 0;
    bool has_file_failed = false;
    bool is_pulling = false;
    bool has_piece = false;
    bool is_last = false;
    bool is_head_sent = false;
    bool is_chunked = false;
    bool is_gzip = false;

private:
    sdk::Result<void> prepare_file();
    sdk::Result<void> open_file(bool may_wait);
    void go_on_without_file();
};

}  // namespace stele::kernel::http
