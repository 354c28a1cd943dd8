#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "kernel/http/connection/connection_stream.hpp"
#include "kernel/http/connection/server_test_handler.hpp"
#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/upload_spool.hpp"
#include "kernel/http/pipeline/router.hpp"

namespace stele::kernel::http {

namespace {

nlohmann::json echo_of(const Request& request) {
    return {{"method", request.method_text},    {"path", request.path},
            {"query", request.query},           {"body", request.body},
            {"remote", request.remote_address}, {"id", request.request_id}};
}

}  // namespace

const std::string& TestHandler::streamed_text() {
    static const std::string text = [] {
        std::string all;
        for (int i = 0; i < 100'000; ++i)
            all += "row " + std::to_string(i) + "\n";
        return all;
    }();
    return text;
}

void TestHandler::handle(Exchange& exchange) {
    const std::string_view path = exchange.request().path;
    if (path == "/later") return answer_later(exchange);
    if (path.starts_with("/upload")) return answer_upload(exchange);
    if (path.starts_with("/ranges") || path == "/file")
        return exchange.answer(download_for(exchange.request()));
    if (path == "/throws") throw std::runtime_error("thrown by the test");
    if (path == "/held") {
        {
            const std::lock_guard lock(mutex_);
            held_ = exchange.shared_from_this();
        }
        return notice(is_held_);
    }
    exchange.answer(response_for(exchange.request()));
    if (path == "/twice") exchange.answer(Response{});
}

void TestHandler::answer_later(Exchange& exchange) {
    workers_.post([this, keep = exchange.shared_from_this()] {
        keep->answer(response_for(keep->request()));
    });
}

BodyWay TestHandler::body_way(Request& request) {
    if (request.path.starts_with("/open")) return BodyWay::small;
    return request.path.starts_with("/upload") ? BodyWay::pieces : BodyWay::whole;
}

void TestHandler::admit(Exchange& exchange) {
    const auto decide = [keep = exchange.shared_from_this()] {
        const Request& request = keep->request();
        const bool is_guarded =
            request.path.starts_with("/upload") || request.path.starts_with("/guarded");
        if (!is_guarded || request.header("Authorization")) return keep->accept_body();
        keep->answer(error_response(
            sdk::make_error(sdk::ErrorKind::unauthenticated, "test.no_token", "no token"),
            request.request_id));
    };
    if (exchange.request().path == "/upload") return decide();
    workers_.post(decide);
}

/// Reads the body twice, as a handler that is repeated does.
void TestHandler::answer_upload(Exchange& exchange) {
    ++uploads_;
    workers_.post([keep = exchange.shared_from_this()] {
        const Request& request = keep->request();
        std::string texts[2];
        for (std::string& text : texts) {
            if (!request.upload) continue;
            const auto upload = open_upload(request.upload);
            std::string piece;
            do {
                if (!upload->read(piece)) text += "(failed)";
                text += piece;
            } while (!piece.empty());
        }
        Response response;
        response.headers.emplace_back("X-Admitted", request.is_admitted ? "yes" : "no");
        response.headers.emplace_back("X-Repeats", texts[0] == texts[1] ? "yes" : "no");
        response.body = std::move(texts[0]);
        keep->answer(std::move(response));
    });
}

bool TestHandler::held_is_abandoned() {
    const std::lock_guard lock(mutex_);
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!held_->is_abandoned() && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return held_->is_abandoned();
}

/// 26 letters, or none; `/ranges-break` fails behind the fifth.
Response TestHandler::download_for(const Request& request) {
    Response response;
    if (request.path == "/file") {
        const std::lock_guard lock(mutex_);
        response.content_type = "application/octet-stream";
        response.ranges = file_ranges_;
        response.file = file_;
        response.size = file_size_;
        return response;
    }
    response.content_type = "text/plain";
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"a b.txt\"");
    response.headers.emplace_back("Content-Security-Policy", "default-src 'none'; sandbox");
    response.headers.emplace_back("ETag", request.path == "/ranges-weak" ? "W/\"v1\"" : "\"v1\"");
    response.has_whole_tag = true;
    response.size = request.path == "/ranges-empty" ? 0 : 26;
    const bool breaks = request.path == "/ranges-break";
    if (breaks) response.size = 1'000'000;
    response.ranges = [this, breaks](std::uint64_t first, std::uint64_t end) -> sdk::BodySource {
        ++downloads_opened_;
        return [breaks, at = first, end](std::string& out) mutable -> sdk::Result<bool> {
            if (breaks && at == 5) {
                return sdk::make_error(sdk::ErrorKind::unavailable, "test.source_failed", "no");
            }
            out += static_cast<char>('a' + at);
            // What was collected before the failure is sent.
            if (breaks) out += std::string(StreamedReply::kPieceSize, '.');
            return ++at < end;
        };
    };
    return response;
}

Response TestHandler::response_for(const Request& request) {
    Response response;
    const std::string_view path = request.path;
    if (path == "/fixed") {
        response.body = "{\"fixed\":\"body\"}";
    } else if (path == "/record") {
        response.body = "{\"_doc\":\"1\"}";
        response.headers.emplace_back("ETag", "\"v1\"");
        response.has_whole_tag = true;
    } else if (path == "/computed") {
        response.body = "{\"_doc\":\"1\"}";
        response.headers.emplace_back("ETag", "\"v1\"");
    } else if (path == "/twice") {
        response.body = "{\"n\":1}";
    } else if (path == "/large") {
        nlohmann::json body = echo_of(request);
        body["padding"] = std::string(200'000, 'p');
        response.body = body.dump();
    } else if (path == "/text") {
        response.body = streamed_text().substr(0, 20'000);
    } else if (path == "/text-large") {
        response.body = streamed_text();
    } else if (path == "/image") {
        response.content_type = "image/png";
        response.body = std::string(5000, 'i');
    } else if (path.starts_with("/routed/")) {
        std::string decoded;
        response.body = percent_decode(path.substr(8), decoded) ? decoded : "malformed";
    } else if (!stream_for(path, response)) {
        response.body = echo_of(request).dump();
    }
    return response;
}

bool TestHandler::stream_for(std::string_view path, Response& response) {
    if (path == "/stream") {
        response.source = [this, at = std::size_t{0}](std::string& out) mutable {
            most_pulls_ = std::max(most_pulls_.load(), ++pulls_);
            const std::size_t size = 100 + at % 4000;
            out += streamed_text().substr(at, size);
            at += size;
            --pulls_;
            return sdk::Result<bool>(at < streamed_text().size());
        };
    } else if (path == "/endless") {
        const auto on_end = [this](const int*) { notice(is_source_gone_); };
        std::shared_ptr<const int> guard(nullptr, on_end);
        response.source = [guard](std::string& out) {
            out += std::string(10'000, 'e');
            return sdk::Result<bool>(true);
        };
    } else if (path.starts_with("/download")) {
        response.headers.emplace_back("Content-Length", path == "/download" ? "26" : "27");
        response.source = [next = 'a'](std::string& out) mutable {
            out += next;
            return sdk::Result<bool>(next++ != 'z');
        };
    } else if (path == "/stream-fails-at-once") {
        response.source = [](std::string&) -> sdk::Result<bool> {
            return sdk::make_error(sdk::ErrorKind::unavailable, "test.source_failed", "no");
        };
    } else if (path == "/stream-fails-later") {
        response.source = [n = 0](std::string& out) mutable -> sdk::Result<bool> {
            out += std::string(1000, 'x');
            if (++n < 100) return true;
            return sdk::make_error(sdk::ErrorKind::unavailable, "test.source_failed", "no");
        };
    } else if (path == "/stream-throws") {
        response.source = [](std::string&) -> sdk::Result<bool> {
            throw std::runtime_error("thrown by the test");
        };
    } else {
        return false;
    }
    return true;
}

void TestHandler::notice(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_all();
}

void TestHandler::wait(const bool& flag) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return flag; });
}

void TestHandler::wait_until_source_gone() {
    wait(is_source_gone_);
}
void TestHandler::wait_until_held() {
    wait(is_held_);
}

void TestHandler::release_held() {
    std::shared_ptr<Exchange> exchange;
    {
        const std::lock_guard lock(mutex_);
        exchange = std::exchange(held_, nullptr);
    }
    exchange->answer(Response{});
}

TestServer::TestServer(ServerOptions options) {
    // As the program does that serves: a reader that has gone is an error of the write.
    std::signal(SIGPIPE, SIG_IGN);
    options.port = options.port == ServerOptions{}.port ? 0 : options.port;
    options.threads = 2;
    server_ = std::make_unique<Server>(std::move(options), handler_, workers_);
    const auto started = server_->start();
    if (!started) throw std::runtime_error(started.error().message);
}

// A worker may hold a source for a moment longer than its connection lives; it tells the handler.
TestServer::~TestServer() {
    server_.reset();
    workers_.stop();
}

std::string request_to(std::string_view method, std::string_view path, std::string_view body,
                       std::string_view headers) {
    std::string text = std::string(method) + ' ' + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" +
                       std::string(headers);
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + std::string(body);
}

}  // namespace stele::kernel::http
