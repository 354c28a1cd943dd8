#include "kernel/http/limit/body_memory.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace stele::kernel::http {

namespace {

using RoomPtr = std::unique_ptr<BodyMemory::Room>;

/// A memory whose claims note by name when they are granted later.
struct World {
    World(std::size_t limit, std::size_t share) : memory(limit, share) {}

    RoomPtr claim(const std::string& caller, std::size_t bytes, const std::string& name = "") {
        return memory.claim(caller, bytes, [this, name] { granted += name; });
    }

    BodyMemory memory;
    std::string granted;
};

}  // namespace

TEST_CASE("bodies together take no more than there is, and come in order") {
    World world(100, 100);
    RoomPtr first = world.claim("a", 60);
    RoomPtr second = world.claim("b", 40);
    CHECK(first->is_granted());
    CHECK(second->is_granted());
    RoomPtr third = world.claim("c", 50, "3");
    RoomPtr fourth = world.claim("d", 10, "4");
    CHECK_FALSE(third->is_granted());
    CHECK_FALSE(fourth->is_granted());
    second.reset();
    // The third does not fit yet, and is not overtaken by smaller ones.
    CHECK(world.granted.empty());
    first.reset();
    CHECK(world.granted == "34");
    CHECK(world.memory.held() == 60);
    third.reset();
    fourth.reset();
    CHECK(world.memory.held() == 0);
}

TEST_CASE("a caller takes its share only, and those who wait for theirs hold up nobody") {
    World world(100, 50);
    const RoomPtr first = world.claim("a", 50);
    RoomPtr second = world.claim("a", 1, "2");
    CHECK_FALSE(second->is_granted());
    const RoomPtr other = world.claim("b", 50);
    CHECK(other->is_granted());
}

TEST_CASE("callers take turns, however many requests one of them has") {
    World world(10, 10);
    RoomPtr holder = world.claim("x", 10);
    std::vector<RoomPtr> rooms;
    for (const char* name : {"1", "2", "3"})
        rooms.push_back(world.claim("a", 10, name));
    rooms.push_back(world.claim("b", 10, "b"));
    holder.reset();
    CHECK(world.granted == "1");
    rooms[0].reset();
    CHECK(world.granted == "1b");
    rooms[3].reset();
    rooms[1].reset();
    CHECK(world.granted == "1b23");
}

TEST_CASE("a body that is larger than everything is taken alone") {
    World world(100, 50);
    RoomPtr small = world.claim("b", 10);
    RoomPtr large = world.claim("a", 1000, "large");
    RoomPtr later = world.claim("b", 10, "later");
    CHECK_FALSE(large->is_granted());
    CHECK_FALSE(later->is_granted());
    small.reset();
    CHECK(world.granted == "large");
    large.reset();
    CHECK(world.granted == "largelater");
}

TEST_CASE("who goes away while waiting makes place for those behind") {
    World world(100, 100);
    const RoomPtr holder = world.claim("a", 60);
    RoomPtr large = world.claim("b", 80, "large");
    const RoomPtr fits = world.claim("b", 40, "fits");
    CHECK(world.memory.waiting() == 2);
    large.reset();
    CHECK(world.granted == "fits");
    CHECK(world.memory.waiting() == 0);
    CHECK(world.memory.held() == 100);
}

TEST_CASE("what a body turns out not to need is given to others") {
    World world(100, 100);
    const RoomPtr first = world.claim("a", 100);
    const RoomPtr second = world.claim("b", 90, "2");
    first->shrink(10);
    CHECK(world.granted == "2");
    first->shrink(50);
    CHECK(world.memory.held() == 100);
}

TEST_CASE("what is here already counts, and keeps its caller waiting") {
    World world(100, 50);
    CHECK_FALSE(world.memory.may_be_short());
    RoomPtr reply = world.memory.take("a", 70);
    CHECK(reply->is_granted());
    CHECK(world.memory.may_be_short());
    CHECK(world.memory.is_short_for("a"));
    CHECK_FALSE(world.memory.is_short_for("b"));
    const RoomPtr next = world.claim("a", 10, "next");
    CHECK_FALSE(next->is_granted());
    const RoomPtr small = world.memory.take("b", 40);
    // Nothing is left: whoever holds something waits, the others do not.
    CHECK(world.memory.is_short_for("b"));
    CHECK_FALSE(world.memory.is_short_for("c"));
    reply.reset();
    CHECK(world.granted == "next");
}

TEST_CASE("threads that claim and give back never hold too much, and all come to an end") {
    constexpr std::size_t kLimit = 64;
    BodyMemory memory(kLimit, 48);
    std::atomic<bool> is_within{true};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&memory, &is_within, t] {
            for (std::size_t i = 0; i < 2000; ++i) {
                const RoomPtr room = memory.claim(std::to_string(t % 3), 1 + (i * 7) % 30, [] {});
                if (memory.held() > kLimit) is_within = false;
                while (!room->is_granted())
                    std::this_thread::yield();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(is_within);
    CHECK(memory.held() == 0);
    CHECK(memory.waiting() == 0);
}

}  // namespace stele::kernel::http
