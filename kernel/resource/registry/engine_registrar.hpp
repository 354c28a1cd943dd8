#pragma once

#include <memory>
#include <string>
#include <typeindex>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/engine_source.hpp>

#include "kernel/config/settings.hpp"

namespace stele::kernel::resource {

/// What the `open` of a plugin with an engine talks to. The store is not open yet, so such a plugin
/// reads its settings and publishes its engine; everything else is a fault, kept until `finish`.
class EngineRegistrar final : public sdk::Registrar {
public:
    EngineRegistrar(std::string plugin_id, config::Settings& settings)
        : plugin_id_(std::move(plugin_id)), settings_(settings) {}

    void add(std::unique_ptr<sdk::Resource> resource) override;
    void add(sdk::Endpoint endpoint) override;
    void add(std::string provider, std::unique_ptr<sdk::BlobStore> binaries) override;
    void on_install(
        std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)> install) override;
    void add_seed(sdk::SeedMember member) override;
    void on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)> step) override;
    std::string setting(sdk::Setting setting) override;
    sdk::Engine& engine() override;
    sdk::Result<void> run_as_system(
        const sdk::PlatformScope& platform,
        const std::function<sdk::Result<void>(sdk::Context&)>& work) override;
    sdk::Result<sdk::PlatformScope> find_platform(std::uint64_t number) override;
    sdk::PlatformScope root_platform() override;
    std::string shared_key_space(std::string_view name) override;

    /// The engine's source, or the first fault of what the plugin did.
    sdk::Result<sdk::EngineSource*> finish() const;

private:
    void publish_typed(std::type_index type, void* service) override;
    void* find_typed(std::type_index) override { return nullptr; }
    sdk::Error fault(std::string_view what) const;
    void refuse(std::string_view what);

    std::string plugin_id_;
    config::Settings& settings_;
    sdk::EngineSource* source_ = nullptr;
    sdk::Result<void> fault_;
};

}  // namespace stele::kernel::resource
