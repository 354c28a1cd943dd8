#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/principal.hpp>
#include <stele/sdk/reply.hpp>

#include "kernel/http/message/route_match.hpp"

namespace stele::kernel::http {

enum class Method : std::uint8_t { get, head, post, put, patch, remove, options, other };

class UploadSpool;

/// Larger bodies are taken only of callers whom the handler admits, and count as memory.
inline constexpr std::size_t kSmallBody = 64 * 1024;

/// How the body of a request comes in.
enum class BodyWay : std::uint8_t {
    whole,   ///< into memory
    small,   ///< into memory, and nobody is asked: no more than `kSmallBody`
    pieces,  ///< `Request::upload`
};

/// One request as it came off the wire. Views point into the connection's buffer and stay valid
/// until the exchange is answered.
struct Request {
    Method method = Method::get;
    std::string_view method_text;
    /// Path as sent, not decoded, without the query string; begins with `/`.
    std::string_view path;
    /// `name=value` and the like behind an `&` in the last segment of the path, as one driver sends
    /// parameters of a path that has no `?` yet; no part of `path`. Without the `&`; may be empty.
    std::string_view path_parameters;
    /// Query string as sent, without `?`; may be empty.
    std::string_view query;
    std::vector<std::pair<std::string_view, std::string_view>> headers;
    std::string_view body;
    /// In place of `body` where `RequestHandler::body_way` says so and there is one.
    std::shared_ptr<const UploadSpool> upload;
    /// `RequestHandler::admit` has let it pass.
    bool is_admitted = false;
    /// What `RequestHandler::body_way` has found for the path, for the handler's other functions;
    /// nothing where there was no body to ask about.
    std::optional<RouteMatch> route;
    /// Of the client; behind a proxy that the server trusts, the one that the proxy names.
    std::string_view remote_address;
    /// When it had come in whole, on the clock of `steady_now_ns`.
    std::int64_t received_ns = 0;
    /// 20 hexadecimal digits, also in the reply's header `X-Request-Id` and in every log line.
    std::string request_id;

    /// First header of that name, compared without regard to case.
    std::optional<std::string_view> header(std::string_view name) const;
};

/// What goes back. `source`, when set, is streamed in chunks in place of `body`; `ranges` is a
/// download of `size` bytes, which may lie in a `file`.
struct Response {
    int status = 200;
    std::string content_type = "application/json;charset=UTF-8";
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    /// In place of `body`: one that many replies have, each of which takes no room of its own.
    std::shared_ptr<const std::string> shared_body;
    sdk::BodySource source;
    sdk::Reply::RangeSource ranges;
    sdk::Reply::FileSource file;
    std::uint64_t size = 0;
    /// Where the bytes of `source` begin in those of the download.
    std::uint64_t first = 0;
    /// The header `ETag` is of the whole reply, so that 304 may be said in its place.
    bool has_whole_tag = false;
    /// Who asked, for the log; null when nobody knows.
    sdk::SessionPtr session;

    std::string_view text() const { return shared_body ? *shared_body : body; }
    void clear_body() {
        body.clear();
        shared_body = nullptr;
    }
};

/// One request that waits for its answer. Keep it alive with `shared_from_this` when the answer
/// comes later from another thread.
class Exchange : public std::enable_shared_from_this<Exchange> {
public:
    virtual ~Exchange() = default;
    virtual const Request& request() const = 0;
    /// Exactly once, from any thread.
    virtual void answer(Response&& response) = 0;
    /// In place of `answer`, after `RequestHandler::admit`: the body may come. From any thread.
    virtual void accept_body() {}
    /// The pattern of the route that was found, for the log; it lives as long as the server. Only
    /// inside of `RequestHandler::handle` and `admit`.
    virtual void note_route(const std::string& /*pattern*/) {}
    /// Becomes true when the client goes away before its answer.
    const std::atomic<bool>& is_abandoned() const { return is_abandoned_; }

protected:
    std::atomic<bool> is_abandoned_{false};
};

/// Called on the connection's I/O thread; must not block and must not throw.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;
    virtual void handle(Exchange& exchange) = 0;
    /// How the body of a request, whose header is here, is to be read.
    virtual BodyWay body_way(Request& /*request*/) { return BodyWay::whole; }
    /// Asked before a body is read that is large or of unknown size: leads to
    /// `Exchange::accept_body` or, when the caller is refused, to `Exchange::answer`.
    virtual void admit(Exchange& exchange) { exchange.accept_body(); }
};

}  // namespace stele::kernel::http
