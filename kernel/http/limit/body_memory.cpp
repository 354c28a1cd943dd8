#include "kernel/http/limit/body_memory.hpp"

namespace stele::kernel::http {

BodyMemory::Room::~Room() {
    memory_.leave(*this);
}

bool BodyMemory::Room::is_granted() const {
    const std::lock_guard lock(memory_.mutex_);
    return is_granted_;
}

void BodyMemory::Room::shrink(std::size_t bytes) {
    Calls calls;
    {
        const std::lock_guard lock(memory_.mutex_);
        if (!is_granted_ || bytes >= bytes_) return;
        memory_.give_back(*this, bytes_ - bytes);
        bytes_ = bytes;
        memory_.settle(*caller_);
        calls = memory_.grant_next();
    }
    for (const auto& call : calls)
        call();
}

std::unique_ptr<BodyMemory::Room> BodyMemory::claim(const std::string& name, std::size_t bytes,
                                                    std::function<void()> on_granted) {
    std::unique_ptr<Room> room(new Room(*this, bytes, std::move(on_granted)));
    const std::lock_guard lock(mutex_);
    Caller& caller = caller_named(name);
    room->caller_ = &caller;
    const bool is_first = caller.waiting.empty() && turns_.empty();
    if (is_first && fits(caller.held, bytes, share_) && fits(held_, bytes, limit_)) {
        grant(*room);
        return room;
    }
    room->place_ = caller.waiting.insert(caller.waiting.end(), room.get());
    ++waiting_;
    settle(caller);
    return room;
}

std::unique_ptr<BodyMemory::Room> BodyMemory::take(const std::string& name, std::size_t bytes) {
    std::unique_ptr<Room> room(new Room(*this, bytes, {}));
    const std::lock_guard lock(mutex_);
    room->caller_ = &caller_named(name);
    room->is_taken_ = true;
    room->caller_->taken += bytes;
    taken_ += bytes;
    grant(*room);
    settle(*room->caller_);
    return room;
}

BodyMemory::Caller& BodyMemory::caller_named(const std::string& name) {
    Caller& caller = callers_[name];
    if (caller.name.empty()) caller.name = name;
    return caller;
}

bool BodyMemory::is_short_for(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = callers_.find(name);
    if (found == callers_.end()) return false;
    const std::size_t taken = found->second.taken;
    return taken >= share_ || (taken > 0 && held_ >= limit_);
}

void BodyMemory::grant(Room& room) {
    room.is_granted_ = true;
    room.caller_->held += room.bytes_;
    held_ += room.bytes_;
}

/// Gives the caller a turn when its first room fits into its share, and takes it away otherwise.
void BodyMemory::settle(Caller& caller) {
    const bool may_come =
        !caller.waiting.empty() && fits(caller.held, caller.waiting.front()->bytes_, share_);
    if (may_come == caller.turn.has_value()) return;
    if (may_come) {
        caller.turn = turns_.insert(turns_.end(), &caller);
    } else {
        turns_.erase(*caller.turn);
        caller.turn.reset();
    }
}

/// Whoever comes first keeps the others waiting, so that large bodies get their turn, too.
BodyMemory::Calls BodyMemory::grant_next() {
    Calls calls;
    while (!turns_.empty()) {
        Caller& caller = *turns_.front();
        Room& room = *caller.waiting.front();
        if (!fits(held_, room.bytes_, limit_)) break;
        caller.waiting.pop_front();
        --waiting_;
        turns_.pop_front();
        caller.turn.reset();
        grant(room);
        calls.push_back(std::move(room.on_granted_));
        settle(caller);
    }
    return calls;
}

void BodyMemory::give_back(Room& room, std::size_t bytes) {
    room.caller_->held -= bytes;
    held_ -= bytes;
    if (!room.is_taken_) return;
    room.caller_->taken -= bytes;
    taken_ -= bytes;
}

void BodyMemory::leave(Room& room) {
    Calls calls;
    {
        const std::lock_guard lock(mutex_);
        Caller& caller = *room.caller_;
        if (room.is_granted_) {
            give_back(room, room.bytes_);
        } else {
            caller.waiting.erase(room.place_);
            --waiting_;
        }
        settle(caller);
        calls = grant_next();
        if (caller.held == 0 && caller.waiting.empty()) {
            callers_.erase(std::string(caller.name));
        }
    }
    for (const auto& call : calls)
        call();
}

std::size_t BodyMemory::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

}  // namespace stele::kernel::http
