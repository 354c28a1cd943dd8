#include "kernel/resource/upkeep/blob_collector.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>
#include <stele/sdk/time.hpp>

namespace stele::kernel::resource {

namespace {

/// Far longer than any other server of the store takes from writing bytes to the commit that
/// refers to them; those of this one are known (`BlobWriters`).
constexpr std::chrono::hours kGrace{24};
/// The same while the disk is short: still longer than a request takes.
constexpr std::chrono::minutes kShortGrace{5};
constexpr std::chrono::seconds kPressedRest{20};
/// Rests between steps, so that requests come first.
constexpr std::chrono::milliseconds kRest{2};
/// The first collection comes after this part of the period, for servers that are often restarted.
constexpr int kFirstPart = 24;

/// `is_due` is told the place and the name.
using IsDue = std::function<bool(const std::string& blob)>;

sdk::Result<storage::UnusedBlobs> collect_all(sdk::Engine& engine, storage::BlobProviders& binaries,
                                              storage::CollectionOptions options,
                                              const IsDue& is_due) {
    storage::UnusedBlobs sum;
    for (const std::string& place : binaries.names()) {
        auto store = binaries.find(place);
        if (!store) return store.error();
        options.is_due = [&](const std::string& name) { return is_due(place + '/' + name); };
        auto unused = storage::collect_blobs(engine, **store, options);
        if (!unused) return unused.error();
        sum.blobs += unused->blobs;
        sum.bytes += unused->bytes;
        sum.is_cut_short = sum.is_cut_short || unused->is_cut_short;
    }
    return sum;
}

}  // namespace

void BlobCollector::start() {
    thread_.start([this] { run(); });
}

void BlobCollector::run() {
    thread_.rest(period_ / kFirstPart);
    while (!thread_.is_stopping()) {
        auto collected = collect();
        if (!collected) {
            sdk::log(
                sdk::LogLevel::warning, "resource",
                "collecting unused binaries stopped and goes on later: " + collected.error().code +
                    ": " + collected.error().message + " " + collected.error().detail);
        } else if (collected->blobs > 0) {
            sdk::log(sdk::LogLevel::info, "resource",
                     fmt::format("removed {} unused binaries of {} bytes", collected->blobs,
                                 collected->bytes));
        }
        const bool is_done = collected && !collected->is_cut_short;
        thread_.rest(is_pressed_ ? kPressedRest : is_done ? period_ : period_ / kFirstPart);
    }
}

void BlobCollector::set_pressed(bool is_pressed) {
    if (is_pressed_.exchange(is_pressed) != is_pressed) thread_.wake();
}

sdk::Result<storage::UnusedBlobs> BlobCollector::collect() {
    storage::CollectionOptions options;
    const bool is_pressed = is_pressed_;
    const std::chrono::milliseconds grace =
        is_pressed ? std::chrono::milliseconds(kShortGrace) : std::chrono::milliseconds(kGrace);
    writers_.settle(engine_);
    options.before_ms = std::min(sdk::now_ms() - grace.count(), writers_.oldest_ms());
    options.keeping = &keeping_;
    options.must_stop = [this] {
        if (!thread_.is_stopping() && !is_pressed_) thread_.rest(kRest);
        return thread_.is_stopping();
    };
    std::unordered_map<std::string, unsigned> found;
    auto collected = collect_all(engine_, binaries_, options, [&](const std::string& blob) {
        const auto before = unused_.find(blob);
        const unsigned looks = before == unused_.end() ? 1 : before->second + 1;
        found.emplace(blob, looks);
        return looks >= (is_pressed ? 1 : kLooks);
    });
    // What a look that was cut short did not come to is as it was.
    if (collected && !collected->is_cut_short) unused_ = std::move(found);
    return collected;
}

sdk::Result<storage::UnusedBlobs> count_unused_blobs(sdk::Engine& engine,
                                                     storage::BlobProviders& binaries) {
    storage::CollectionOptions options;
    options.before_ms = std::numeric_limits<std::int64_t>::max();
    return collect_all(engine, binaries, options, [](const std::string&) { return true; });
}

}  // namespace stele::kernel::resource
