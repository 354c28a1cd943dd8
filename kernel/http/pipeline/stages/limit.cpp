#include <arpa/inet.h>

#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"

namespace stele::kernel::http {

namespace {

constexpr std::size_t kNetworkBytes = 8;
constexpr std::int64_t kRetrySecond = 1'000'000'000;

}  // namespace

std::string caller_of(const Request& request, const sdk::Session* session) {
    const bool is_known = session && !session->principal.key.empty();
    return is_known ? 'p' + session->principal.key : caller_of_address(request.remote_address);
}

std::string sharer_of(const Request& request, const sdk::Session* session) {
    const bool is_known = session && !session->principal.key.empty();
    return caller_of_address(request.remote_address) +
           (is_known ? 'p' + session->principal.key : std::string());
}

std::string caller_of_address(std::string_view address) {
    const std::string text(address);
    in6_addr parsed{};
    if (::inet_pton(AF_INET6, text.c_str(), &parsed) != 1) return 'a' + text;
    // IPv4 in IPv6 clothes, as a socket for both shows it.
    if (IN6_IS_ADDR_V4MAPPED(&parsed)) return 'a' + text.substr(text.rfind(':') + 1);
    return 'n' + std::string(reinterpret_cast<const char*>(&parsed), kNetworkBytes);
}

void RequestPipeline::refuse(Exchange& exchange, const RateLimiter& limiter,
                             const RateLimiter::Decision& decision) {
    refused_by_rate_.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t seconds = (decision.retry_ns + kRetrySecond - 1) / kRetrySecond;
    sdk::Error error = sdk::make_error(
        sdk::ErrorKind::limited, "http.rate_exceeded",
        "there were too many requests; the next one may come in " + std::to_string(seconds) + " s");
    error.retry_after_seconds = static_cast<int>(seconds);
    Response response = error_response(error, exchange.request().request_id);
    response.headers.emplace_back("RateLimit-Limit", std::to_string(limiter.rate().burst));
    response.headers.emplace_back("RateLimit-Remaining", "0");
    response.headers.emplace_back("RateLimit-Reset", std::to_string(seconds));
    answer(exchange, std::move(response));
}

/// Whether the caller has asked seldom enough; answers the request otherwise. `session` is null
/// when nobody knows who asks.
bool RequestPipeline::is_within_rate(PendingRequest& pending, const sdk::Session* session) {
    Exchange& exchange = *pending.exchange;
    const Request& request = exchange.request();
    if (limits_.requests) {
        const auto decision =
            limits_.requests->take(caller_of(request, session), pending.started_ns);
        if (!decision.is_allowed) {
            refuse(exchange, *limits_.requests, decision);
            return false;
        }
    }
    if (!limits_.logins || !pending.input.route->checks_credentials) return true;
    // Counted now, so that many at once are no way around, and given back when it succeeds.
    std::string caller = caller_of_address(request.remote_address);
    const auto decision = limits_.logins->take(caller, pending.started_ns);
    if (!decision.is_allowed) {
        refuse(exchange, *limits_.logins, decision);
        return false;
    }
    pending.login_caller = std::move(caller);
    return true;
}

void RequestPipeline::forgive_login(PendingRequest& pending) {
    if (pending.login_caller.empty()) return;
    limits_.logins->give_back(pending.login_caller, steady_now_ns());
    pending.login_caller.clear();
}

}  // namespace stele::kernel::http
