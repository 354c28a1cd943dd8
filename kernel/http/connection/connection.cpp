#include "kernel/http/connection/connection.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <stele/sdk/log.hpp>

#include "kernel/http/log/request_metrics.hpp"
#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/upload_spool.hpp"

namespace stele::kernel::http {

namespace {

/// How long and how much is read after the last reply, so that closing does not destroy it on its
/// way (RFC 9112, 9.6).
constexpr std::int64_t kLingerTime = 2'000;
/// Clients that read only when they have sent all of an upload should find the reply, too.
constexpr std::size_t kLingerBytes = std::size_t{256} * 1024 * 1024;

std::size_t linger_bytes(const ServerLimits& limits) {
    return std::max(kLingerBytes, limits.body_bytes);
}

}  // namespace

Connection::Connection(std::shared_ptr<ConnectionContext> context, std::string remote_address)
    : context_(std::move(context)),
      remote_address_(std::move(remote_address)),
      parser_(context_->shared.options.limits) {
    parser_.request().remote_address = remote_address_;
}

std::shared_ptr<Connection> Connection::self() {
    return std::static_pointer_cast<Connection>(shared_from_this());
}

void Connection::start(bool is_refused) {
    is_refused_ = is_refused;
    // A handshake has as much time as a header.
    read_deadline_ = ConnectionContext::now() + context_->shared.options.limits.header_time.count();
    is_reading_ = true;
    open();
}

void Connection::on_open(bool is_open) {
    if (phase_ == Phase::closed) return;
    is_reading_ = false;
    if (!is_open) return close();
    phase_ = Phase::receiving;
    begin_next();
    if (is_refused_) {
        fail(503, "http.connections_exhausted",
             "the server has too many connections, or this address has too many of them");
    }
    run();
}

void Connection::run() {
    if (is_running_) return;
    is_running_ = true;
    try {
        run_phases();
    } catch (const std::exception& problem) {
        sdk::log(sdk::LogLevel::error, "http",
                 "a connection is closed after a failure " +
                     stages::failed_in(stages::kConnection.name, problem.what()));
        close(true);
    }
    is_running_ = false;
}

void Connection::run_phases() {
    bool goes_on = true;
    while (goes_on && !is_writing_) {
        switch (phase_) {
            case Phase::receiving:
                goes_on = receive();
                break;
            case Phase::admitting:
                goes_on = take_admission();
                break;
            case Phase::waiting:
                goes_on = take_room();
                break;
            case Phase::storing:
                goes_on = store_piece();
                break;
            case Phase::handling:
                goes_on = take_answer();
                break;
            case Phase::streaming:
                goes_on = stream();
                break;
            case Phase::ending:
                goes_on = end();
                break;
            case Phase::opening:
            case Phase::lingering:
            case Phase::closed:
                goes_on = false;
                break;
        }
    }
}

/// Replies to pipelined requests are collected and leave together, in order.
bool Connection::receive() {
    constexpr std::size_t kBatch = 64 * 1024;
    if ((!body().empty() || out_.size() > kBatch) && !flush()) return false;
    switch (parser_.advance()) {
        case RequestParser::Step::header:
            return on_header();
        case RequestParser::Step::piece:
            return take_piece();
        case RequestParser::Step::complete:
            dispatch();
            return true;
        case RequestParser::Step::failed: {
            WireFailure failure = parser_.failure();
            fail(failure.status, std::move(failure.code), std::move(failure.message));
            return true;
        }
        case RequestParser::Step::incomplete:
            break;
    }
    if (needs_more_room()) {
        claim_room(context_->shared.options.limits.body_bytes);
        return true;
    }
    if (!flush()) return false;
    if (context_->shared.is_draining.load(std::memory_order_relaxed) && !parser_.has_begun()) {
        close();
        return false;
    }
    start_read();
    return false;
}

bool Connection::on_header() {
    const ServerLimits& limits = context_->shared.options.limits;
    const BodyWay way = context_->shared.handler.body_way(parser_.request());
    const bool in_pieces = way == BodyWay::pieces;
    std::uint64_t limit = in_pieces ? limits.upload_bytes : limits.body_bytes;
    if (way == BodyWay::small) limit = std::min<std::uint64_t>(limit, kSmallBody);
    if (!parser_.expect_body(limit, in_pieces)) return true;
    if (in_pieces) begin_upload();
    const bool is_small =
        way == BodyWay::small || parser_.body_length().value_or(kSmallBody + 1) <= kSmallBody;
    if (is_small) {
        welcome_body();
    } else {
        ask_admission();
    }
    return true;
}

/// From here on the body is waited for.
void Connection::welcome_body() {
    const bool is_asked = !parser_.is_http_1_0() && parser_.request().header("Expect");
    if (is_asked && !parser_.has_body_bytes()) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
    piece_since_ = ConnectionContext::now();
    upload_patience_ = context_->shared.options.limits.body_time.count();
    read_deadline_ = piece_since_ + upload_patience_;
}

/// From here on the request has an id, and a line in the log.
void Connection::begin_exchange() {
    context_->next_request_id(parser_.request().request_id);
    parser_.request().received_ns = steady_now_ns();
    is_unlogged_ = true;
    find_client();
}

void Connection::dispatch() {
    if (!is_unlogged_) begin_exchange();
    if (waits_for_reader()) return;
    context_->traffic.requests.add(1);
    Request& request = parser_.request();
    request.received_ns = steady_now_ns();
    if (room_ && !upload_) room_->shrink(request.body.size());
    request.upload = std::move(upload_);
    std::string().swap(piece_);
    phase_ = Phase::handling;
    is_abandoned_ = false;
    const CorsRules& cors = context_->shared.cors;
    if (cors.is_enabled() && CorsRules::is_preflight(request)) {
        is_answered_ = true;
        answer_ =
            cors.allows(*request.header("Origin"))
                ? cors.preflight_response(request)
                : error_response(sdk::make_error(sdk::ErrorKind::forbidden, "http.origin_refused",
                                                 "this origin may not use the server"),
                                 request.request_id);
        return;
    }
    ask_handler(&RequestHandler::handle, stages::kRoute);
}

void Connection::ask_handler(void (RequestHandler::*question)(Exchange&),
                             const stages::Stage& stage) {
    awaits_answer_.store(true, std::memory_order_release);
    is_in_handler_ = true;
    try {
        (context_->shared.handler.*question)(*this);
    } catch (const std::exception& problem) {
        sdk::Error error = sdk::make_error(sdk::ErrorKind::internal, "http.handler_failed",
                                           "the request could not be handled",
                                           stages::failed_in(stage.name, problem.what()));
        if (awaits_answer_) answer(error_response(error, parser_.request().request_id));
    }
    is_in_handler_ = false;
}

void Connection::answer(Response&& response) {
    if (!awaits_answer_.exchange(false, std::memory_order_acq_rel)) {
        sdk::log(sdk::LogLevel::error, "http", "a request was answered twice");
        return;
    }
    answer_ = std::move(response);
    notify_answered();
}

void Connection::notify_answered() {
    if (context_->is_own_thread() && is_in_handler_) {
        is_answered_ = true;
        return;
    }
    context_->post([connection = self()] {
        connection->is_answered_ = true;
        connection->run();
    });
}

bool Connection::take_answer() {
    if (!is_answered_) {
        flush();
        return false;
    }
    is_answered_ = false;
    Response response = std::move(*answer_);
    answer_.reset();
    release_body();
    deliver(std::move(response));
    return true;
}

/// From here on the next request is waited for, or the rest of one that is here in part.
void Connection::begin_next() {
    const ServerLimits& limits = context_->shared.options.limits;
    const auto patience = parser_.has_begun() ? limits.header_time : limits.idle_time;
    read_deadline_ = ConnectionContext::now() + patience.count();
}

void Connection::start_read() {
    if (is_reading_) return;
    is_reading_ = true;
    read_into(parser_.space());
}

void Connection::on_read(bool is_good, std::size_t count) {
    is_reading_ = false;
    if (phase_ == Phase::closed) return;
    if (!is_good) {
        // What was not sent yet has nobody to read it, except after a half-close.
        if (phase_ != Phase::ending) close();
        return;
    }
    context_->traffic.bytes_received.add(count);
    if (phase_ == Phase::lingering) {
        discarded_ += count;
        if (discarded_ <= linger_bytes(context_->shared.options.limits)) return start_read();
        // The client is kept waiting until its time is over: it finds the reply before the end.
        is_reading_ = true;
        return;
    }
    if (phase_ != Phase::receiving) return;
    const bool had_begun = parser_.has_begun();
    parser_.received(count);
    if (!had_begun) begin_next();
    run();
}

void Connection::fail(int status, std::string code, std::string message) {
    sdk::Error error =
        sdk::make_error(sdk::ErrorKind::invalid, std::move(code), std::move(message));
    if (status == 503) error.retry_after_seconds = 1;
    fail(error, status);
}

/// Refuses the request whose beginning is here, and ends.
void Connection::fail(const sdk::Error& error, int status) {
    context_->traffic.refused.add(1);
    Request& request = parser_.request();
    if (!is_unlogged_) {
        context_->next_request_id(request.request_id);
        request.remote_address = remote_address_;
        request.received_ns = steady_now_ns();
        is_unlogged_ = true;
    }
    upload_.reset();
    // A read that is under way writes into it; the connection ends soon.
    if (!is_reading_) release_body();
    closes_after_reply_ = true;
    lingers_ = true;
    deliver(error_response(error, request.request_id, status));
}

bool Connection::end() {
    if (!flush()) return false;
    // TLS cannot say good-bye while a read is under way.
    if (needs_farewell() ? is_reading_ : !lingers_) {
        close();
        return false;
    }
    phase_ = Phase::lingering;
    read_deadline_ = ConnectionContext::now() + kLingerTime;
    if (end_sending()) {
        start_read();
    } else {
        is_reading_ = true;
    }
    return false;
}

void Connection::close(bool is_reset) {
    if (phase_ == Phase::closed) return;
    phase_ = Phase::closed;
    is_abandoned_ = true;
    note_reply(true);
    close_transport(is_reset);
    context_->remove(*this);
    // A worker that pulls owns the stream until it is done.
    if (stream_ && !stream_->is_pulling) stream_.reset();
    if (!is_storing_) upload_.reset();
}

void Connection::sweep(std::int64_t now) {
    if (is_writing_ && now >= write_deadline_) return close(true);
    if (is_reading_ && now >= read_deadline_) return on_read_deadline();
    if (phase_ == Phase::waiting && now >= read_deadline_) return give_up_room();
    if (phase_ == Phase::streaming || phase_ == Phase::storing) run();
    // Its connection is not read from meanwhile, so nothing else tells.
    if (phase_ == Phase::handling && !is_abandoned_ && is_peer_gone()) is_abandoned_ = true;
}

void Connection::on_read_deadline() {
    if (phase_ != Phase::receiving || !parser_.has_begun()) return close();
    if (parser_.is_in_body()) {
        fail(408, "http.body_timeout", "the request's body did not arrive in time");
    } else {
        fail(408, "http.header_timeout", "the request's header did not arrive in time");
    }
    run();
}

void Connection::drain() {
    if (phase_ == Phase::receiving && !parser_.has_begun() && !is_writing_) close();
}

void Connection::abort() {
    close(true);
}

}  // namespace stele::kernel::http
