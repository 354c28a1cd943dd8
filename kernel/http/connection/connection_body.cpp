#include <algorithm>
#include <utility>

#include <stele/sdk/log.hpp>

#include "kernel/http/connection/connection.hpp"
#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/http/message/upload_spool.hpp"

namespace stele::kernel::http {

namespace {

/// What an upload of any size takes at most: what stays in memory, the piece that is stored, and
/// what arrives meanwhile.
constexpr std::size_t kUploadRoom = UploadSpool::kInMemory + 3 * RequestParser::kPieceSize;
/// One of a known size up to this stays in memory as a whole, where there is plenty of it.
constexpr std::uint64_t kMostInMemory = 2 * 1024 * 1024;
/// The part of the memory of bodies that is plenty as long as it is free.
constexpr std::size_t kPlenty = 4;

}  // namespace

/// A body that takes much memory, or the disk, is taken only of a caller whom the handler admits.
void Connection::ask_admission() {
    begin_exchange();
    phase_ = Phase::admitting;
    ask_handler(&RequestHandler::admit, stages::kTakeBody);
}

void Connection::accept_body() {
    if (!awaits_answer_.exchange(false, std::memory_order_acq_rel)) {
        sdk::log(sdk::LogLevel::error, "http", "a request was answered twice");
        return;
    }
    notify_answered();
}

bool Connection::take_admission() {
    if (!is_answered_) {
        flush();
        return false;
    }
    is_answered_ = false;
    if (!answer_) {
        parser_.request().is_admitted = true;
        phase_ = Phase::receiving;
        const auto length = parser_.body_length();
        if (!upload_ && !length) {
            welcome_body();  // room is claimed when it has shown to be large
        } else {
            claim_room(upload_ ? upload_room() : static_cast<std::size_t>(*length));
        }
        return true;
    }
    context_->traffic.requests.add(1);
    Response response = std::move(*answer_);
    answer_.reset();
    upload_.reset();
    closes_after_reply_ = true;
    lingers_ = true;
    deliver(std::move(response));
    return true;
}

/// A file on the way to a file is written and read once more, and waited for piece by piece: what
/// memory has room for does without.
std::size_t Connection::upload_room() {
    const auto length = parser_.body_length().value_or(kMostInMemory + 1);
    if (length <= UploadSpool::kInMemory || length > kMostInMemory) return kUploadRoom;
    const std::size_t all = kUploadRoom - UploadSpool::kInMemory + static_cast<std::size_t>(length);
    const ServerLimits& limits = context_->shared.options.limits;
    const std::size_t plenty =
        std::min(limits.body_memory, limits.body_memory_per_address) / kPlenty;
    if (context_->shared.body_memory.held() + all > plenty) return kUploadRoom;
    upload_->keep_in_memory(static_cast<std::size_t>(length));
    return all;
}

/// Nothing more is read before the room is there, so that the client waits, too.
void Connection::claim_room(std::size_t bytes) {
    phase_ = Phase::waiting;
    const ServerLimits& limits = context_->shared.options.limits;
    read_deadline_ = ConnectionContext::now() + limits.body_wait.count();
    room_ = context_->shared.body_memory.claim(
        caller_of_address(parser_.request().remote_address), bytes,
        [waiting = std::weak_ptr<Connection>(self())] {
            const auto connection = waiting.lock();
            if (connection) connection->context_->post([connection] { connection->run(); });
        });
}

/// Whether a body that did not say how long it is has become a large one.
bool Connection::needs_more_room() const {
    return !room_ && !upload_ && parser_.is_in_body() && parser_.buffered_body() > kSmallBody;
}

bool Connection::take_room() {
    if (!room_->is_granted()) {
        flush();
        return false;
    }
    phase_ = Phase::receiving;
    if (!parser_.is_complete()) welcome_body();
    return true;
}

void Connection::give_up_room() {
    fail(503, "http.memory_short",
         "the server has no memory left for this request, or for its address; try again soon");
    run();
}

/// Whether the request waits until its client has taken more of what it was sent.
bool Connection::waits_for_reader() {
    BodyMemory& memory = context_->shared.body_memory;
    if (room_ || !memory.may_be_short()) return false;
    if (!memory.is_short_for(caller_of_address(parser_.request().remote_address))) return false;
    claim_room(kSmallBody);
    return true;
}

/// What the reader does not take at once is memory that counts.
void Connection::hold_reply() {
    std::size_t size = out_.size() + body_.size() + tail_.size();
    if (stream_ && !stream_->is_pulling) size += stream_->piece.size();
    if (reply_room_ || size <= kSmallBody) return;
    reply_room_ = context_->shared.body_memory.take(
        caller_of_address(parser_.request().remote_address), size);
}

void Connection::release_body() {
    parser_.release_body();
    room_.reset();
}

}  // namespace stele::kernel::http
