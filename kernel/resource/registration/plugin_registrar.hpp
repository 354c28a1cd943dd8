#pragma once

#include <functional>
#include <map>
#include <string>
#include <typeindex>
#include <vector>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/seed_member.hpp>

#include "kernel/config/settings.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/registration/seed_members.hpp"

namespace stele::kernel::resource {

/// Services that plugins and the kernel publish, by interface type.
using ServiceTable = std::map<std::type_index, void*>;

/// One plugin's installation step.
struct Installation {
    std::string plugin_id;
    std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)> install;
};

/// What one plugin's `open` talks to. Faults of the plugin are kept until `finish`.
class PluginRegistrar final : public sdk::Registrar {
public:
    PluginRegistrar(std::string plugin_id, Services& services, config::Settings& settings,
                    ServiceTable& published, std::vector<Installation>& installations);

    void add(std::unique_ptr<sdk::Resource> resource) override;
    void add(sdk::Endpoint endpoint) override;
    void add(std::string provider, std::unique_ptr<sdk::BlobStore> binaries) override;
    void on_install(
        std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)> install) override;
    void add_seed(sdk::SeedMember member) override { seed_.push_back(std::move(member)); }
    void on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)> step) override;
    std::string setting(sdk::Setting setting) override;
    sdk::Engine& engine() override { return *services_.engine; }
    sdk::Result<void> run_as_system(
        const sdk::PlatformScope& platform,
        const std::function<sdk::Result<void>(sdk::Context&)>& work) override;
    sdk::Result<sdk::PlatformScope> find_platform(std::uint64_t number) override;
    sdk::PlatformScope root_platform() override;
    std::string shared_key_space(std::string_view name) override {
        return storage::plugin_space(0, name);
    }
    std::filesystem::path data_folder() override { return services_.data_folder; }
    void on_start(std::function<void()> start) override {
        services_.starts.push_back({plugin_id_, std::move(start)});
    }
    void on_stop(std::function<void()> stop) override {
        services_.stops.push_back({plugin_id_, std::move(stop)});
    }
    void on_check(std::function<void(std::vector<std::string>&)> check) override {
        services_.checks.push_back({plugin_id_, std::move(check)});
    }

    /// The first fault of what the plugin added.
    const sdk::Result<void>& finish() const { return fault_; }
    /// What the plugin takes of a seed.
    const std::vector<sdk::SeedMember>& seed() const { return seed_; }

private:
    void publish_typed(std::type_index type, void* service) override;
    void* find_typed(std::type_index type) override;
    void keep(sdk::Result<void> added);

    std::string plugin_id_;
    Services& services_;
    config::Settings& settings_;
    ServiceTable& published_;
    std::vector<Installation>& installations_;
    std::vector<sdk::SeedMember> seed_;
    sdk::Result<void> fault_;
};

/// Runs one step in the context, which then counts as installed on its platform.
sdk::Result<void> run_installation(const Installation& step, sdk::Context& context,
                                   const sdk::Json& seed);

/// Runs the installation steps that a platform has not seen, each in a transaction of its own; all
/// of them when `is_forced` (`stele init`).
sdk::Result<void> install_plugins(Services& services,
                                  const std::vector<Installation>& installations,
                                  const sdk::PlatformScope& platform, const PluginSeeds& seeds,
                                  bool is_forced);

}  // namespace stele::kernel::resource
