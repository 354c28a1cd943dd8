#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/log.hpp>

#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/pipeline/request_origin.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/http/pipeline/second_look.hpp"

namespace stele::kernel::http {

namespace {

constexpr int kSeeOther = 303;

sdk::SessionPtr known_caller(const PendingRequest& pending) {
    return pending.input.route->is_open ? nullptr : pending.input.session;
}

bool is_callers_fault(sdk::ErrorKind kind) {
    using enum sdk::ErrorKind;
    return kind == invalid || kind == unauthenticated || kind == forbidden || kind == not_found;
}

}  // namespace

void RequestPipeline::succeed(const std::shared_ptr<PendingRequest>& pending) {
    pending->enter(stages::kReply);
    sdk::Reply& reply = *pending->reply;
    Response response{.status = reply.is_redirect() ? kSeeOther : 200,
                      .content_type = reply.take_content_type(),
                      .headers = reply.take_headers(),
                      .body = reply.take_body(),
                      .shared_body = nullptr,
                      .source = reply.source(),
                      .ranges = reply.ranges(),
                      .file = reply.file(),
                      .size = reply.size(),
                      .session = known_caller(*pending)};
    if (response.ranges)
        response.ranges =
            look_twice(services_, pending->input, std::move(response.ranges), reply.etag_value());
    // Nobody is logged in by a page of somebody else's.
    if (find_header(response, "Set-Cookie") &&
        origin_of(pending->exchange->request(), cors_) == RequestOrigin::foreign) {
        std::erase_if(response.headers, [](const auto& header) {
            return sdk::equals_ignoring_case(header.first, "Set-Cookie");
        });
    }
    if (!reply.etag_value().empty()) {
        response.headers.emplace_back("ETag", reply.etag_value());
        response.has_whole_tag = true;
    }
    metrics_.count(response.status, steady_now_ns() - pending->started_ns);
    forgive_login(*pending);
    pending->context.reset();
    pending->exchange->answer(std::move(response));
}

void RequestPipeline::answer(Exchange& exchange, Response response) {
    metrics_.count(response.status, 0);
    exchange.answer(std::move(response));
}

void RequestPipeline::fail(Exchange& exchange, const sdk::Error& error) {
    answer(exchange, error_response(error, exchange.request().request_id));
}

void RequestPipeline::fail(const std::shared_ptr<PendingRequest>& pending,
                           const sdk::Error& error) {
    pending->context.reset();
    if (!is_callers_fault(error.kind)) forgive_login(*pending);
    Response response = error_response(error, pending->exchange->request().request_id);
    response.session = known_caller(*pending);
    metrics_.count(response.status, steady_now_ns() - pending->started_ns);
    pending->exchange->answer(std::move(response));
}

}  // namespace stele::kernel::http
