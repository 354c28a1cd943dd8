#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"

namespace stele::kernel::http {

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
    metrics_.count(response.status, 0);
    exchange.answer(std::move(response));
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
    Response response;
    if (route.path == "/readyz") {
        if (const auto fit = readiness(); !fit) return fail(exchange, fit.error());
    }
    if (route.path == "/metrics") {
        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
        response.body = metrics_.text();
    } else if (route.path == "/openapi.json") {
        response.body = openapi_;
    } else {
        response.body = R"({"ok":true})";
    }
    metrics_.count(response.status, 0);
    exchange.answer(std::move(response));
}

}  // namespace stele::kernel::http
