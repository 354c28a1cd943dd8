#include "kernel/storage/backends/leveldb/leveldb_transaction.hpp"

#include <cassert>
#include <future>

namespace stele::kernel::storage {

sdk::Result<bool> LevelDbTransaction::move_on(sdk::MoveOn when) {
    assert(pending_.writes == nullptr);
    if (!outlook_) return outlook_.error();
    if (has_cursors()) return false;
    if (when == sdk::MoveOn::when_needed && !committer_.is_history_long(history_at_begin_))
        return false;
    const std::uint64_t history = committer_.history_grown();
    // Before the answer, so that it holds for this state.
    PresentState::View next = committer_.present();
    // Shared: the committer may still be inside `set_value` when this thread has gone on.
    const auto answer = std::make_shared<std::promise<sdk::Result<void>>>();
    PendingCommit question;
    question.is_question = true;
    question.reads = &finish_reads();
    question.read_version = pin_->version;
    question.done = [answer](sdk::Result<void> outcome) { answer->set_value(std::move(outcome)); };
    committer_.submit(question);
    outlook_ = answer->get_future().get();
    if (!outlook_) return outlook_.error();
    history_at_begin_ = history;
    reader_.emplace(std::move(next.snapshot));
    pin_ = std::move(next.pin);
    return true;
}

std::unique_ptr<sdk::Transaction> LevelDbTransaction::begin_next() {
    assert(pending_.is_unchecked && pending_.writes == nullptr && previous_ == nullptr);
    is_followed_ = true;
    return std::unique_ptr<sdk::Transaction>(new LevelDbTransaction(this));
}

void LevelDbTransaction::leave_previous() {
    assert(previous_ != nullptr && !has_cursors());
    PresentState::View present = committer_.present();
    reader_.emplace(std::move(present.snapshot));
    pin_ = std::move(present.pin);
    previous_ = nullptr;
}

void LevelDbTransaction::commit(Done done) {
    assert(pending_.writes == nullptr && previous_ == nullptr);
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
    if (!is_followed_) reader_.reset();
    committer_.submit(pending_);
}

}  // namespace stele::kernel::storage
