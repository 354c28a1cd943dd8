#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stele::kernel::http {

/// Memory for the bodies of requests and for replies that nobody takes, which all connections of a
/// server share, and each caller's share of it. Room is given for a whole body before any of it is
/// read, so that a body that has begun never waits for another. Who finds none waits: the callers
/// take turns, each in the order of its own requests. Any thread.
class BodyMemory {
    struct Caller;

public:
    /// Room for one body, or a place among those who wait for it. Given back with the object,
    /// which must not outlive the memory.
    class Room {
    public:
        ~Room();
        Room(const Room&) = delete;
        Room& operator=(const Room&) = delete;

        bool is_granted() const;
        /// Keeps so much of what was granted.
        void shrink(std::size_t bytes);

    private:
        friend class BodyMemory;
        Room(BodyMemory& memory, std::size_t bytes, std::function<void()> on_granted)
            : memory_(memory), bytes_(bytes), on_granted_(std::move(on_granted)) {}

        BodyMemory& memory_;
        Caller* caller_ = nullptr;
        std::size_t bytes_;
        bool is_granted_ = false;
        bool is_taken_ = false;
        std::function<void()> on_granted_;
        std::list<Room*>::iterator place_;  ///< while it waits
    };

    /// A body that is larger than one of the two is granted when nothing else is held.
    BodyMemory(std::size_t limit, std::size_t share) : limit_(limit), share_(share) {}

    /// `on_granted` is called once, from any thread, unless the room is there on return.
    std::unique_ptr<Room> claim(const std::string& caller, std::size_t bytes,
                                std::function<void()> on_granted);

    /// Room for what is here already, granted in any case: it keeps others waiting.
    std::unique_ptr<Room> take(const std::string& caller, std::size_t bytes);
    /// Whether `caller` has taken its share, or has taken something while nothing is left.
    bool is_short_for(const std::string& caller) const;
    /// Without a lock; false as long as that holds for nobody.
    bool may_be_short() const {
        const std::size_t taken = taken_.load(std::memory_order_relaxed);
        return taken > 0 && (taken >= share_ || held_.load(std::memory_order_relaxed) >= limit_);
    }

    std::size_t held() const { return held_; }
    std::size_t waiting() const;

private:
    struct Caller {
        std::string name;
        std::size_t held = 0;
        std::size_t taken = 0;  ///< part of it
        std::list<Room*> waiting;
        /// Where it stands while its first room fits into its share.
        std::optional<std::list<Caller*>::iterator> turn;
    };
    using Calls = std::vector<std::function<void()>>;

    static bool fits(std::size_t held, std::size_t bytes, std::size_t limit) {
        return held == 0 || (held <= limit && bytes <= limit - held);
    }
    void grant(Room& room);
    void settle(Caller& caller);
    Caller& caller_named(const std::string& name);
    Calls grant_next();
    void give_back(Room& room, std::size_t bytes);
    void leave(Room& room);

    const std::size_t limit_;
    const std::size_t share_;
    mutable std::mutex mutex_;
    // Written with the lock.
    std::atomic<std::size_t> held_{0};
    std::atomic<std::size_t> taken_{0};  ///< the part of it that came by `take`
    std::size_t waiting_ = 0;
    std::unordered_map<std::string, Caller> callers_;
    std::list<Caller*> turns_;
};

}  // namespace stele::kernel::http
