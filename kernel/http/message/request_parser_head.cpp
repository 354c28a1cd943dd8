#include "kernel/http/message/request_parser_head.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <stele/sdk/letter_case.hpp>

namespace stele::kernel::http {

namespace {

namespace beast_http = boost::beast::http;

/// More header lines than any client sends; keeps the table of views small.
constexpr std::size_t kMaxHeaders = 256;

Method method_of(beast_http::verb verb) {
    switch (verb) {
        case beast_http::verb::get:
            return Method::get;
        case beast_http::verb::head:
            return Method::head;
        case beast_http::verb::post:
            return Method::post;
        case beast_http::verb::put:
            return Method::put;
        case beast_http::verb::patch:
            return Method::patch;
        case beast_http::verb::delete_:
            return Method::remove;
        case beast_http::verb::options:
            return Method::options;
        default:
            return Method::other;
    }
}

std::string_view view(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

/// The part of an absolute URI from its path on (RFC 9112, 3.2.2).
std::string_view without_authority(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!sdk::equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        const std::size_t path = target.find_first_of("/?", scheme.size());
        return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
    }
    return target;
}

/// Where parameters in the last segment of a path begin, at their `&`; the path's size when there
/// are none.
std::size_t begin_of_path_parameters(std::string_view path) {
    const std::size_t mark = path.find('&', path.rfind('/') + 1);
    if (mark == std::string_view::npos) return path.size();
    const std::size_t sign = path.find_first_of("&=", mark + 1);
    const bool is_named = sign != std::string_view::npos && sign > mark + 1 && path[sign] == '=';
    return is_named ? mark : path.size();
}

}  // namespace

void HeadParser::on_request_impl(beast_http::verb verb, Text method, Text target, int version,
                                 Code& code) {
    request_.method = method_of(verb);
    request_.method_text = view(method);
    version_ = version;
    if (!set_target(view(target))) {
        refuse(code, 400, "http.request_malformed", "the request's target is not a path");
    }
}

bool HeadParser::set_target(std::string_view target) {
    target = without_authority(target);
    if (target == "*" && request_.method == Method::options) target = "/";
    const std::size_t mark = target.find('?');
    request_.path = target.substr(0, mark);
    request_.query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    const std::size_t end = begin_of_path_parameters(request_.path);
    if (end < request_.path.size()) {
        request_.path_parameters = request_.path.substr(end + 1);
        request_.path = request_.path.substr(0, end);
    }
    // Some clients append the query string right to a base URL without a path.
    if (request_.path.empty()) request_.path = "/";
    return request_.path.front() == '/';
}

void HeadParser::on_field_impl(beast_http::field field, Text name, Text value, Code& code) {
    // Fields after the last chunk are no header lines, and their bytes do not stay.
    if (header_is_done_) return;
    if (is_folded(view(name), view(value))) {
        return refuse(code, 400, "http.request_malformed", "a header line is folded");
    }
    if (request_.headers.size() == kMaxHeaders) {
        return refuse(code, 431, "http.header_too_large", "the request has too many header lines");
    }
    if (field == beast_http::field::host) ++hosts_;
    if (field == beast_http::field::expect && version_ != 10) {
        const bool is_known = sdk::equals_ignoring_case(view(value), "100-continue");
        expects_unknown_ = expects_unknown_ || !is_known;
    }
    if (field == beast_http::field::transfer_encoding) {
        if (version_ == 10) {
            return refuse(code, 400, "http.request_malformed",
                          "HTTP/1.0 knows no Transfer-Encoding");
        }
        if (!sdk::equals_ignoring_case(view(value), "chunked")) {
            return refuse(code, 501, "http.transfer_unsupported",
                          "the only Transfer-Encoding understood is 'chunked'");
        }
    }
    request_.headers.emplace_back(view(name), view(value));
}

/// Beast joins folded lines in a buffer of its own, or steps over a fold before the value.
bool HeadParser::is_folded(std::string_view name, std::string_view value) const {
    const std::less<const char*> is_before;
    const char* const name_end = name.data() + name.size();
    if (is_before(value.data(), name_end)) return true;
    if (!is_before(value.data(), head_.data() + head_.size())) return true;
    return std::find(name_end, value.data(), '\r') != value.data();
}

std::size_t HeadParser::on_chunk_body_impl(std::uint64_t, Text text, Code&) {
    body_.append(view(text));
    return text.size();
}

void HeadParser::refuse(Code& code, int status, std::string error_code, std::string message) {
    failure_ = WireFailure{status, std::move(error_code), std::move(message)};
    code = beast_http::error::bad_value;
}

}  // namespace stele::kernel::http
