#pragma once

#include <stele/sdk/result.hpp>

namespace stele::sdk {

class Transaction;

/// What a transaction may be able to do, like `UncheckedWrites`.
class MovableSnapshot {
public:
    virtual ~MovableSnapshot();

    /// Where nothing that it has read was changed since it began, the transaction reads the present
    /// state from now on, as if it had begun now. Otherwise it stays where it is, and its commit
    /// will be a conflict. For what takes long, since an engine knows only for some time what was
    /// written; so that is all that a failure would say, and there is none. Costs nothing while
    /// little was committed. Waits: not on a thread that serves connections. Does nothing while a
    /// cursor of the transaction is there.
    virtual void move_on() = 0;
};

/// The same of any transaction: one of an engine that cannot do it stays where it is.
void move_on(Transaction& transaction);

}  // namespace stele::sdk
