#pragma once

#include <functional>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::storage {

/// A transaction whose commit may use what an engine holds back on its disk: for what must go on
/// when the disk is full, which is whatever makes room, and the way to it.
class UrgentCommit {
public:
    virtual ~UrgentCommit() = default;
    /// Before the commit.
    virtual void set_urgent() = 0;
};

/// Of engines that hold nothing back nothing is wanted.
inline void set_urgent(sdk::Transaction& transaction) {
    if (auto* const held_back = dynamic_cast<UrgentCommit*>(&transaction)) held_back->set_urgent();
}

/// An engine that keeps the room of removed entries until it gets round to it.
class RoomKeeper {
public:
    virtual ~RoomKeeper() = default;
    /// Gives the disk back what was removed since the last call. Reads and writes a multiple of it;
    /// waits. `must_stop` is asked between steps.
    virtual void give_back_room(const std::function<bool()>& must_stop) = 0;
    /// Whether somebody waits for it.
    virtual bool is_room_wanted() const = 0;
};

}  // namespace stele::kernel::storage
