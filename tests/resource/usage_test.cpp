// What platforms send and store, as the kernel counts it.
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/registration/platform_service.hpp"
#include "kernel/resource/upkeep/usage_counter.hpp"
#include "kernel/storage/engine/keys.hpp"
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

    UsageCounter counter{services};
    SentLane& lane{counter.add_lane()};
};

/// The outcome of a commit as the server learns it.
enum class Commit { tells, writes_and_fails, only_fails };

class UnsureTransaction final : public sdk::Transaction {
public:
    UnsureTransaction(std::unique_ptr<sdk::Transaction> inner, Commit commit)
        : inner_(std::move(inner)), commit_(commit) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        return inner_->get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        return inner_->get_into(key, value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return inner_->scan(std::move(range), direction);
    }
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override {
        return inner_->peek(key);
    }
    void put(std::string_view key, std::string_view value) override { inner_->put(key, value); }
    void remove(std::string_view key) override { inner_->remove(key); }
    void remove_range(sdk::KeyRange range) override { inner_->remove_range(std::move(range)); }
    void add(std::string_view key, std::int64_t delta) override { inner_->add(key, delta); }
    void put_stamped(std::string_view counter, const sdk::StampedPut& put) override {
        inner_->put_stamped(counter, put);
    }
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return inner_->stamp(counter);
    }
    bool has_writes() const override { return inner_->has_writes(); }
    void commit(Done done) override {
        const auto failed = [done](const sdk::Result<void>&) {
            done(sdk::make_error(sdk::ErrorKind::unavailable, "test.outcome_unknown", "no answer"));
        };
        if (commit_ == Commit::tells) return inner_->commit(std::move(done));
        if (commit_ == Commit::writes_and_fails) return inner_->commit(failed);
        failed({});
    }

private:
    std::unique_ptr<sdk::Transaction> inner_;
    Commit commit_;
};

class UnsureEngine final : public sdk::Engine {
public:
    explicit UnsureEngine(std::unique_ptr<sdk::Engine> inner) : inner_(std::move(inner)) {}

    std::unique_ptr<sdk::Reader> snapshot() override { return inner_->snapshot(); }
    std::unique_ptr<sdk::Transaction> begin() override {
        return std::make_unique<UnsureTransaction>(inner_->begin(), commit);
    }
    bool is_local() const override { return inner_->is_local(); }
    void observe(std::string prefix, sdk::CommitObserver observer) override {
        inner_->observe(std::move(prefix), std::move(observer));
    }
    std::uint64_t approximate_size(const sdk::KeyRange& range) override {
        return inner_->approximate_size(range);
    }

    Commit commit = Commit::tells;

private:
    std::unique_ptr<sdk::Engine> inner_;
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
        threads.emplace_back([&world] {
            SentLane& lane = world.counter.add_lane();
            for (int j = 0; j < 1000; ++j)
                lane.note(1, 3);
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
    world.lane.note(1, 8);
    world.counter.stop();
    expect(world.counter.write());
    CHECK(world.read().sent == sdk::DataStoreSize{4001, 12008});
    CHECK(world.read(sdk::month_of(0)) == sdk::MonthlyUsage{});
}

TEST_CASE("what was sent counts once, whatever a commit has told about itself") {
    MeteredWorld world;
    auto owned = std::make_unique<UnsureEngine>(std::move(world.services.engine));
    UnsureEngine& engine = *owned;
    world.services.engine = std::move(owned);
    std::int64_t replies = 0;
    for (const Commit commit : {Commit::tells, Commit::writes_and_fails, Commit::only_fails,
                                Commit::writes_and_fails, Commit::tells}) {
        for (int times = 0; times < 3; ++times) {
            world.lane.note(1, 10);
            ++replies;
            engine.commit = commit;
            CHECK(world.counter.write().has_value() == (commit == Commit::tells));
        }
        engine.commit = Commit::tells;
        // Beside it another server counts.
        UsageCounter other(world.services);
        other.add_lane().note(1, 10);
        ++replies;
        expect(other.write());
        expect(world.counter.write());
        expect(world.counter.write());
        CHECK(world.read().sent == sdk::DataStoreSize{replies, 10 * replies});
    }
}

TEST_CASE("the marks of servers that wrote long ago are forgotten") {
    MeteredWorld world;
    const auto marks = [&](const std::optional<std::string>& value = {}) {
        int count = 0;
        world.as_system([&](sdk::Context& context) -> sdk::Result<void> {
            sdk::KeyWriter writer(storage::plugin_space(1, "kernel.usage"));
            const std::string begin = std::move(writer.integer(0)).key();
            sdk::Transaction& transaction = context.transaction();
            std::vector<std::string> keys;
            for (auto cursor =
                     transaction.scan({begin, sdk::prefix_end(begin)}, sdk::ScanDirection::forward);
                 cursor->is_valid(); cursor->next()) {
                keys.emplace_back(cursor->key());
            }
            count = static_cast<int>(keys.size());
            for (const std::string& key : keys) {
                if (value) transaction.put(key, *value);
            }
            return {};
        });
        return count;
    };
    UsageCounter other(world.services);
    for (UsageCounter* counter : {&world.counter, &other}) {
        counter->add_lane().note(1, 10);
        expect(counter->write());
    }
    expect(world.counter.look(always));
    CHECK(marks() == 2);
    marks(sdk::KeyWriter().integer(1).integer(1'800'000).key());
    expect(world.counter.look(always));
    CHECK(marks() == 1);
    expect(other.look(always));
    CHECK(marks() == 0);
}

TEST_CASE("what was sent for a platform that is gone is nobody's") {
    MeteredWorld world;
    int told = 0;
    world.counter.on_written([&told](const sdk::PlatformScope&, auto) { ++told; });
    world.lane.note(7, 100);
    expect(world.counter.write());
    CHECK(told == 0);
    world.lane.note(1, 100);
    expect(world.counter.write());
    CHECK(told == 1);
}

TEST_CASE("what a closed platform stores is not looked at until it is open again") {
    MeteredWorld world;
    std::vector<Installation> installations;
    PlatformService platforms(world.services, installations);
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
    world.lane.note(1, 100);
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
        world.lane.note(1, 7);
        expect(world.counter.write());
        expect(world.counter.look(always));
        CHECK(world.read().sent == sdk::DataStoreSize{1, 7});
        CHECK(world.read().stored == before.stored);
    }
    // Other months have their own.
    CHECK(world.read(month + std::chrono::months(1)) == sdk::MonthlyUsage{});
}

}  // namespace stele::kernel::resource::testing
