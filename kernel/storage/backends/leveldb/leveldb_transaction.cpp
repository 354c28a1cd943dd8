#include "kernel/storage/backends/leveldb/leveldb_transaction.hpp"

#include <cassert>
#include <future>

namespace stele::kernel::storage {

void LevelDbTransaction::move_on() {
    assert(pending_.writes == nullptr);
    if (has_cursors() || !committer_.is_history_long()) return;
    // Before the answer, so that it holds for this state.
    PresentState::View next = committer_.present();
    // Shared: the committer may still be inside `set_value` when this thread has gone on.
    const auto answer = std::make_shared<std::promise<bool>>();
    PendingCommit question;
    question.is_question = true;
    question.reads = &finish_reads();
    question.read_version = pin_->version;
    question.done = [answer](const sdk::Result<void>& outcome) {
        answer->set_value(outcome.has_value());
    };
    committer_.submit(question);
    if (!answer->get_future().get()) return;
    reader_.emplace(std::move(next.snapshot));
    pin_ = std::move(next.pin);
}

void LevelDbTransaction::commit(Done done) {
    assert(pending_.writes == nullptr);
    if (!has_writes()) {
        // All reads were of one state, and that is its place in the order.
        done({});
        return;
    }
    pending_.writes = &writes();
    // On the thread of whoever commits: the committer's is everybody's.
    pending_.reads = &finish_reads();
    pending_.read_version = pin_->version;
    pending_.done = std::move(done);
    reader_.reset();
    committer_.submit(pending_);
}

}  // namespace stele::kernel::storage
