#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::http {

namespace {
constexpr std::size_t kAttempts = 64;
}

/// Hands the transaction to the engine; the thread goes on with other requests meanwhile.
void RequestPipeline::commit(const std::shared_ptr<PendingRequest>& pending) {
    pending->enter(stages::kCommit);
    commits_.add();
    pending->context->transaction().commit([this, pending](sdk::Result<void> result) {
        committed(pending, std::move(result));
        commits_.remove();
    });
}

/// On the engine's thread: short. Effects and repetitions go to a worker.
void RequestPipeline::committed(const std::shared_ptr<PendingRequest>& pending,
                                sdk::Result<void> result) {
    if (result) {
        if (!pending->context->has_followers()) return succeed(pending);
        const auto finish = [this, pending] {
            pending->enter(stages::kComplete);
            pending->context->complete(*pending->reply);
            pending->context->run_effects();
            succeed(pending);
        };
        // The commit stands and its effects must run: on this thread when no worker takes them.
        if (!workers_.post(finish)) finish();
        return;
    }
    pending->context->note_failed_commit(result.error());
    const bool is_conflict = result.error().code == "engine.conflict";
    if (!is_conflict) return fail(pending, result.error());
    if (++pending->attempts < kAttempts && post(pending)) return;
    fail(pending, sdk::make_error(sdk::ErrorKind::unavailable, "http.busy",
                                  "too many others change the same records; try again"));
}

}  // namespace stele::kernel::http
