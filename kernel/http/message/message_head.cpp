#include "kernel/http/message/message_head.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <stele/sdk/letter_case.hpp>

#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/message_rules.hpp"

namespace stele::kernel::http {

namespace {

// Not plain literals: their lengths would be counted for every reply.
using namespace std::string_view_literals;

constexpr std::string_view kLineEnd = "\r\n";

constexpr std::array<std::string_view, 8> kOwnLines{
    "Content-Length", "Transfer-Encoding", "Connection", "Date",
    "Content-Type",   "X-Request-Id",      "Vary",       "X-Content-Type-Options"};

void append_number(std::string& out, std::uint64_t number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

bool ends_a_value(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    out += ": "sv;
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    out += value;
    // Hardly any value has one: looking is quicker than replacing.
    const auto first = std::find_if(out.begin() + begin, out.end(), ends_a_value);
    std::replace_if(first, out.end(), ends_a_value, ' ');
    out += kLineEnd;
}

void append_status_line(std::string& out, int status) {
    if (status == 200) {
        out += "HTTP/1.1 200 OK\r\n"sv;
        return;
    }
    out += "HTTP/1.1 "sv;
    append_number(out, static_cast<std::uint64_t>(status));
    out += ' ';
    out += reason_of(status);
    out += kLineEnd;
}

bool is_own_line(std::string_view name) {
    return std::any_of(kOwnLines.begin(), kOwnLines.end(),
                       [&](std::string_view own) { return sdk::equals_ignoring_case(own, name); });
}

/// The handler's lines; answers whether `Cache-Control` was among them.
bool append_response_lines(std::string& out, const Response& response, bool is_tls) {
    bool has_cache_control = false;
    for (const auto& [name, value] : response.headers) {
        if (is_own_line(name)) continue;
        has_cache_control = has_cache_control || sdk::equals_ignoring_case(name, "Cache-Control");
        const bool is_cookie = is_tls && sdk::equals_ignoring_case(name, "Set-Cookie");
        if (is_cookie && value.find("; Secure") == std::string::npos) {
            append_line(out, name, value + "; Secure");
        } else {
            append_line(out, name, value);
        }
    }
    return has_cache_control;
}

void append_vary(std::string& out, const Response& response, const HeadFacts& facts) {
    const std::string* own = find_header(response, "Vary");
    const bool varies_by_origin = facts.cors && facts.cors->varies();
    if (!own && !varies_by_origin && !facts.varies_by_encoding) return;
    std::string value;
    const auto add = [&](std::string_view name) {
        if (!value.empty()) value += ", ";
        value += name;
    };
    if (own) add(*own);
    if (facts.varies_by_encoding) add("Accept-Encoding");
    if (varies_by_origin) add("Origin");
    append_line(out, "Vary", value);
}

void append_framing(std::string& out, const HeadFacts& facts) {
    if (facts.length) {
        out += "Content-Length: "sv;
        append_number(out, *facts.length);
        out += kLineEnd;
    }
    if (facts.is_chunked) out += "Transfer-Encoding: chunked\r\n"sv;
    if (facts.is_gzip) out += "Content-Encoding: gzip\r\n"sv;
    if (facts.closes) {
        out += "Connection: close\r\n"sv;
    } else if (facts.is_http_1_0) {
        out += "Connection: keep-alive\r\n"sv;
    }
}

}  // namespace

void append_head(std::string& out, const Response& response, const HeadFacts& facts) {
    append_status_line(out, response.status);
    if (response.status != 304) append_line(out, "Content-Type", response.content_type);
    append_framing(out, facts);
    out += "X-Request-Id: "sv;
    out += facts.request_id;
    out += "\r\nX-Content-Type-Options: nosniff\r\nDate: "sv;
    out += facts.date;
    out += kLineEnd;
    if (facts.is_tls && facts.hsts_time.count() > 0) {
        out += "Strict-Transport-Security: max-age="sv;
        append_number(out, static_cast<std::uint64_t>(facts.hsts_time.count()));
        out += kLineEnd;
    }
    if (!append_response_lines(out, response, facts.is_tls)) {
        // Kept, but asked about each time: ETags save the body, never the permission check.
        out += response.status < 400 ? "Cache-Control: private, no-cache\r\n"sv
                                     : "Cache-Control: no-store\r\n"sv;
    }
    append_vary(out, response, facts);
    if (facts.cors && !facts.origin.empty() && facts.cors->allows(facts.origin)) {
        facts.cors->append_headers(facts.origin, out);
    }
    out += kLineEnd;
}

}  // namespace stele::kernel::http
