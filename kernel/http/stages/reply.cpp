#include <stele/sdk/log.hpp>

#include "kernel/http/error_mapping.hpp"
#include "kernel/http/request_pipeline.hpp"

namespace stele::kernel::http {

void RequestPipeline::succeed(const std::shared_ptr<PendingRequest>& pending) {
    sdk::Reply& reply = pending->reply;
    Response response;
    response.content_type = reply.content_type();
    response.headers = reply.headers();
    if (!reply.etag_value().empty()) response.headers.emplace_back("ETag", reply.etag_value());
    response.source = reply.source();
    response.body = reply.take_body();
    metrics_.count(response.status, steady_now_ns() - pending->started_ns);
    pending->context.reset();
    pending->exchange->answer(std::move(response));
}

void RequestPipeline::fail(Exchange& exchange, const sdk::Error& error) {
    Response response = error_response(error, exchange.request().request_id);
    metrics_.count(response.status, 0);
    exchange.answer(std::move(response));
}

void RequestPipeline::fail(const std::shared_ptr<PendingRequest>& pending,
                           const sdk::Error& error) {
    pending->context.reset();
    fail(*pending->exchange, error);
}

}  // namespace stele::kernel::http
