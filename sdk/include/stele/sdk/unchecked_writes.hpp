#pragma once

#include <memory>

#include <stele/sdk/engine.hpp>

namespace stele::sdk {

/// What a transaction may be able to do: an engine that knows it gives transactions that are one of
/// these, too (`dynamic_cast`). Those of others are checked always.
class UncheckedWrites {
public:
    virtual ~UncheckedWrites();

    /// Before anything is read or written: no commit looks for conflicts of this transaction with
    /// others, and observers are not told of it. Otherwise it is a commit like any other: all or
    /// nothing, on the disk before those that are begun after it. For rows that nobody else reads
    /// or writes, whatever happens: much is written that way without making what others have read
    /// forgotten. Only `put` and `remove`; a commit of anything else fails with `internal`
    /// (`engine.unchecked_unfit`).
    virtual void set_unchecked() = 0;

    /// Before the commit: a transaction of the same kind that shows what this one shows, and stays
    /// so while this one is committed, so that its thread need not wait for that. It is neither
    /// committed nor outlives this one until it has left it. Both are used by one thread.
    virtual std::unique_ptr<Transaction> begin_next() = 0;
    /// Of one that `begin_next` made, once the commit of the one before has succeeded and while
    /// nothing is walked: it shows the engine's present state from now on, changed by what it has
    /// written. If that commit has failed, this one is of no use.
    virtual void leave_previous() = 0;
};

}  // namespace stele::sdk
