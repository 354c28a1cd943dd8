#include "kernel/http/message/error_mapping.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include <stele/sdk/json.hpp>
#include <stele/sdk/log.hpp>

namespace stele::kernel::http {

namespace {

struct Reason {
    int status;
    std::string_view text;
};

constexpr std::array kReasons{
    Reason{100, "Continue"},
    Reason{200, "OK"},
    Reason{201, "Created"},
    Reason{202, "Accepted"},
    Reason{206, "Partial Content"},
    Reason{301, "Moved Permanently"},
    Reason{302, "Found"},
    Reason{303, "See Other"},
    Reason{304, "Not Modified"},
    Reason{307, "Temporary Redirect"},
    Reason{308, "Permanent Redirect"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{412, "Precondition Failed"},
    Reason{413, "Content Too Large"},
    Reason{415, "Unsupported Media Type"},
    Reason{416, "Range Not Satisfiable"},
    Reason{417, "Expectation Failed"},
    Reason{423, "Locked"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{503, "Service Unavailable"},
    Reason{505, "HTTP Version Not Supported"},
    Reason{507, "Insufficient Storage"},
};

void append_member(std::string& body, std::string_view name, std::string_view text) {
    body += ",\"";
    body += name;
    body += "\":";
    sdk::append_json_string(body, text);
}

void append_violations(std::string& body, const sdk::Violations& violations) {
    body += ",\"violations\":[";
    // The rest can be found out when these are mended.
    for (const sdk::Violation& violation :
         std::span(violations).first(std::min(violations.size(), sdk::kMaxViolations))) {
        if (body.back() != '[') body += ',';
        body += "{\"path\":";
        sdk::append_json_string(body, sdk::shown_path(violation.path));
        append_member(body, "code", violation.code);
        append_member(body, "message",
                      sdk::shown_path(violation.message, sdk::kMaxViolationMessage));
        body += '}';
    }
    body += ']';
}

std::string body_of(const sdk::Error& error, std::string_view request_id, int status) {
    // Clients read `message` unconditionally, so that it is never empty.
    const std::string_view message = error.message.empty() ? reason_of(status) : error.message;
    std::string body = "{\"ok\":false,\"error\":";
    if (error.protocol_error.empty()) {
        body += "true";
    } else {
        sdk::append_json_string(body, error.protocol_error);
        append_member(body, "error_description", message);
    }
    append_member(body, "message", message);
    append_member(body, "code", error.code);
    body += ",\"status\":" + std::to_string(status);
    append_member(body, "requestId", request_id);
    if (!error.violations.empty()) append_violations(body, error.violations);
    body += '}';
    return body;
}

void log_detail(const sdk::Error& error, std::string_view request_id) {
    const bool is_fault = error.kind == sdk::ErrorKind::internal;
    if (error.detail.empty() && !is_fault) return;
    std::string line(request_id);
    line += ' ' + error.code + ": " + error.message;
    if (!error.detail.empty()) line += ": " + error.detail;
    sdk::log(is_fault ? sdk::LogLevel::error : sdk::LogLevel::info, "http", line);
}

/// RFC 6750, 3: the scheme always, the reason only when a token was there to judge.
std::string challenge(const sdk::Error& error) {
    std::string value = "Bearer realm=\"stele\"";
    if (!error.protocol_error.empty()) value += ", error=\"" + error.protocol_error + "\"";
    return value;
}

}  // namespace

int status_of(sdk::ErrorKind kind) {
    switch (kind) {
        case sdk::ErrorKind::invalid:
            return 400;
        case sdk::ErrorKind::unauthenticated:
            return 401;
        case sdk::ErrorKind::forbidden:
            return 403;
        case sdk::ErrorKind::not_found:
            return 404;
        case sdk::ErrorKind::method_unknown:
            return 405;
        case sdk::ErrorKind::conflict:
            return 409;
        case sdk::ErrorKind::precondition_failed:
            return 412;
        case sdk::ErrorKind::too_large:
            return 413;
        case sdk::ErrorKind::unsupported:
            return 415;
        case sdk::ErrorKind::locked:
            return 423;
        case sdk::ErrorKind::limited:
            return 429;
        case sdk::ErrorKind::internal:
            return 500;
        case sdk::ErrorKind::unimplemented:
            return 501;
        case sdk::ErrorKind::unavailable:
        case sdk::ErrorKind::timed_out:
            return 503;
        case sdk::ErrorKind::storage_full:
            return 507;
    }
    return 500;
}

std::string_view reason_of(int status) {
    for (const Reason& reason : kReasons) {
        if (reason.status == status) return reason.text;
    }
    return status < 400 ? "Other" : "Error";
}

Response error_response(const sdk::Error& error, std::string_view request_id) {
    return error_response(error, request_id, status_of(error.kind));
}

Response error_response(const sdk::Error& error, std::string_view request_id, int status) {
    log_detail(error, request_id);
    Response response;
    response.status = status;
    response.body = body_of(error, request_id, status);
    if (error.retry_after_seconds > 0) {
        response.headers.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
    }
    if (!error.present_etag.empty()) response.headers.emplace_back("ETag", error.present_etag);
    if (status == 401) response.headers.emplace_back("WWW-Authenticate", challenge(error));
    return response;
}

}  // namespace stele::kernel::http
