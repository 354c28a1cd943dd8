#include "kernel/http/pipeline/download.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <stele/sdk/http_date.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/message_rules.hpp"

namespace stele::kernel::http {

namespace {

constexpr int kPartialContent = 206;
constexpr int kRangeNotSatisfiable = 416;

struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

/// Numbers beyond 64 bits are beyond every size.
std::optional<std::uint64_t> read_number(std::string_view digits) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    if (digits.empty()) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        number = number > (kMax - digit) / 10 ? kMax : number * 10 + digit;
    }
    return number;
}

/// The part that a `Range` names: nothing when the header is none, has another unit or asks for
/// several parts; an empty one when nothing of the body lies in it.
std::optional<ByteRange> read_range(std::string_view text, std::uint64_t size) {
    constexpr std::string_view kUnit = "bytes=";
    if (!sdk::equals_ignoring_case(text.substr(0, kUnit.size()), kUnit)) return std::nullopt;
    text = sdk::trimmed(text.substr(kUnit.size()));
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto last = read_number(text.substr(dash + 1));
    if (dash == 0) {
        if (!last) return std::nullopt;
        if (*last > 0 && size == 0) return std::nullopt;  // all of nothing
        return ByteRange{size - std::min(*last, size), size};
    }
    const auto first = read_number(text.substr(0, dash));
    const bool is_open_ended = dash + 1 == text.size();
    if (!first || (!last && !is_open_ended) || (last && *last < *first)) return std::nullopt;
    if (*first >= size) return ByteRange{};
    return ByteRange{*first, last && *last < size ? *last + 1 : size};
}

/// Only a strong tag tells that the bytes are the same, or the very date that they had: a client
/// sends one only when no other change can have that date (RFC 9110, 13.1.5).
bool is_same_version(const Request& request, const Response& response) {
    const auto condition = request.header("If-Range");
    if (!condition) return true;
    if (const auto date = sdk::read_http_date(sdk::trimmed(*condition))) {
        const std::string* modified = find_header(response, "Last-Modified");
        return modified && sdk::read_http_date(*modified) == date;
    }
    const std::string* etag = find_header(response, "ETag");
    return etag && etag->starts_with('"') && sdk::trimmed(*condition) == *etag;
}

}  // namespace

sdk::BodySource open_later(sdk::Reply::RangeSource open, std::uint64_t first, std::uint64_t end) {
    return [open = std::move(open), first, end,
            source = sdk::BodySource()](std::string& out) mutable -> sdk::Result<bool> {
        if (first == end) return false;
        if (!source) source = open(first, end);
        return source(out);
    };
}

void open_download(const Request& request, Response& response) {
    const std::uint64_t size = response.size;
    const std::string all = std::to_string(size);
    ByteRange range{0, size};
    const auto header = request.header("Range");
    const bool may_be_part =
        request.method == Method::get && header && is_same_version(request, response);
    const auto wanted = may_be_part ? read_range(*header, size) : std::nullopt;
    if (wanted && wanted->first == wanted->end) {
        const sdk::Error error =
            sdk::make_error(sdk::ErrorKind::invalid, "http.range_unsatisfiable",
                            "there are " + all + " bytes only");
        sdk::SessionPtr session = std::move(response.session);
        response = error_response(error, request.request_id, kRangeNotSatisfiable);
        response.session = std::move(session);
        response.headers.emplace_back("Content-Range", "bytes */" + all);
        return;
    }
    if (wanted) {
        range = *wanted;
        response.status = kPartialContent;
        response.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.first) +
                                                           '-' + std::to_string(range.end - 1) +
                                                           '/' + all);
    }
    response.headers.emplace_back("Accept-Ranges", "bytes");
    response.headers.emplace_back("Content-Length", std::to_string(range.end - range.first));
    response.first = range.first;
    response.source = open_later(response.ranges, range.first, range.end);
    // What was begun as a file may be gone on with.
    if (!response.file) response.ranges = nullptr;
}

}  // namespace stele::kernel::http
