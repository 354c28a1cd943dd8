#include "kernel/resource/registration/plugin_registrar.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/registration/registration.hpp"
#include "kernel/resource/registry/plugin_setting.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

PluginRegistrar::PluginRegistrar(std::string plugin_id, Services& services,
                                 config::Settings& settings, ServiceTable& published,
                                 std::vector<Installation>& installations)
    : plugin_id_(std::move(plugin_id)),
      services_(services),
      settings_(settings),
      published_(published),
      installations_(installations) {}

void PluginRegistrar::keep(sdk::Result<void> added) {
    if (fault_ && !added) fault_ = std::move(added);
}

void PluginRegistrar::add(std::unique_ptr<sdk::Resource> resource) {
    keep(add_family(services_.registry, plugin_id_, std::move(resource)));
}

void PluginRegistrar::add(sdk::Endpoint endpoint) {
    keep(add_endpoint(services_.registry, plugin_id_, std::move(endpoint)));
}

void PluginRegistrar::add(std::string provider, std::unique_ptr<sdk::BlobStore> binaries) {
    keep(services_.binaries.add(std::move(provider), std::move(binaries)));
}

void PluginRegistrar::on_install(
    std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)> install) {
    installations_.push_back({plugin_id_, std::move(install)});
}

void PluginRegistrar::on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)> step) {
    services_.platform_removals.push_back({plugin_id_, std::move(step)});
}

std::string PluginRegistrar::setting(sdk::Setting setting) {
    auto value = read_plugin_setting(settings_, plugin_id_, setting);
    if (value) return *std::move(value);
    keep(value.error());
    return std::move(setting.default_value);
}

sdk::Result<void> PluginRegistrar::run_as_system(
    const sdk::PlatformScope& platform,
    const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    return resource::run_as_system(services_, platform, work);
}

sdk::Result<sdk::PlatformScope> PluginRegistrar::find_platform(std::uint64_t number) {
    auto platform = services_.platforms.find(number);
    if (!platform) return platform;
    auto open = services_.platforms.is_open(number);
    if (!open) return open.error();
    if (*open) return platform;
    return sdk::make_error(sdk::ErrorKind::not_found, "platform.closed", "the platform is closed");
}

sdk::PlatformScope PluginRegistrar::root_platform() {
    auto root = services_.platforms.root();
    return root ? *root : sdk::PlatformScope{};
}

void PluginRegistrar::publish_typed(std::type_index type, void* service) {
    if (published_.emplace(type, service).second) return;
    keep(sdk::make_error(
        sdk::ErrorKind::conflict, "plugin.service_duplicate",
        fmt::format("plugin {}: the service {} is published already", plugin_id_, type.name())));
}

void* PluginRegistrar::find_typed(std::type_index type) {
    const auto found = published_.find(type);
    return found == published_.end() ? nullptr : found->second;
}

namespace {

std::string installed_key(const sdk::PlatformScope& platform, const std::string& plugin_id) {
    return sdk::KeyWriter(storage::plugin_space(platform.number, "kernel.installed"))
        .text(plugin_id)
        .key();
}

}  // namespace

sdk::Result<void> run_installation(const Installation& step, sdk::Context& context,
                                   const sdk::Json& seed) {
    auto installed = plugin::guarded<void>(step.plugin_id, "install",
                                           [&] { return step.install(context, seed); });
    if (!installed) {
        sdk::Error error = installed.error();
        error.message =
            fmt::format("while installing plugin {}: {}", step.plugin_id, error.message);
        return error;
    }
    context.transaction().put(installed_key(context.platform(), step.plugin_id), "1");
    return {};
}

sdk::Result<void> install_plugins(Services& services,
                                  const std::vector<Installation>& installations,
                                  const sdk::PlatformScope& platform, const PluginSeeds& seeds,
                                  bool is_forced) {
    std::map<std::string, bool> seen;
    for (const Installation& step : installations) {
        const std::string key = installed_key(platform, step.plugin_id);
        if (!seen.contains(step.plugin_id)) {
            auto row = services.engine->snapshot()->get(key);
            if (!row) return row.error();
            seen[step.plugin_id] = row->has_value();
        }
        if (seen[step.plugin_id] && !is_forced) continue;
        auto installed = run_as_system(services, platform, [&](sdk::Context& context) {
            const auto own = seeds.find(step.plugin_id);
            return run_installation(step, context,
                                    own == seeds.end() ? sdk::Json::object() : own->second);
        });
        if (!installed) return installed;
    }
    return {};
}

}  // namespace stele::kernel::resource
