#pragma once

#include <stele/sdk/result.hpp>

namespace stele::sdk {

class Transaction;

/// When a transaction goes on to the present state.
enum class MoveOn {
    when_needed,  ///< once so much was committed that the engine may soon not know all of it
    at_once,
};

/// What a transaction may be able to do, like `UncheckedWrites`.
class MovableSnapshot {
public:
    virtual ~MovableSnapshot();

    /// Where nothing that it has read was changed since it began, the transaction reads the present
    /// state from now on, as if it had begun now. Otherwise it stays where it is and fails with
    /// `conflict` (`engine.conflict`), now and whenever it is asked again: its commit would, too,
    /// so what is done until then is in vain. For what takes long, since an engine knows only for
    /// some time what was written. Waits: not on a thread that serves connections. Does nothing
    /// while a cursor of the transaction is there. Answers whether it has moved: what was kept of
    /// the former state without being noted as read (`peek`) is to be read anew then.
    virtual Result<bool> move_on(MoveOn when) = 0;
};

/// The same of any transaction: one of an engine that cannot do it stays where it is.
Result<bool> move_on(Transaction& transaction, MoveOn when = MoveOn::when_needed);

}  // namespace stele::sdk
