#include <charconv>
#include <utility>

#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/job/worker_pool.hpp"
#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::http {

namespace {

sdk::Error foreign_page() {
    return sdk::make_error(sdk::ErrorKind::forbidden, "http.origin_foreign",
                           "a request that writes by a cookie must name the own site, or one of "
                           "server.cors_origins, as its Origin");
}

bool is_long(const resource::RequestInput& input) {
    return input.route->is_slow || input.raw_body.size() > resource::kMaxShortBytes;
}

}  // namespace

sdk::Error RequestPipeline::busy() {
    return sdk::make_error(sdk::ErrorKind::unavailable, "http.busy",
                           "the server is busy; try again soon");
}

/// Learns who calls, and takes the request to the thread that it runs on. With an engine that other
/// servers share, the transaction begins first: that is when this server hears of what the others
/// have committed, and only then is what it remembers of sessions right.
void RequestPipeline::begin(const std::shared_ptr<PendingRequest>& pending) {
    if (services_.engine->is_local()) {
        if (!identify(pending)) return;
        pending->input.must_be_short = !is_long(pending->input);
        if (pending->input.must_be_short) return attempt(pending);
        if (!post(pending)) fail(pending, busy());
        return;
    }
    const bool is_posted = workers_.post(
        [this, pending] {
            pending->work = resource::WorkContext::begin(services_);
            if (identify(pending)) attempt(pending);
        },
        sharer_of(pending->exchange->request(), nullptr));
    if (!is_posted) fail(pending, busy());
}

/// Before a large body: who sends it must be known; of an upload, whether they may send it and
/// whether it will find room. All of that is looked at again when the body is here.
void RequestPipeline::admit(Exchange& exchange) {
    RouteMatch match;
    const resource::Route* route = find_route(exchange, match);
    if (!route) return;
    const auto pending = take_up(exchange, *route, std::move(match.values));
    if (!pending) return;
    const auto decide = [this, pending] {
        if (!identify(pending)) return;
        const bool is_upload = comes_in_pieces(*pending->input.route, pending->exchange->request());
        if (auto admitted = is_upload ? admit_upload(*pending) : sdk::Result<void>(); !admitted)
            return fail(pending, admitted.error());
        pending->exchange->accept_body();
    };
    if (services_.engine->is_local()) return decide();
    const bool is_posted = workers_.post(
        [this, pending, decide] {
            pending->work = resource::WorkContext::begin(services_);
            decide();
        },
        sharer_of(exchange.request(), nullptr));
    if (!is_posted) fail(pending, busy());
}

sdk::Result<void> RequestPipeline::admit_upload(PendingRequest& pending) {
    std::uint64_t length = 0;
    const std::string_view announced = pending.input.header("Content-Length").value_or("");
    std::from_chars(announced.data(), announced.data() + announced.size(), length);
    auto work = std::exchange(pending.work, nullptr);
    if (!work) work = resource::WorkContext::begin(services_);
    try {
        resource::WorkContext context(services_, pending.input.session, std::move(work));
        resource::RoutedCall call(context, pending.input);
        return resource::admit_upload(call, length);
    } catch (const std::exception& exception) {
        return failure(pending.input.stage, exception);
    }
}

sdk::Error RequestPipeline::failure(std::string_view stage, const std::exception& exception) {
    return sdk::make_error(sdk::ErrorKind::internal, "http.internal",
                           "the server failed; the request id leads to its log",
                           stages::failed_in(stage, exception.what()));
}

/// False when the request was answered.
bool RequestPipeline::identify(const std::shared_ptr<PendingRequest>& pending) {
    resource::RequestInput& input = pending->input;
    pending->enter(stages::kAuthenticate);
    auto session = authenticate(*pending);
    // One that was admitted was counted then.
    pending->enter(stages::kLimit);
    const bool is_counted = pending->exchange->request().is_admitted;
    if (!is_counted && !is_within_rate(*pending, session ? session->get() : nullptr)) return false;
    if (!session) {
        fail(pending, session.error());
        return false;
    }
    pending->enter(stages::kOrigin);
    if (!may_act_for_page(*pending)) {
        fail(pending, foreign_page());
        return false;
    }
    input.session = std::move(*session);
    return true;
}

}  // namespace stele::kernel::http
