#include "kernel/http/message/message_rules.hpp"

#include <algorithm>
#include <utility>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::kernel::http {

namespace {

std::string_view without_weakness(std::string_view etag) {
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    return etag;
}

/// Takes one entity tag off the front. A comma may stand between the quotes.
std::string_view take_etag(std::string_view& rest) {
    const std::size_t opening = rest.find('"');
    const std::size_t closing =
        opening == std::string_view::npos ? opening : rest.find('"', opening + 1);
    // Some clients send the value without its quotes.
    if (closing == std::string_view::npos || rest.find(',') < opening) {
        return sdk::trimmed(sdk::take_until(rest, ','));
    }
    const std::string_view etag = sdk::trimmed(rest.substr(0, closing + 1));
    rest.remove_prefix(closing + 1);
    sdk::take_until(rest, ',');
    return etag;
}

std::string_view without_quotes(std::string_view etag) {
    const bool is_quoted = etag.size() >= 2 && etag.front() == '"' && etag.back() == '"';
    return is_quoted ? etag.substr(1, etag.size() - 2) : etag;
}

/// A list of header names, as a browser sends it; nothing else is echoed.
bool is_name_list(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return sdk::is_letter_or_digit(c) || c == '-' || c == '_' || c == ',' || c == ' ' ||
               c == '.';
    });
}

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           c == ':' || c == '[' || c == ']';
}

}  // namespace

std::optional<std::string> normalized_origin(std::string_view text) {
    std::string origin = sdk::lower_case(text);
    if (origin.ends_with('/')) origin.pop_back();
    // What sandboxed frames and files send.
    if (origin == "null") return origin;
    const std::size_t separator = origin.find("://");
    if (separator == 0 || separator == std::string::npos) return std::nullopt;
    const std::string_view host = std::string_view(origin).substr(separator + 3);
    if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_character)) {
        return std::nullopt;
    }
    for (const auto& [scheme, port] :
         {std::pair("http://", ":80"), std::pair("https://", ":443")}) {
        if (origin.starts_with(scheme) && origin.ends_with(port)) {
            origin.resize(origin.size() - std::string_view(port).size());
        }
    }
    return origin;
}

bool names_etag(std::string_view if_none_match, std::string_view etag) {
    if (sdk::trimmed(if_none_match) == "*") return true;
    const std::string_view wanted = without_quotes(without_weakness(etag));
    while (!if_none_match.empty()) {
        const std::string_view named = take_etag(if_none_match);
        if (!named.empty() && without_quotes(without_weakness(named)) == wanted) return true;
    }
    return false;
}

const std::string* find_header(const Response& response, std::string_view name) {
    for (const auto& [present, value] : response.headers) {
        if (sdk::equals_ignoring_case(present, name)) return &value;
    }
    return nullptr;
}

CorsRules::CorsRules(std::vector<std::string> origins) : origins_(std::move(origins)) {
    allows_all_ = std::erase(origins_, "*") > 0;
}

bool CorsRules::is_listed(std::string_view origin) const {
    return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

bool CorsRules::allows(std::string_view origin) const {
    return allows_all_ || is_listed(origin);
}

bool CorsRules::is_preflight(const Request& request) {
    return request.method == Method::options && request.header("Origin") &&
           request.header("Access-Control-Request-Method");
}

Response CorsRules::preflight_response(const Request& request) const {
    Response response;
    // Every 2xx reply is a JSON object (docs/specification/platform.md 0.1).
    response.body = "{\"ok\":true}";
    auto& headers = response.headers;
    headers.emplace_back("Access-Control-Allow-Methods",
                         "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    const auto wanted = request.header("Access-Control-Request-Headers");
    if (wanted && is_name_list(*wanted)) {
        headers.emplace_back("Access-Control-Allow-Headers", *wanted);
    }
    headers.emplace_back("Access-Control-Max-Age", "600");
    headers.emplace_back("Vary", "Access-Control-Request-Headers");
    return response;
}

void CorsRules::append_headers(std::string_view origin, std::string& head) const {
    head += "Access-Control-Allow-Origin: ";
    if (is_listed(origin)) {
        head += origin;
        head += "\r\nAccess-Control-Allow-Credentials: true\r\n";
    } else {
        head += "*\r\n";
    }
    head +=
        "Access-Control-Expose-Headers: ETag, X-Request-Id, Retry-After, Content-Disposition, "
        "Content-Range, Accept-Ranges, Allow, WWW-Authenticate, RateLimit-Limit, "
        "RateLimit-Remaining, RateLimit-Reset\r\n";
}

}  // namespace stele::kernel::http
