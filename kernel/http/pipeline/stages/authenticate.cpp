#include "kernel/http/pipeline/request_origin.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::http {

namespace {

/// The token of `Authorization: Bearer token`, the scheme in any case.
std::string_view bearer_of(std::string_view authorization) {
    static constexpr std::string_view kScheme = "bearer";
    const std::size_t blank = authorization.find(' ');
    if (blank != kScheme.size()) return {};
    for (std::size_t i = 0; i < blank; ++i) {
        if ((authorization[i] | 0x20) != kScheme[i]) return {};
    }
    const std::size_t begin = authorization.find_first_not_of(' ', blank);
    return begin == std::string_view::npos ? std::string_view() : authorization.substr(begin);
}

std::string_view cookie_of(std::string_view cookies, std::string_view name) {
    while (!cookies.empty()) {
        const std::size_t end = cookies.find(';');
        std::string_view cookie = cookies.substr(0, end);
        cookies = end == std::string_view::npos ? std::string_view() : cookies.substr(end + 1);
        cookie.remove_prefix(std::min(cookie.find_first_not_of(' '), cookie.size()));
        if (cookie.size() > name.size() && cookie[name.size()] == '=' &&
            cookie.substr(0, name.size()) == name) {
            return cookie.substr(name.size() + 1);
        }
    }
    return {};
}

}  // namespace

/// Whether a request with nothing but a cookie was sent for a page that may act for its user.
/// Reads are let pass: their replies are hidden from foreign pages, and they write nothing.
bool RequestPipeline::may_act_by_cookie(const PendingRequest& pending) const {
    const Request& request = pending.exchange->request();
    return !pending.is_by_cookie || only_reads(request) ||
           origin_of(request, cors_) == RequestOrigin::own;
}

sdk::Result<sdk::SessionPtr> RequestPipeline::authenticate(PendingRequest& pending) const {
    const Request& request = pending.exchange->request();
    const resource::RequestInput& input = pending.input;
    if (input.route->is_open) return anonymous_;
    sdk::Credentials credentials;
    // The query's token first: a published driver repeats a request after a refresh with the new
    // token there and the old one still in the header.
    for (const auto& [name, value] : input.parameters) {
        if (name == "access_token") credentials.bearer = value;
    }
    if (credentials.bearer.empty()) {
        credentials.bearer = bearer_of(request.header("Authorization").value_or(""));
    }
    credentials.ticket_header = request.header("GITANA_TICKET").value_or("");
    credentials.ticket_cookie = cookie_of(request.header("Cookie").value_or(""), "GITANA_TICKET");
    pending.is_by_cookie = credentials.bearer.empty() && credentials.ticket_header.empty() &&
                           !credentials.ticket_cookie.empty();
    if (!authenticator_) {
        sdk::Error error = sdk::make_error(sdk::ErrorKind::unauthenticated, "http.no_authenticator",
                                           "no enabled plugin issues tokens");
        error.protocol_error = "invalid_token";
        return error;
    }
    try {
        return authenticator_->authenticate(credentials);
    } catch (...) {
        return plugin::escaped("authenticator", "authenticate");
    }
}

}  // namespace stele::kernel::http
