#include <new>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/seal.hpp>

#include "kernel/http/message/compression.hpp"
#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/job/worker_pool.hpp"
#include "kernel/resource/description/openapi.hpp"

namespace stele::kernel::http {

RequestPipeline::Description RequestPipeline::description_of(std::string text) {
    std::string compressed;
    if (!gzip(text, compressed)) throw std::bad_alloc();
    const std::string digest = sdk::hex_text(sdk::sha256(text));
    return {std::make_shared<const std::string>(std::move(text)),
            std::make_shared<const std::string>(std::move(compressed)), '"' + digest + '"',
            '"' + digest + R"(-gzip")"};
}

const resource::Route* RequestPipeline::find_route(Exchange& exchange, RouteMatch& match) {
    const Request& request = exchange.request();
    if (request.route) {
        match = *request.route;
    } else {
        router_.find(request.method, request.path, match);
    }
    switch (match.kind) {
        case RouteMatch::Kind::found:
            return targets_[match.target];
        case RouteMatch::Kind::path_unknown:
            fail(exchange, sdk::make_error(sdk::ErrorKind::not_found, "http.route_unknown",
                                           "there is nothing at this path"));
            return nullptr;
        case RouteMatch::Kind::path_malformed:
            fail(exchange, sdk::make_error(sdk::ErrorKind::invalid, "http.path_malformed",
                                           "the path is not properly percent-encoded UTF-8"));
            return nullptr;
        case RouteMatch::Kind::method_unknown:
            answer_method_unknown(exchange, match.allowed);
            return nullptr;
    }
    return nullptr;
}

bool RequestPipeline::comes_in_pieces(const resource::Route& route, const Request& request) {
    return route.takes_pieces(request.header("Content-Type").value_or(""));
}

BodyWay RequestPipeline::body_way(Request& request) {
    RouteMatch& match = request.route.emplace();
    router_.find(request.method, request.path, match);
    if (match.kind != RouteMatch::Kind::found) return BodyWay::whole;
    const resource::Route& route = *targets_[match.target];
    if (route.is_open) return BodyWay::small;
    return comes_in_pieces(route, request) ? BodyWay::pieces : BodyWay::whole;
}

/// 405, or what the path knows when that was the question.
void RequestPipeline::answer_method_unknown(Exchange& exchange, const std::string& allowed) {
    const Request& request = exchange.request();
    Response response;
    if (request.method == Method::options) {
        response.body = R"({"ok":true})";
    } else {
        response = error_response(
            sdk::make_error(sdk::ErrorKind::method_unknown, "http.method_unknown",
                            "this path does not know the method; it knows " + allowed),
            request.request_id);
    }
    response.headers.emplace_back("Allow", allowed);
    answer(exchange, std::move(response));
}

sdk::Result<void> RequestPipeline::readiness() const {
    if (is_draining_) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "http.draining",
                               "the server is stopping");
    }
    for (const auto& state : {services_.engine->status(), services_.binaries.damage().status(),
                              readiness_ ? readiness_() : sdk::Result<void>()}) {
        if (state) continue;
        // Whatever the reason is for a request, others should be sent elsewhere.
        sdk::Error unfit = state.error();
        unfit.kind = sdk::ErrorKind::unavailable;
        return unfit;
    }
    return {};
}

void RequestPipeline::answer_kernel_route(Exchange& exchange, const resource::Route& route) {
    if (route.path == "/openapi.json") return describe(exchange);
    if (route.path == "/readyz") {
        if (const auto fit = readiness(); !fit) return fail(exchange, fit.error());
    }
    Response response;
    response.body = R"({"ok":true})";
    if (route.path == "/metrics") {
        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
        response.body = metrics_.text();
    }
    answer(exchange, std::move(response));
}

/// Made on a worker, because that takes too long for the thread of the connections. All who ask
/// meanwhile share the part of one caller, and all replies the same text: they are many and large
/// when somebody means ill, and need no token.
void RequestPipeline::describe(Exchange& exchange) {
    if (is_described_) return answer_description(exchange);
    const auto work = [this, kept = exchange.shared_from_this()] {
        try {
            std::call_once(description_made_, [this] {
                description_ =
                    description_of(resource::openapi_document(services_.registry, kernel_routes_));
                is_described_ = true;
            });
            answer_description(*kept);
        } catch (const std::exception& exception) {
            fail(*kept, failure(stages::kRoute.name, exception));
        }
    };
    if (!workers_.post(work, "/openapi.json")) fail(exchange, busy());
}

void RequestPipeline::answer_description(Exchange& exchange) {
    Response response;
    response.headers.emplace_back("ETag", description_.tag);
    response.has_whole_tag = true;
    response.shared_body = description_.text;
    const auto accepted = exchange.request().header("Accept-Encoding");
    if (accepted && accepts_gzip(*accepted)) {
        response.headers = {{"ETag", description_.compressed_tag}, {"Content-Encoding", "gzip"}};
        response.shared_body = description_.compressed;
    }
    answer(exchange, std::move(response));
}

}  // namespace stele::kernel::http
