#include <stele/sdk/log.hpp>

#include "kernel/http/pipeline/request_origin.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/http/pipeline/second_look.hpp"
#include "kernel/job/worker_pool.hpp"
#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::http {

namespace {

/// To the caller the same as a token that was revoked.
sdk::Error closed_platform() {
    sdk::Error error =
        sdk::make_error(sdk::ErrorKind::unauthenticated, "http.platform_closed",
                        "the platform that the access token is for is closed or removed");
    error.protocol_error = "invalid_token";
    return error;
}

/// A link on any page makes browsers send such a request.
sdk::Error writes_by_get() {
    return sdk::make_error(sdk::ErrorKind::forbidden, "http.cookie_reads_only",
                           "by GET a cookie is good for what only reads; use POST, or a token");
}

}  // namespace

bool RequestPipeline::post(const std::shared_ptr<PendingRequest>& pending) {
    return workers_.post([this, pending] { attempt(pending); },
                         sharer_of(pending->exchange->request(), pending->input.session.get()));
}

/// One run of everything inside the transaction. Repeated from here after a conflict.
void RequestPipeline::attempt(const std::shared_ptr<PendingRequest>& pending) {
    const job::Budget::Scope scope(&*pending->budget);
    try {
        if (auto left = pending->budget->check(); !left) return fail(pending, left.error());
        run_stages(pending);
    } catch (const std::exception& exception) {
        fail(pending, failure(pending->input.stage, exception));
    }
}

void RequestPipeline::run_stages(const std::shared_ptr<PendingRequest>& pending) {
    pending->enter(stages::kBegin);
    auto work = std::exchange(pending->work, nullptr);
    if (!work) work = resource::WorkContext::begin(services_, pending->attempts);
    // Here, because a platform may go between two attempts; after the transaction began, because
    // what is known of platforms is then no older than it.
    auto open = services_.platforms.is_open(pending->input.session->platform.number);
    if (!open) return fail(pending, open.error());
    if (!*open) return fail(pending, closed_platform());
    pending->context =
        std::make_unique<resource::WorkContext>(services_, pending->input.session, std::move(work));
    if (pending->input.must_be_short) pending->context->keep_reads_short();
    if (pending->input.route->is_urgent) pending->context->transaction().set_urgent();
    resource::RoutedCall call(*pending->context, pending->input);
    const auto done = resource::execute(call, pending->reply);
    // Whatever the handler made of it.
    if (pending->context->has_met_long_record()) return move_to_worker(pending);
    if (!done) {
        if (is_binary_gone(done.error())) return look_again(pending, done.error());
        if (done.error().may_pass_soon) return wait_for_turn(pending, done.error());
        const bool is_blocked =
            done.error().kind == sdk::ErrorKind::locked && pending->context->blocked_by();
        return is_blocked ? wait_for_lock(pending, done.error()) : fail(pending, done.error());
    }
    const bool writes = pending->context->transaction().has_writes();
    if (writes && pending->is_by_browser && only_reads(pending->exchange->request())) {
        return fail(pending, writes_by_get());
    }
    if (writes) return commit(pending);
    pending->context->run_effects();
    succeed(pending);
}

void RequestPipeline::move_to_worker(const std::shared_ptr<PendingRequest>& pending) {
    pending->context.reset();
    pending->input.must_be_short = false;
    if (!post(pending)) fail(pending, busy());
}

void RequestPipeline::look_again(const std::shared_ptr<PendingRequest>& pending,
                                 const sdk::Error& error) {
    pending->context.reset();
    const bool is_first = !std::exchange(pending->has_looked_again, true);
    if (is_first && post(pending)) return;
    fail(pending, is_first ? error : services_.binaries.note_gone(error));
}

}  // namespace stele::kernel::http
