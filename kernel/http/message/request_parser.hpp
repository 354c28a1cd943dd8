#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernel/http/message/message.hpp"
#include "kernel/http/message/message_buffer.hpp"
#include "kernel/http/message/server_limits.hpp"

namespace stele::kernel::http {

class RequestHead;

/// What the wire itself refuses; the connection answers and ends.
struct WireFailure {
    int status = 400;
    std::string code;
    std::string message;
};

/// Turns the bytes of one connection into requests, one after another, without a socket: the caller
/// puts bytes into `space()`, reports them with `received` and calls `advance` until it asks for
/// more. Headers are views into the buffer; a body that does not fit behind them gets a buffer of
/// its own, which grows only with the bytes that arrive, or, in pieces, to no more than two of
/// them.
class RequestParser {
public:
    enum class Step {
        incomplete,  ///< more bytes are needed
        header,      ///< the header is complete, a body follows; `advance` goes on
        piece,       ///< `take_piece` has the next one of a body that is read so
        complete,    ///< `request()` stands until `finish`
        failed,      ///< `failure()` says why; the bytes that follow have no meaning
    };

    static constexpr std::size_t kPieceSize = 64 * 1024;

    explicit RequestParser(const ServerLimits& limits);
    ~RequestParser();

    /// Where the next bytes go; never empty.
    std::span<char> space();
    void received(std::size_t count);
    Step advance();
    /// After `header`: the body may have so many bytes, and comes in pieces or whole. False when it
    /// says itself that it is larger; `advance` fails then. Without a call it comes whole, limited
    /// by `ServerLimits::body_bytes`.
    bool expect_body(std::uint64_t limit, bool in_pieces);
    /// What the header says of the body's size.
    std::optional<std::uint64_t> body_length() const;
    /// Replaces `piece`.
    void take_piece(std::string& piece);
    /// Nobody needs the body any more: gives a large buffer back.
    void release_body();
    /// The request is answered: forgets it and gives large buffers back.
    void finish();

    Request& request() { return request_; }
    const Request& request() const { return request_; }
    const WireFailure& failure() const { return failure_; }

    /// Whether any byte of the present request is here.
    bool has_begun() const { return stage_ != Stage::header || !input_.content().empty(); }
    /// Bytes that the present request's buffers take.
    std::size_t capacity() const { return input_.capacity() + body_.capacity(); }
    /// Bytes of the present body that are in a buffer of their own.
    std::size_t buffered_body() const { return body_.content().size(); }
    bool is_complete() const { return stage_ == Stage::complete; }
    bool is_in_body() const { return stage_ == Stage::body || stage_ == Stage::chunks; }
    /// Whether body bytes have arrived; `100 Continue` is pointless then.
    bool has_body_bytes() const;
    /// Whether bytes of a further request are here already.
    bool has_more_input() const { return input_.content().size() > used_size(); }
    /// What the client asked for; holds from `header` or `complete` on.
    bool keep_alive() const { return keep_alive_; }
    bool is_http_1_0() const { return is_http_1_0_; }

private:
    enum class Stage { header, header_done, body, chunks, complete, failed };

    Step advance_header();
    Step read_head(std::size_t size);
    Step begin_body();
    Step advance_body();
    Step advance_chunks();
    Step advance_pieces(bool is_all);
    Step complete();
    Step fail(int status, std::string code, std::string message);
    bool check_first_line();
    /// Bytes of the input that belong to the present request.
    std::size_t used_size() const { return head_size_ + (body_is_in_place_ ? body_size_ : 0); }

    const ServerLimits& limits_;
    MessageBuffer input_;
    MessageBuffer body_;
    std::unique_ptr<RequestHead> head_;
    Request request_;
    WireFailure failure_;
    Stage stage_ = Stage::header;
    std::size_t scanned_ = 0;    ///< bytes of the header in which its end was looked for
    std::size_t head_size_ = 0;  ///< bytes of the complete header
    std::size_t body_size_ = 0;  ///< `Content-Length`
    std::size_t taken_ = 0;      ///< bytes of the body that went in pieces
    bool is_body_expected_ = false;
    bool in_pieces_ = false;
    bool first_line_checked_ = false;
    bool body_is_in_place_ = false;
    bool keep_alive_ = false;
    bool is_http_1_0_ = false;
};

}  // namespace stele::kernel::http
