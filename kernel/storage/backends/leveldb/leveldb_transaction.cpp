#include "kernel/storage/backends/leveldb/leveldb_transaction.hpp"

#include <cassert>

namespace stele::kernel::storage {

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
