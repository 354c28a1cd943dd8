#pragma once

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
};

}  // namespace stele::sdk
