// Arbitrary bytes, in arbitrary splits, through the request parser, the router and the decoding of
// percent signs. The same bytes in one piece must give the same requests.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/http/message/request_parser.hpp"
#include "kernel/http/pipeline/router.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using namespace stele::kernel::http;
using stele::testing::fuzz_check;
using Step = RequestParser::Step;

ServerLimits make_limits() {
    ServerLimits limits;
    limits.header_bytes = 2000;
    limits.body_bytes = 5000;
    return limits;
}

struct Routes {
    Routes() {
        RouteTarget target = 0;
        for (const auto* path : {"/", "/stacks", "/stacks/{id}", "/stacks/query", "/{a}/{b}/x"}) {
            fuzz_check(router.add(Method::get, path, target++).has_value());
        }
        fuzz_check(router.add(Method::post, "/stacks/query", target).has_value());
    }

    Router router;
};

/// What a request said, in one text that can be compared.
std::string describe(const Request& request) {
    std::string text(request.method_text);
    for (const auto part : {request.path, request.query, request.body}) {
        text += '\n';
        text += part;
    }
    for (const auto& [name, value] : request.headers) {
        text += '\n';
        text += name;
        text += ':';
        text += value;
    }
    return text;
}

void route(const Request& request) {
    static const Routes routes;
    RouteMatch match;
    routes.router.find(request.method, request.path, match);
    fuzz_check((match.kind == RouteMatch::Kind::method_unknown) == !match.allowed.empty());
    std::string decoded;
    std::string again;
    if (percent_decode(request.query, decoded, true)) {
        fuzz_check(decoded.find('\0') == std::string::npos);
        // Decoding may make new percent signs, but never text that is no UTF-8.
        if (decoded.find('%') == std::string::npos) fuzz_check(percent_decode(decoded, again));
    }
}

/// Requests in order; a failure ends the list with its status.
std::vector<std::string> parse(std::string_view wire, std::string_view splits) {
    static const ServerLimits limits = make_limits();
    RequestParser parser(limits);
    std::vector<std::string> seen;
    for (std::size_t turn = 0;; ++turn) {
        const Step step = parser.advance();
        if (step == Step::header) continue;
        if (step == Step::failed) {
            seen.push_back("failed " + parser.failure().code);
            return seen;
        }
        if (step == Step::complete) {
            const Request& request = parser.request();
            fuzz_check(request.path.starts_with('/'));
            fuzz_check(request.body.size() <= limits.body_bytes);
            route(request);
            seen.push_back(describe(request));
            parser.finish();
            continue;
        }
        if (wire.empty()) return seen;
        const std::span<char> space = parser.space();
        fuzz_check(!space.empty());
        std::size_t piece = wire.size();
        if (!splits.empty()) piece = 1 + static_cast<std::uint8_t>(splits[turn % splits.size()]);
        const std::size_t count = std::min({piece, space.size(), wire.size()});
        std::memcpy(space.data(), wire.data(), count);
        wire.remove_prefix(count);
        parser.received(count);
    }
}

}  // namespace

/// The first byte says how many of the following ones are sizes of pieces; the rest is the wire.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t count = std::min<std::size_t>(data[0] % 8, size - 1);
    const std::string_view splits = input.substr(1, count);
    const std::string_view wire = input.substr(1 + count);
    const std::vector<std::string> whole = parse(wire, {});
    const std::vector<std::string> pieces = parse(wire, splits);
    // A failure may be seen earlier or later, but never another request.
    const std::size_t common = std::min(whole.size(), pieces.size());
    for (std::size_t i = 0; i < common; ++i) {
        const bool is_failure = whole[i].starts_with("failed") || pieces[i].starts_with("failed");
        fuzz_check(is_failure || whole[i] == pieces[i]);
    }
    return 0;
}
