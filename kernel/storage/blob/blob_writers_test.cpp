#include "kernel/storage/blob/blob_writers.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/time.hpp>

#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::storage {

namespace {

using std::chrono::minutes;

constexpr std::int64_t kMinute = 60'000;

/// Began so long ago.
BlobWriters::Begin ago(std::int64_t ms) {
    return {sdk::now_ms() - ms, BlobWriters::Clock::now() - std::chrono::milliseconds(ms)};
}

/// Says what it is told to say of itself.
class FailingEngine final : public sdk::Engine {
public:
    std::unique_ptr<sdk::Reader> snapshot() override { return engine_.snapshot(); }
    std::unique_ptr<sdk::Transaction> begin() override { return engine_.begin(); }
    bool is_local() const override { return true; }
    void observe(std::string, sdk::CommitObserver) override {}
    std::uint64_t approximate_size(const sdk::KeyRange&) override { return 0; }
    sdk::Result<void> status() const override {
        if (!has_failed) return {};
        return sdk::make_error(sdk::ErrorKind::unavailable, "engine.write_failed", "failed");
    }

    bool has_failed = false;

private:
    sdk::testing::MemoryEngine engine_;
};

}  // namespace

TEST_CASE("the earliest of several writers decides, in whichever order they begin and end") {
    const bool is_earliest_first = GENERATE(true, false);
    BlobWriters writers;
    const std::int64_t nobody = writers.oldest_ms();
    CHECK(nobody > sdk::now_ms() + 1'000 * kMinute);
    std::optional<BlobWriters::Entry> early;
    std::optional<BlobWriters::Entry> late;
    if (!is_earliest_first) late.emplace(writers, ago(kMinute));
    early.emplace(writers, ago(20 * kMinute));
    if (is_earliest_first) late.emplace(writers, ago(kMinute));
    CHECK(writers.oldest_ms() <= sdk::now_ms() - 20 * kMinute);
    SECTION("the earliest ends first") {
        early.reset();
        CHECK(writers.oldest_ms() > sdk::now_ms() - 10 * kMinute);
        CHECK(writers.oldest_ms() <= sdk::now_ms() - kMinute);
        late.reset();
    }
    SECTION("the earliest ends last") {
        late.reset();
        CHECK(writers.oldest_ms() <= sdk::now_ms() - 20 * kMinute);
        early.reset();
    }
    CHECK(writers.oldest_ms() == nobody);
}

TEST_CASE("a file that another clock dates a second before its writer began is waited for") {
    BlobWriters writers;
    const std::int64_t before = sdk::now_ms();
    const auto writer = writers.enter();
    CHECK(writers.oldest_ms() <= before - 1'000);
    CHECK(writers.oldest_ms() >= before - kMinute);
}

TEST_CASE("writers that begin at one moment are waited for, each of them") {
    BlobWriters writers;
    const std::int64_t nobody = writers.oldest_ms();
    const BlobWriters::Begin begin = ago(kMinute);
    std::vector<std::unique_ptr<BlobWriters::Entry>> entries;
    for (int i = 0; i < 3; ++i)
        entries.push_back(std::make_unique<BlobWriters::Entry>(writers, begin));
    while (!entries.empty()) {
        CHECK(writers.oldest_ms() <= sdk::now_ms() - kMinute);
        entries.pop_back();
    }
    CHECK(writers.oldest_ms() == nobody);
}

TEST_CASE("what a writer writes after its clock was set back is waited for, too") {
    BlobWriters writers;
    // It began when the clock was an hour ahead of what it shows now.
    const BlobWriters::Entry writer(
        writers, {sdk::now_ms() + 40 * kMinute, BlobWriters::Clock::now() - minutes(20)});
    CHECK(writers.oldest_ms() <= sdk::now_ms() - 20 * kMinute);
}

TEST_CASE("what a writer wrote before its clock was set forward is waited for, too") {
    BlobWriters writers;
    const BlobWriters::Entry writer(
        writers, {sdk::now_ms() - 60 * kMinute, BlobWriters::Clock::now() - minutes(1)});
    CHECK(writers.oldest_ms() <= sdk::now_ms() - 60 * kMinute);
}

TEST_CASE("what a failed commit may have stored is waited for until the store can be written") {
    BlobWriters writers;
    FailingEngine store;
    const std::int64_t nobody = writers.oldest_ms();
    const auto leave = [&writers](std::int64_t ms) {
        BlobWriters::Entry writer(writers, ago(ms));
        writer.leave_open();
    };
    store.has_failed = true;
    leave(20 * kMinute);
    leave(kMinute);
    writers.settle(store);
    CHECK(writers.oldest_ms() <= sdk::now_ms() - 20 * kMinute);
    store.has_failed = false;
    CHECK(writers.oldest_ms() <= sdk::now_ms() - 20 * kMinute);
    writers.settle(store);
    CHECK(writers.oldest_ms() == nobody);
    // Who ends without a failure leaves nothing.
    { const BlobWriters::Entry writer(writers, ago(kMinute)); }
    CHECK(writers.oldest_ms() == nobody);
}

}  // namespace stele::kernel::storage
