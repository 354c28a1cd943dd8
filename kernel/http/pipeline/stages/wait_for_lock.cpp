#include "kernel/http/pipeline/request_pipeline.hpp"

namespace stele::kernel::http {

/// The operation failed because somebody else keeps a data store locked. Nothing was written: it is
/// repeated from the start once the store is free, until the caller has waited long enough.
void RequestPipeline::wait_for_lock(const std::shared_ptr<PendingRequest>& pending,
                                    const sdk::Error& error) {
    const sdk::RecordKey store = *pending->context->blocked_by();
    const auto now = LockWaits::Clock::now();
    if (!pending->lock_deadline) pending->lock_deadline = now + lock_patience_;
    // Its snapshot must not be held for so long.
    pending->context.reset();
    const auto resume = [this, pending, error](LockWaits::End end) {
        if (end == LockWaits::End::unlocked && post(pending)) return;
        fail(pending, error);
    };
    const bool waits =
        *pending->lock_deadline > now && lock_waits_.add(store, *pending->lock_deadline, resume);
    if (!waits) fail(pending, error);
}

/// Too many do the same at the moment: it is repeated a few times a second until there is room,
/// the caller has waited long enough, or is gone.
void RequestPipeline::wait_for_turn(const std::shared_ptr<PendingRequest>& pending,
                                    const sdk::Error& error) {
    const auto now = LockWaits::Clock::now();
    if (!pending->turn_deadline) pending->turn_deadline = now + busy_wait_;
    pending->context.reset();
    const auto resume = [this, pending, error](LockWaits::End end) {
        if (end == LockWaits::End::unlocked && post(pending)) return;
        fail(pending, error);
    };
    const bool waits = *pending->turn_deadline > now &&
                       lock_waits_.add(LockWaits::kMoment, *pending->turn_deadline, resume);
    if (!waits) fail(pending, error);
}

}  // namespace stele::kernel::http
