#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <stele/sdk/error.hpp>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// A reply that a `BodySource` writes. The I/O thread and one worker at a time own it in turn.
class StreamedReply {
public:
    /// Pieces are collected up to this size before they are sent.
    static constexpr std::size_t kPieceSize = 64 * 1024;

    explicit StreamedReply(Response&& response) : head(std::move(response)) {}

    /// Collects the next piece; on a worker. Failures and exceptions end up in `failure`.
    void pull();

    Response head;  ///< all but the source's bytes
    std::string piece;
    std::optional<sdk::Error> failure;
    /// Bytes that are still to come, when the handler promised a length.
    std::optional<std::uint64_t> missing;
    bool is_pulling = false;
    bool has_piece = false;
    bool is_last = false;
    bool is_head_sent = false;
    bool is_chunked = false;
    bool is_gzip = false;
};

}  // namespace stele::kernel::http
