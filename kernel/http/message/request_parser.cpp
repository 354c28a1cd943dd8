#include "kernel/http/message/request_parser.hpp"

#include <algorithm>
#include <utility>

#include "kernel/http/message/request_parser_head.hpp"

namespace stele::kernel::http {

namespace {

namespace beast_http = boost::beast::http;

constexpr std::size_t kFirstCapacity = 4 * 1024;
constexpr std::size_t kKeptCapacity = 16 * 1024;
constexpr std::size_t kBodyStep = 16 * 1024;
/// Room that chunks are read into, behind the header; a chunk's header line must fit.
constexpr std::size_t kChunkSpace = 8 * 1024;

/// `0\r\n\r\n`: fewer bytes cannot complete a chunked body, and Beast 1.81 asserts that it gets as
/// many once it has seen the last chunk.
constexpr std::size_t kMinEnd = 5;

constexpr std::string_view kHeaderEnd = "\r\n\r\n";

/// Whether the request line ends in a well-formed version that is not ours.
bool names_other_version(std::string_view line) {
    line = line.substr(0, line.find('\r'));
    constexpr std::size_t kLength = 8;  // HTTP/2.0
    if (line.size() <= kLength) return false;
    line.remove_prefix(line.size() - kLength);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return line.starts_with("HTTP/") && is_digit(line[5]) && line[6] == '.' && is_digit(line[7]);
}

WireFailure failure_of(const boost::beast::error_code& code, std::string_view head) {
    if (code == beast_http::error::body_limit) {
        return {413, "http.body_too_large",
                "the request's body is larger than this server accepts"};
    }
    if (code == beast_http::error::header_limit) {
        return {431, "http.header_too_large",
                "the request's header is larger than this server accepts"};
    }
    if (code == beast_http::error::bad_version && names_other_version(head)) {
        return {505, "http.version_unsupported", "this server speaks HTTP/1.1 and HTTP/1.0"};
    }
    return {400, "http.request_malformed", "the request is malformed: " + code.message()};
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\r' && c != '\n') || byte == 0x7F;
}

boost::asio::const_buffer buffer(std::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

RequestParser::RequestParser(const ServerLimits& limits)
    : limits_(limits), head_(std::make_unique<RequestHead>()) {}
RequestParser::~RequestParser() = default;

std::span<char> RequestParser::space() {
    if (stage_ == Stage::body) {
        if (body_is_in_place_) return input_.space();
        const std::size_t missing = body_size_ - taken_ - body_.content().size();
        if (body_.space().empty()) {
            body_.reserve_space(std::min({missing, std::max(kBodyStep, body_.capacity())}));
        }
        const std::span<char> space = body_.space();
        return space.first(std::min(space.size(), missing));
    }
    if (stage_ == Stage::chunks) return input_.space();
    if (input_.space().empty()) {
        input_.reserve_space(input_.capacity() == 0 ? kFirstCapacity : 1);
    }
    return input_.space();
}

void RequestParser::received(std::size_t count) {
    if (stage_ == Stage::body && !body_is_in_place_) {
        body_.commit(count);
    } else {
        input_.commit(count);
    }
}

RequestParser::Step RequestParser::advance() {
    switch (stage_) {
        case Stage::header:
            return advance_header();
        case Stage::header_done:
            return begin_body();
        case Stage::body:
            return advance_body();
        case Stage::chunks:
            return advance_chunks();
        case Stage::complete:
            return Step::complete;
        case Stage::failed:
            break;
    }
    return Step::failed;
}

RequestParser::Step RequestParser::advance_header() {
    // RFC 9112, 2.2: empty lines before a request are stepped over.
    while (scanned_ == 0 && input_.content().starts_with("\r\n"))
        input_.consume(2);
    const std::string_view content = input_.content();
    const std::size_t from = scanned_ < kHeaderEnd.size() ? 0 : scanned_ - kHeaderEnd.size() + 1;
    const std::size_t end = content.find(kHeaderEnd, from);
    if (end != std::string_view::npos && end + kHeaderEnd.size() <= limits_.header_bytes) {
        return read_head(end + kHeaderEnd.size());
    }
    if (content.size() >= limits_.header_bytes) {
        return fail(431, "http.header_too_large",
                    "the request's header is larger than this server accepts");
    }
    if (!check_first_line()) return Step::failed;
    scanned_ = content.size() == 1 && content.front() == '\r' ? 0 : content.size();
    return Step::incomplete;
}

/// Refuses what is no HTTP as soon as that shows, so that nobody waits for the end of a header that
/// never comes.
bool RequestParser::check_first_line() {
    if (first_line_checked_) return true;
    const std::string_view content = input_.content();
    const std::string_view fresh = content.substr(std::min(scanned_, content.size()));
    const std::size_t line_end = fresh.find('\n');
    const std::string_view rest_of_line = fresh.substr(0, line_end);
    if (std::any_of(rest_of_line.begin(), rest_of_line.end(), is_control)) {
        fail(400, "http.request_malformed", "the request line holds a control character");
        return false;
    }
    if (line_end == std::string_view::npos) return true;

    first_line_checked_ = true;
    const std::string_view line = content.substr(0, content.find('\n') + 1);
    if (!line.ends_with("\r\n")) {
        fail(400, "http.request_malformed", "a line of the request does not end in CR LF");
        return false;
    }
    Request unused;
    HeadParser probe(unused, body_, line);
    boost::beast::error_code code;
    probe.put(buffer(line), code);
    if (!code || code == beast_http::error::need_more) return true;
    WireFailure failure = probe.failure().value_or(failure_of(code, line));
    fail(failure.status, std::move(failure.code), std::move(failure.message));
    return false;
}

RequestParser::Step RequestParser::read_head(std::size_t size) {
    const std::string_view head = input_.content().substr(0, size);
    request_.headers.clear();
    request_.body = {};
    HeadParser& parser = head_->parser.emplace(request_, body_, head);
    parser.header_limit(static_cast<std::uint32_t>(size + 1));
    // The limit that holds is known when it is known who takes the body.
    parser.body_limit(std::max<std::uint64_t>(limits_.body_bytes, limits_.upload_bytes));
    boost::beast::error_code code;
    const std::size_t used = parser.put(buffer(head), code);
    if (code || !parser.is_header_done() || used != size) {
        if (!code) code = beast_http::error::partial_message;
        WireFailure failure = parser.failure().value_or(failure_of(code, head));
        return fail(failure.status, std::move(failure.code), std::move(failure.message));
    }
    if (!parser.is_http_1_0() && !parser.has_host()) {
        return fail(400, "http.request_malformed", "HTTP/1.1 asks for exactly one Host line");
    }
    if (parser.expects_unknown()) {
        return fail(417, "http.expectation_unknown", "the only expectation met is '100-continue'");
    }
    head_size_ = size;
    keep_alive_ = parser.keep_alive();
    is_http_1_0_ = parser.is_http_1_0();
    if (parser.is_done()) return complete();
    if (parser.chunked() && input_.space().size() < kChunkSpace) {
        // The header moves with the buffer: read it again where it is now.
        input_.reserve_space(kChunkSpace);
        return read_head(size);
    }
    stage_ = Stage::header_done;
    return Step::header;
}

std::optional<std::uint64_t> RequestParser::body_length() const {
    const auto length = head_->parser->content_length();
    return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

bool RequestParser::expect_body(std::uint64_t limit, bool in_pieces) {
    is_body_expected_ = true;
    in_pieces_ = in_pieces;
    if (body_length().value_or(0) > limit) {
        WireFailure failure = failure_of(beast_http::error::body_limit, {});
        fail(failure.status, std::move(failure.code), std::move(failure.message));
        return false;
    }
    head_->parser->body_limit(limit);
    return true;
}

RequestParser::Step RequestParser::begin_body() {
    if (!is_body_expected_ && !expect_body(limits_.body_bytes, false)) return Step::failed;
    if (head_->parser->chunked()) {
        stage_ = Stage::chunks;
        return advance_chunks();
    }
    stage_ = Stage::body;
    body_size_ = static_cast<std::size_t>(*head_->parser->content_length());
    std::string_view present = input_.content().substr(head_size_);
    if (in_pieces_) {
        present = present.substr(0, body_size_);
        body_.append(present);
        input_.erase(head_size_, present.size());
        return advance_body();
    }
    const std::size_t missing = body_size_ - std::min(body_size_, present.size());
    body_is_in_place_ = missing <= input_.space().size();
    if (!body_is_in_place_) {
        body_.reserve_space(std::min(body_size_, present.size() + kBodyStep));
        body_.append(present);
        input_.erase(head_size_, present.size());
    }
    return advance_body();
}

RequestParser::Step RequestParser::advance_pieces(bool is_all) {
    const std::size_t size = body_.content().size();
    if (size >= kPieceSize || (is_all && size > 0)) return Step::piece;
    return is_all ? complete() : Step::incomplete;
}

void RequestParser::take_piece(std::string& piece) {
    piece = body_.content();
    taken_ += piece.size();
    body_.consume(piece.size());
}

RequestParser::Step RequestParser::advance_body() {
    if (in_pieces_) return advance_pieces(taken_ + body_.content().size() == body_size_);
    const std::string_view body =
        body_is_in_place_ ? input_.content().substr(head_size_) : body_.content();
    if (body.size() < body_size_) return Step::incomplete;
    request_.body = body.substr(0, body_size_);
    return complete();
}

RequestParser::Step RequestParser::advance_chunks() {
    HeadParser& parser = *head_->parser;
    const std::string_view content = input_.content().substr(head_size_);
    std::size_t used = 0;
    boost::beast::error_code code;
    while (!code && !parser.is_done() && content.size() - used >= kMinEnd) {
        used += parser.put(buffer(content.substr(used)), code);
    }
    input_.erase(head_size_, used);
    if (code && code != beast_http::error::need_more) {
        WireFailure failure = failure_of(code, {});
        return fail(failure.status, std::move(failure.code), std::move(failure.message));
    }
    if (in_pieces_) {
        const Step step = advance_pieces(parser.is_done());
        if (step != Step::incomplete) return step;
    }
    if (!parser.is_done()) {
        if (!input_.space().empty()) return Step::incomplete;
        return fail(400, "http.request_malformed", "a chunk's header is too long");
    }
    request_.body = body_.content();
    return complete();
}

RequestParser::Step RequestParser::complete() {
    stage_ = Stage::complete;
    return Step::complete;
}

RequestParser::Step RequestParser::fail(int status, std::string code, std::string message) {
    failure_ = {status, std::move(code), std::move(message)};
    stage_ = Stage::failed;
    keep_alive_ = false;
    return Step::failed;
}

bool RequestParser::has_body_bytes() const {
    return input_.content().size() > head_size_ || !body_.content().empty();
}

void RequestParser::release_body() {
    if (!body_is_in_place_) request_.body = {};
    body_.consume(body_.content().size());
    body_.release_above(kKeptCapacity);
}

void RequestParser::finish() {
    input_.consume(std::min(used_size(), input_.content().size()));
    input_.release_above(kKeptCapacity);
    release_body();
    request_.headers.clear();
    request_.method = Method::get;
    request_.path = request_.path_parameters = request_.query = request_.body =
        request_.method_text = {};
    request_.upload.reset();
    request_.is_admitted = false;
    request_.route.reset();
    stage_ = Stage::header;
    scanned_ = head_size_ = body_size_ = taken_ = 0;
    first_line_checked_ = body_is_in_place_ = is_body_expected_ = in_pieces_ = false;
}

}  // namespace stele::kernel::http
