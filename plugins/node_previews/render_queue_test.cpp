#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "render_queue.hpp"

using namespace stele;
using namespace stele::node_previews;

namespace {

/// Renders as soon as it is let.
class Gate {
public:
    RenderQueue::Render render() {
        return [this]() -> sdk::Result<PreviewPtr> {
            ++begun;
            is_open.wait(false);
            return std::make_shared<const Preview>(Preview{PreviewState::ready, "picture"});
        };
    }
    void open() {
        is_open = true;
        is_open.notify_all();
    }
    void wait_for_begun(int count) const {
        while (begun < count)
            std::this_thread::yield();
    }

    std::atomic<int> begun = 0;
    std::atomic<bool> is_open = false;
};

template <class Condition>
void wait_until(const Condition& is_fulfilled) {
    while (!is_fulfilled())
        std::this_thread::yield();
}

}  // namespace

TEST_CASE("equal requests at one time are made once, and all get the same") {
    RenderQueue queue(2, 8);
    Gate gate;
    std::vector<std::thread> callers;
    std::atomic<int> served = 0;
    std::atomic<int> refused = 0;
    const auto call = [&] {
        auto preview = queue.run("same", gate.render());
        if (!preview) {
            ++refused;
        } else if ((*preview)->bytes == "picture") {
            ++served;
        }
    };
    callers.emplace_back(call);
    gate.wait_for_begun(1);
    for (int i = 0; i < 9; ++i)
        callers.emplace_back(call);
    // One of the nine is refused, and only while the eight others wait.
    wait_until([&] { return refused == 1; });
    gate.open();
    for (std::thread& caller : callers)
        caller.join();
    CHECK(gate.begun == 1);
    CHECK(served == 9);
    CHECK(queue.run("same", gate.render()));
    CHECK(gate.begun == 2);
}

TEST_CASE("no more previews are made at a time than allowed, and no more callers wait") {
    RenderQueue queue(2, 1);
    Gate gate;
    std::vector<std::thread> callers;
    std::vector<sdk::Result<PreviewPtr>> outcomes(4, PreviewPtr());
    std::atomic<int> refused = 0;
    const auto call = [&](std::size_t number) {
        callers.emplace_back([&, number] {
            outcomes[number] = queue.run(std::to_string(number), gate.render());
            if (!outcomes[number]) ++refused;
        });
    };
    call(0);
    call(1);
    gate.wait_for_begun(2);
    call(2);
    call(3);
    // One of the two is refused, and only while the other one waits.
    wait_until([&] { return refused == 1; });
    CHECK(gate.begun == 2);
    auto same = queue.run("0", gate.render());
    REQUIRE_FALSE(same);
    CHECK(same.error().kind == sdk::ErrorKind::limited);
    CHECK(same.error().code == "node_previews.busy");
    gate.open();
    for (std::thread& caller : callers)
        caller.join();
    CHECK(gate.begun == 3);
    CHECK(refused == 1);
}

TEST_CASE("a failure reaches its callers and is not kept") {
    RenderQueue queue(1, 1);
    auto failed =
        queue.run("a", []() -> sdk::Result<PreviewPtr> { throw std::runtime_error("no memory"); });
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == "node_previews.failed");
    CHECK(failed.error().detail == "no memory");
    CHECK(queue.run("a", [] { return sdk::Result<PreviewPtr>(PreviewPtr()); }));
}
