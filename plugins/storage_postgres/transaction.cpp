#include "transaction.hpp"

#include <algorithm>
#include <cassert>

#include "keys.hpp"

namespace stele::storage_postgres {

void PostgresTransaction::commit(Done done) {
    assert(pending_.writes == nullptr);
    if (!reader_.view()) return done(reader_.view().error());
    // All reads were of one state, and that is its place in the order.
    if (!has_writes()) return done({});
    const bool has_long_key =
        std::any_of(writes().writes().begin(), writes().writes().end(),
                    [](const auto& entry) { return entry.first.size() > kMaxKeyLength; });
    if (has_long_key) {
        return done(sdk::make_error(sdk::ErrorKind::invalid, "storage_postgres.key_too_long",
                                    "An id or another value that must be unique is too long."));
    }
    pending_.writes = &writes();
    pending_.reads = &finish_reads();
    pending_.view = *reader_.view();
    pending_.done = std::move(done);
    committer_.submit(pending_);
}

}  // namespace stele::storage_postgres
