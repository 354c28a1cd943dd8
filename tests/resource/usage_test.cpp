// What platforms send and store, as the kernel counts it.
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/time.hpp>

#include "kernel/resource/platform_service.hpp"
#include "kernel/resource/usage_counter.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

struct MeteredWorld : ResourceFixture {
    sdk::MonthlyUsage read(std::chrono::year_month month = sdk::month_of(sdk::now_ms())) {
        sdk::MonthlyUsage usage;
        as_system([&](sdk::Context& context) -> sdk::Result<void> {
            usage = value_of(counter.read(context, platform(), month));
            return {};
        });
        return usage;
    }

    UsageCounter counter{rooms};
};

bool always() {
    return true;
}

}  // namespace

TEST_CASE("a month is that of the moment in UTC") {
    using namespace std::chrono_literals;
    CHECK(sdk::month_of(0) == 1970y / 1);
    CHECK(sdk::month_of(1'709'251'199'999) == 2024y / 2);
    CHECK(sdk::month_of(1'709'251'200'000) == 2024y / 3);
    CHECK(sdk::begin_of(2024y / 3) == 1'709'251'200'000);
}

TEST_CASE("what several threads send is added up, and written down once") {
    MeteredWorld world;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int j = 0; j < 1000; ++j)
                world.counter.note_sent(1, 3);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(world.read().unprocessed == sdk::DataStoreSize{4000, 12000});
    CHECK(world.read().sent == sdk::DataStoreSize{});
    for (int times = 0; times < 2; ++times) {
        expect(world.counter.write());
        CHECK(world.read().sent == sdk::DataStoreSize{4000, 12000});
        CHECK(world.read().unprocessed == sdk::DataStoreSize{});
    }
    world.counter.note_sent(1, 8);
    world.counter.stop();
    expect(world.counter.write());
    CHECK(world.read().sent == sdk::DataStoreSize{4001, 12008});
    CHECK(world.read(sdk::month_of(0)) == sdk::MonthlyUsage{});
}

TEST_CASE("what was sent for a platform that is gone is nobody's") {
    MeteredWorld world;
    int told = 0;
    world.counter.on_written([&told](const sdk::PlatformScope&, auto) { ++told; });
    world.counter.note_sent(7, 100);
    expect(world.counter.write());
    CHECK(told == 0);
    world.counter.note_sent(1, 100);
    expect(world.counter.write());
    CHECK(told == 1);
}

TEST_CASE("what a closed platform stores is not looked at until it is open again") {
    MeteredWorld world;
    std::vector<Installation> installations;
    PlatformService platforms(world.rooms, installations);
    sdk::PlatformScope second;
    world.as_system([&](sdk::Context& context) -> sdk::Result<void> {
        second = value_of(platforms.create(context, "Second"));
        return {};
    });
    std::vector<std::uint64_t> told;
    world.counter.on_written(
        [&told](const sdk::PlatformScope& platform, auto) { told.push_back(platform.number); });
    for (const bool is_open : {false, true}) {
        world.as_system(
            [&](sdk::Context& context) { return platforms.set_open(context, second, is_open); });
        expect(world.counter.look(always));
    }
    CHECK(told == std::vector<std::uint64_t>{1, 1, 2});
}

TEST_CASE("a look ends before the next platform when the server does") {
    MeteredWorld world;
    world.create({"library", ""}, {{"_doc", "town"}, {"title", "T"}});
    expect(world.counter.look([] { return false; }));
    CHECK(world.read().stored == sdk::DataStoreSize{});
    expect(world.counter.look(always));
    CHECK(world.read().stored != sdk::DataStoreSize{});
}

TEST_CASE("the most that was found stored counts") {
    MeteredWorld world;
    expect(world.counter.look(always));
    const sdk::DataStoreSize empty = world.read().stored;
    world.create({"library", ""}, {{"_doc", "town"}, {"title", "T"}});
    expect(world.counter.look(always));
    const sdk::DataStoreSize one = world.read().stored;
    CHECK(one.objects == empty.objects + 1);
    CHECK(one.bytes > empty.bytes);
    world.as_system([](sdk::Context& context) {
        return context.documents().remove({"library", ""}, "town");
    });
    expect(world.counter.look(always));
    CHECK(world.read().stored == one);
}

TEST_CASE("a closed period keeps what it had, and another one begins with nothing") {
    MeteredWorld world;
    world.create({"library", ""}, {{"_doc", "town"}, {"title", "T"}});
    world.counter.note_sent(1, 100);
    expect(world.counter.write());
    expect(world.counter.look(always));
    const sdk::MonthlyUsage before = world.read();
    CHECK(before.period == 0);
    CHECK(before.begin_ms == 0);
    CHECK(before.sent == sdk::DataStoreSize{1, 100});
    CHECK(before.stored.objects > 0);

    const std::chrono::year_month month = sdk::month_of(sdk::now_ms());
    const std::int64_t now = sdk::begin_of(month) + 5;
    for (std::uint64_t period = 1; period <= 2; ++period) {
        world.as_system([&](sdk::Context& context) {
            return world.counter.close(context, world.platform(), now + std::int64_t(period));
        });
        CHECK(world.read().period == period);
        CHECK(world.read().begin_ms == now + std::int64_t(period));
        CHECK(world.read().sent == sdk::DataStoreSize{});
        CHECK(world.read().stored == sdk::DataStoreSize{});
        world.counter.note_sent(1, 7);
        expect(world.counter.write());
        expect(world.counter.look(always));
        CHECK(world.read().sent == sdk::DataStoreSize{1, 7});
        CHECK(world.read().stored == before.stored);
    }
    // Other months have their own.
    CHECK(world.read(month + std::chrono::months(1)) == sdk::MonthlyUsage{});
}

}  // namespace stele::kernel::resource::testing
