#include "kernel/resource/registration/platform_service.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

/// Keys of a removed platform that one transaction erases.
constexpr std::size_t kMaxKeys = 2000;

sdk::Result<void> check_removable(Platforms& platforms, const sdk::PlatformScope& platform) {
    auto root = platforms.root();
    if (!root) return root.error();
    if (platform.number != root->number) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "platform.root_required",
                           "the first platform can be neither closed nor removed");
}

/// Removes some of the platform's keys; true when there were no more.
sdk::Result<bool> remove_keys(sdk::Transaction& transaction, std::uint64_t number) {
    const std::string prefix = sdk::KeyWriter().integer(number).key();
    std::vector<std::string> keys;
    {
        const auto cursor =
            transaction.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid() && keys.size() < kMaxKeys; cursor->next())
            keys.emplace_back(cursor->key());
        if (auto status = cursor->status(); !status) return status.error();
    }
    for (const std::string& key : keys)
        transaction.remove(key);
    return keys.size() < kMaxKeys;
}

}  // namespace

sdk::Result<sdk::PlatformScope> PlatformService::create(sdk::Context& context,
                                                        std::string_view title) {
    sdk::Transaction& transaction = context.transaction();
    auto platform = services_.platforms.create(transaction, title);
    if (!platform) return platform;
    mark_declared(services_.registry, transaction, platform->number);
    for (const Installation& step : installations_) {
        auto installed = run_on(context, *platform, [&step](sdk::Context& inside) {
            return run_installation(step, inside, sdk::Json::object());
        });
        if (!installed) return installed.error();
    }
    auto given = run_on(context, *platform, [this](sdk::Context& inside) {
        return give_standard_teams(services_, inside);
    });
    if (!given) return given.error();
    return platform;
}

sdk::Result<sdk::PlatformScope> PlatformService::find(sdk::Context& context, std::string_view id) {
    return services_.platforms.find(context.transaction(), id);
}

sdk::Result<void> PlatformService::run_on(
    sdk::Context& context, const sdk::PlatformScope& platform,
    const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    auto session = std::make_shared<const sdk::Session>(system_session(platform));
    WorkContext inside(services_, std::move(session), WorkContext::of(context).work());
    return work(inside);
}

sdk::Result<void> PlatformService::set_open(sdk::Context& context,
                                            const sdk::PlatformScope& platform, bool is_open) {
    if (auto removable = check_removable(services_.platforms, platform); !removable)
        return removable;
    services_.platforms.set_open(context.transaction(), platform.number, is_open);
    authority::AuthorityStore::withdraw_decisions(context.transaction(), platform.number);
    context.after_commit([&services = services_] { services.housekeeping.wake(); });
    return {};
}

sdk::Result<void> PlatformService::remove(sdk::Context& context,
                                          const sdk::PlatformScope& platform) {
    if (auto removable = check_removable(services_.platforms, platform); !removable)
        return removable;
    services_.platforms.remove(context.transaction(), platform);
    // What is being written there conflicts, and finds no platform when it is repeated.
    authority::AuthorityStore::withdraw_decisions(context.transaction(), platform.number);
    context.after_commit([&services = services_] { services.housekeeping.wake(); });
    return {};
}

sdk::Result<bool> empty_removed_platform(Services& services, std::uint64_t number) {
    const sdk::PlatformScope scope{number, {}, {}};
    bool is_done = false;
    for (const PlatformRemoval& removal : services.platform_removals) {
        auto stepped =
            run_as_system(services, scope, [&](sdk::Context& context) -> sdk::Result<void> {
                auto done = plugin::guarded<bool>(removal.plugin_id, "remove platform",
                                                  [&] { return removal.step(context); });
                if (!done) return done.error();
                is_done = *done;
                return {};
            });
        if (!stepped) return stepped.error();
        if (!is_done) return false;
    }
    auto stepped = run_as_system(services, scope, [&](sdk::Context& context) -> sdk::Result<void> {
        auto removed = remove_keys(context.transaction(), number);
        if (!removed) return removed.error();
        is_done = *removed;
        if (is_done) services.platforms.forget(context.transaction(), number);
        return {};
    });
    if (!stepped) return stepped.error();
    return is_done;
}

}  // namespace stele::kernel::resource
