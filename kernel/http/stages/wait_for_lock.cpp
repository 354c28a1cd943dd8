#include "kernel/http/request_pipeline.hpp"

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

}  // namespace stele::kernel::http
