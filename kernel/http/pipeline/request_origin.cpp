#include "kernel/http/pipeline/request_origin.hpp"

#include <stele/sdk/letter_case.hpp>

#include "kernel/http/message/message_rules.hpp"

namespace stele::kernel::http {

namespace {

/// What stands behind `://`; empty for `null`.
std::string_view authority_of(std::string_view origin) {
    const std::size_t separator = origin.find("://");
    return separator == std::string_view::npos ? std::string_view() : origin.substr(separator + 3);
}

}  // namespace

RequestOrigin origin_of(const Request& request, const CorsRules& cors) {
    const auto origin = request.header("Origin");
    if (origin && cors.is_listed(*origin)) return RequestOrigin::own;
    if (const auto site = request.header("Sec-Fetch-Site")) {
        const bool is_own = *site == "same-origin" || *site == "same-site" || *site == "none";
        return is_own ? RequestOrigin::own : RequestOrigin::foreign;
    }
    if (!origin) return RequestOrigin::unknown;
    const std::string_view authority = authority_of(*origin);
    const std::string_view host = request.header("Host").value_or(std::string_view());
    const bool is_own = !authority.empty() && sdk::equals_ignoring_case(authority, host);
    return is_own ? RequestOrigin::own : RequestOrigin::foreign;
}

bool only_reads(const Request& request) {
    return request.method == Method::get || request.method == Method::head;
}

}  // namespace stele::kernel::http
