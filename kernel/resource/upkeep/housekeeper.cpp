#include "kernel/resource/upkeep/housekeeper.hpp"

#include <string>
#include <vector>

#include <stele/sdk/log.hpp>

#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/data_store/store_statistics.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/registration/platform_service.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

void log_failure(const char* doing, const sdk::Error& error) {
    sdk::log(sdk::LogLevel::warning, "resource",
             std::string(doing) + " stopped and goes on later: " + error.code + ": " +
                 error.message + " " + error.detail);
}

/// One step; true when nothing of the collection is left to do, also because the platform was
/// closed.
sdk::Result<bool> empty_step(Services& services, const sdk::PlatformScope& platform,
                             const storage::RemovedCollection& removed) {
    bool is_done = false;
    auto stepped =
        run_as_system(services, platform, [&](sdk::Context& context) -> sdk::Result<void> {
            auto goes_on = Platforms::is_open(context.transaction(), platform.number);
            if (!goes_on) return goes_on.error();
            is_done = !*goes_on;
            if (is_done) return {};
            auto emptied = WorkContext::of(context).bound_documents().empty_removed(removed);
            if (!emptied) return emptied.error();
            is_done = *emptied;
            return {};
        });
    if (!stepped) return stepped.error();
    return is_done;
}

}  // namespace

Housekeeper::~Housekeeper() {
    stop();
}

void Housekeeper::start() {
    services_.housekeeping.start([this] { run(); });
}

void Housekeeper::stop() {
    services_.housekeeping.stop();
}

void Housekeeper::run() {
    using Clock = std::chrono::steady_clock;
    auto next_statistics = Clock::now() + period_;
    while (!services_.housekeeping.is_stopping()) {
        if (auto emptied = empty_removed(); !emptied) {
            log_failure("emptying a removed container", emptied.error());
        }
        if (auto emptied = empty_removed_platforms(); !emptied) {
            log_failure("erasing a removed platform", emptied.error());
        }
        if (Clock::now() >= next_statistics) {
            if (auto taken = take_statistics(); !taken) {
                log_failure("taking statistics", taken.error());
            }
            next_statistics = Clock::now() + period_;
        }
        const auto left = next_statistics - Clock::now();
        if (left.count() > 0) {
            services_.housekeeping.rest(std::chrono::ceil<std::chrono::milliseconds>(left));
        }
    }
}

sdk::Result<void> Housekeeper::empty_removed() {
    auto platforms = services_.platforms.all_open();
    if (!platforms) return platforms.error();
    sdk::Result<void> outcome;
    for (const sdk::PlatformScope& platform : *platforms) {
        if (auto emptied = empty_removed(platform); !emptied && outcome) outcome = emptied;
    }
    return outcome;
}

sdk::Result<void> Housekeeper::empty_removed(const sdk::PlatformScope& platform) {
    sdk::Result<void> outcome;
    std::vector<std::uint64_t> before;
    while (!services_.housekeeping.is_stopping()) {
        auto removed =
            services_.documents.removed_collections(*services_.engine->snapshot(), platform.number);
        if (!removed) return removed.error();
        std::vector<std::uint64_t> numbers;
        for (const storage::RemovedCollection& collection : *removed)
            numbers.push_back(collection.id.number);
        // What was inside goes before what leads to it, hence again while something comes or goes.
        if (numbers == before) break;
        before = std::move(numbers);
        // The inner ones were made later.
        for (auto collection = removed->rbegin(); collection != removed->rend(); ++collection) {
            bool is_done = false;
            while (!is_done && !services_.housekeeping.is_stopping()) {
                auto stepped = empty_step(services_, platform, *collection);
                if (!stepped && outcome) outcome = stepped.error();
                is_done = !stepped || *stepped;
            }
        }
    }
    return outcome;
}

sdk::Result<void> Housekeeper::empty_removed_platforms() {
    auto removed = services_.platforms.removed();
    if (!removed) return removed.error();
    sdk::Result<void> outcome;
    for (const std::uint64_t platform : *removed) {
        bool is_done = false;
        while (!is_done && !services_.housekeeping.is_stopping()) {
            auto stepped = empty_removed_platform(services_, platform);
            if (!stepped && outcome) outcome = stepped.error();
            is_done = !stepped || *stepped;
        }
    }
    return outcome;
}

sdk::Result<void> Housekeeper::take_statistics() {
    auto platforms = services_.platforms.all_open();
    if (!platforms) return platforms.error();
    sdk::Result<void> outcome;
    for (const sdk::PlatformScope& platform : *platforms) {
        auto stores = dirty_stores(*services_.engine->snapshot(), platform.number);
        if (!stores) return stores.error();
        for (const sdk::RecordKey& store : *stores) {
            if (services_.housekeeping.is_stopping()) return outcome;
            auto goes_on = services_.platforms.is_open(platform.number);
            if (!goes_on) return goes_on.error();
            if (!*goes_on) break;
            const auto taking = services_.held_statistics.begin_taking(store);
            if (!taking) continue;
            auto taken = refresh_statistics(*services_.engine, services_.records, store);
            if (!taken && outcome) outcome = taken;
        }
    }
    return outcome;
}

}  // namespace stele::kernel::resource
