#include <charconv>
#include <utility>

#include <stele/sdk/http_date.hpp>
#include <stele/sdk/log.hpp>

#include "kernel/http/connection/client_address.hpp"
#include "kernel/http/connection/connection.hpp"
#include "kernel/http/message/compression.hpp"
#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/message_head.hpp"
#include "kernel/http/message/message_rules.hpp"
#include "kernel/http/pipeline/download.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::http {

namespace {

/// Smaller bodies are copied behind their head, so that both leave in one piece.
constexpr std::size_t kMaxCopied = 16 * 1024;
/// Compressing more than this would hold up the other connections of the thread.
constexpr std::size_t kMaxCompressedHere = 64 * 1024;
constexpr std::size_t kMaxKept = 64 * 1024;

bool is_unchanged(const Request& request, const Response& response) {
    const bool only_reads = request.method == Method::get || request.method == Method::head;
    if (!only_reads || response.status != 200) return false;
    // Where both are there the tag decides: it is exact (RFC 9110, 13.2.2).
    if (const auto known = request.header("If-None-Match")) {
        const std::string* etag = find_header(response, "ETag");
        return etag && response.has_whole_tag && names_etag(*known, *etag);
    }
    const auto since = request.header("If-Modified-Since");
    const std::string* modified = since ? find_header(response, "Last-Modified") : nullptr;
    if (!modified) return false;
    // The very date: what a branch was reset to is older than what a client may have.
    const auto known = sdk::read_http_date(*since);
    return known && sdk::read_http_date(*modified) == known;
}

bool wants_gzip(const Request& request, const Response& response) {
    if (response.status == 206 || response.status == 304) return false;
    if (find_header(response, "Content-Encoding")) return false;
    const auto accepted = request.header("Accept-Encoding");
    return accepted && accepts_gzip(*accepted);
}

bool varies_by_encoding(const Response& response) {
    const bool is_long = response.source || response.text().size() >= kMinCompressed;
    return (is_long || find_header(response, "Content-Encoding")) &&
           is_compressible(response.content_type);
}

std::optional<std::uint64_t> promised_length(const Response& response) {
    const std::string* text = find_header(response, "Content-Length");
    std::uint64_t length = 0;
    if (!text) return std::nullopt;
    const char* const end = text->data() + text->size();
    const auto [stop, problem] = std::from_chars(text->data(), end, length);
    if (problem != std::errc() || stop != end) return std::nullopt;
    return length;
}

void append_chunk_head(std::string& out, std::size_t size) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
    out.append(digits.data(), end);
    out += "\r\n";
}

void forget(std::string& text) {
    text.clear();
    if (text.capacity() > kMaxKept) std::string().swap(text);
}

}  // namespace

HeadFacts Connection::facts_of(const Response& response) const {
    const ServerShared& shared = context_->shared;
    HeadFacts facts;
    facts.request_id = parser_.request().request_id;
    facts.date = context_->date();
    facts.is_http_1_0 = parser_.is_http_1_0();
    facts.closes = closes_after_reply_ || !parser_.keep_alive() ||
                   shared.is_draining.load(std::memory_order_relaxed);
    if (shared.cors.is_enabled()) {
        facts.cors = &shared.cors;
        facts.origin = parser_.request().header("Origin").value_or(std::string_view());
    }
    facts.is_tls = is_client_on_tls(parser_.request(), remote_address_, shared.options);
    facts.hsts_time = shared.options.hsts_time;
    facts.varies_by_encoding = varies_by_encoding(response);
    return facts;
}

void Connection::deliver(Response&& response) {
    bool would_vary = false;
    if (is_unchanged(parser_.request(), response)) {
        // Without its body it varies by what it does with it (RFC 9110, 15.4.5).
        would_vary = varies_by_encoding(response);
        response.status = 304;
        response.source = nullptr;
        response.ranges = nullptr;
        response.file = nullptr;
        response.clear_body();
    }
    if (response.ranges) open_download(parser_.request(), response);
    reply_status_ = response.status;
    session_ = std::move(response.session);
    reply_bytes_ = reply_head_bytes_ = 0;
    HeadFacts facts = facts_of(response);
    facts.varies_by_encoding = facts.varies_by_encoding || would_vary;
    if (response.source) {
        begin_stream(std::move(response), facts);
    } else {
        deliver_body(std::move(response), facts);
    }
}

void Connection::deliver_body(Response&& response, HeadFacts& facts) {
    const bool may_be_shorter = facts.varies_by_encoding && !response.shared_body;
    if (may_be_shorter && wants_gzip(parser_.request(), response)) {
        if (response.body.size() > kMaxCompressedHere) {
            if (compress_elsewhere(response)) return;
        } else if (std::string shorter; gzip(response.body, shorter)) {
            response.body = std::move(shorter);
            facts.is_gzip = true;
        }
    }
    if (response.status != 304) facts.length = response.text().size();
    const std::size_t begin = out_.size();
    append_head(out_, response, facts);
    reply_head_bytes_ = out_.size() - begin;
    if (parser_.request().method == Method::head) {
        response.clear_body();
    } else if (response.text().size() <= kMaxCopied) {
        out_ += response.text();
    } else {
        body_ = std::move(response.body);
        shared_body_ = std::move(response.shared_body);
    }
    reply_bytes_ = out_.size() - begin + body().size();
    closes_after_reply_ = facts.closes;
    finish_reply();
}

/// Lets a worker compress; the reply then comes back as an answer that is encoded already. False
/// when no worker is free: the reply goes out as it is.
bool Connection::compress_elsewhere(Response& response) {
    // The reply is delivered a second time.
    response.session = session_;
    auto waiting = std::make_shared<Response>(std::move(response));
    const bool is_posted = context_->shared.workers.post(
        [connection = self(), waiting] {
            if (std::string shorter; gzip(waiting->body, shorter)) {
                waiting->body = std::move(shorter);
                waiting->headers.emplace_back("Content-Encoding", "gzip");
            } else {
                waiting->headers.emplace_back("Content-Encoding", "identity");
            }
            connection->context_->post([connection, waiting] {
                connection->answer_ = std::move(*waiting);
                connection->is_answered_ = true;
                connection->run();
            });
        },
        caller());
    if (!is_posted) response = std::move(*waiting);
    return is_posted;
}

void Connection::finish_reply() {
    note_reply(false);
    if (closes_after_reply_) {
        lingers_ = lingers_ || parser_.has_more_input();
        phase_ = Phase::ending;
        return;
    }
    parser_.finish();
    phase_ = Phase::receiving;
    begin_next();
}

void Connection::begin_stream(Response&& response, const HeadFacts& facts) {
    auto reply = std::make_unique<StreamedReply>(std::move(response));
    reply->missing = promised_length(reply->head);
    reply->is_chunked = !reply->missing && !facts.is_http_1_0;
    reply->is_gzip =
        !reply->missing && facts.varies_by_encoding && wants_gzip(parser_.request(), reply->head);
    if (!reply->missing && facts.is_http_1_0) closes_after_reply_ = true;
    if (parser_.request().method == Method::head) {
        HeadFacts only = facts;
        only.length = reply->missing;
        only.is_chunked = reply->is_chunked;
        only.is_gzip = reply->is_gzip;
        closes_after_reply_ = only.closes = only.closes || closes_after_reply_;
        const std::size_t begin = out_.size();
        append_head(out_, reply->head, only);
        reply_bytes_ = reply_head_bytes_ = out_.size() - begin;
        finish_reply();
        return;
    }
    if (reply->is_gzip) reply->head.source = gzip_source(std::move(reply->head.source));
    const bool may_send_file = can_send_files() && reply->missing.value_or(0) > 0;
    if (!may_send_file) reply->head.file = nullptr;
    if (reply->head.file) {
        reply->at = reply->head.first;
        reply->end = reply->at + *reply->missing;
        reply->open_file_now();
    }
    stream_ = std::move(reply);
    phase_ = Phase::streaming;
}

bool Connection::stream() {
    StreamedReply& reply = *stream_;
    if (reply.is_pulling) return false;
    if (reply.failure) {
        end_stream_badly(*reply.failure);
        return phase_ != Phase::closed;
    }
    if (reply.file) return send_file(reply);
    if (reply.has_piece) {
        reply.has_piece = false;
        return send_piece(reply) && flush();
    }
    if (reply.is_last) {
        stream_.reset();
        forget(body_);
        finish_reply();
        return true;
    }
    return pull_piece(reply);
}

bool Connection::pull_piece(StreamedReply& reply) {
    // The buffer of the piece before is empty by now.
    reply.piece.swap(body_);
    body_.clear();
    reply.is_pulling = true;
    const bool is_posted = context_->shared.workers.post(
        [connection = self()] {
            connection->stream_->pull();
            connection->context_->post([connection] { connection->on_piece(); });
        },
        caller());
    if (is_posted) return false;
    reply.is_pulling = false;
    // Once the head is gone there is no way to say it: the sweep tries again.
    if (reply.is_head_sent) return false;
    stream_.reset();
    sdk::Error error = sdk::make_error(sdk::ErrorKind::unavailable, "http.workers_busy",
                                       "the server is too busy to produce the reply");
    error.retry_after_seconds = 1;
    deliver(error_response(error, parser_.request().request_id));
    return true;
}

void Connection::on_piece() {
    stream_->is_pulling = false;
    if (phase_ == Phase::closed) {
        stream_.reset();
        return;
    }
    stream_->has_piece = !stream_->failure && !stream_->file;
    run();
}

bool Connection::send_piece(StreamedReply& reply) {
    if (reply.missing) {
        const bool is_too_long = reply.piece.size() > *reply.missing;
        if (is_too_long || (reply.is_last && reply.piece.size() < *reply.missing)) {
            end_stream_badly(sdk::make_error(
                sdk::ErrorKind::internal, "http.source_failed", "the reply could not be produced",
                "the source's length differs from its Content-Length"));
            return phase_ != Phase::closed;
        }
    }
    if (!reply.is_head_sent) append_stream_head(reply);
    const std::size_t behind_head = out_.size();
    if (reply.missing) *reply.missing -= reply.piece.size();
    if (reply.is_chunked) {
        tail_ = reply.is_last ? "0\r\n\r\n" : "";
        if (!reply.piece.empty()) {
            append_chunk_head(out_, reply.piece.size());
            tail_ = reply.is_last ? "\r\n0\r\n\r\n" : "\r\n";
        }
    }
    body_.swap(reply.piece);
    reply_bytes_ += out_.size() - behind_head + body_.size() + tail_.size();
    return true;
}

void Connection::append_stream_head(StreamedReply& reply) {
    HeadFacts facts = facts_of(reply.head);
    facts.length = reply.missing;
    facts.is_chunked = reply.is_chunked;
    facts.is_gzip = reply.is_gzip;
    closes_after_reply_ = facts.closes;
    const std::size_t begin = out_.size();
    append_head(out_, reply.head, facts);
    reply_bytes_ = reply_head_bytes_ = out_.size() - begin;
    reply.is_head_sent = true;
}

void Connection::end_stream_badly(const sdk::Error& error) {
    const std::string& id = parser_.request().request_id;
    if (!stream_->is_head_sent) {
        Response response = error_response(error, id);
        stream_.reset();
        deliver(std::move(response));
        return;
    }
    sdk::log(sdk::LogLevel::error, "http",
             id + " " + error.code + ": the reply broke off: " + error.message +
                 (error.detail.empty() ? "" : ": " + error.detail));
    // Without the final chunk, and by a reset, the client sees that the reply is not complete.
    close(true);
}

bool Connection::has_pending_output() const {
    return sent_ < out_.size() + body().size() + tail_.size();
}

/// True when everything is sent; otherwise the rest is on its way, or the connection is closed.
/// With `more_follows` the system may wait for what comes behind it.
bool Connection::flush(bool more_follows) {
    while (has_pending_output()) {
        std::size_t skipped = sent_;
        Pieces pieces{out_, body(), tail_};
        for (std::string_view& piece : pieces) {
            const std::size_t gone = std::min(skipped, piece.size());
            piece.remove_prefix(gone);
            skipped -= gone;
        }
        const std::optional<std::size_t> count = write_now(pieces, more_follows);
        if (!count) {
            close();
            return false;
        }
        if (*count == 0) {
            await_reader();
            write_later(pieces);
            return false;
        }
        sent_ += *count;
        context_->traffic.bytes_sent.add(*count);
    }
    sent_ = 0;
    reply_room_.reset();
    tail_ = {};
    forget(out_);
    shared_body_ = nullptr;
    if (stream_) {
        body_.clear();
    } else {
        forget(body_);
    }
    return true;
}

/// Until it takes more, or its time is over.
void Connection::await_reader() {
    const auto patience = context_->shared.options.limits.write_time;
    write_deadline_ = ConnectionContext::now() + patience.count();
    is_writing_ = true;
    hold_reply();
}

void Connection::on_written(bool is_good, std::size_t count) {
    is_writing_ = false;
    if (phase_ == Phase::closed) return;
    if (!is_good) return close();
    sent_ += count;
    context_->traffic.bytes_sent.add(count);
    if (flush()) run();
}

}  // namespace stele::kernel::http
