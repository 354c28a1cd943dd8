#include "kernel/resource/registry/engine_registrar.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include <stele/sdk/seed_member.hpp>

#include "kernel/resource/registry/plugin_setting.hpp"

namespace stele::kernel::resource {

sdk::Error EngineRegistrar::fault(std::string_view what) const {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "plugin.engine_alone",
        fmt::format("plugin {} offers an engine and is opened before the store: it {}", plugin_id_,
                    what));
}

void EngineRegistrar::refuse(std::string_view what) {
    if (fault_) fault_ = fault(what);
}

void EngineRegistrar::add(std::unique_ptr<sdk::Resource>) {
    refuse("cannot add a family");
}

void EngineRegistrar::add(sdk::Endpoint) {
    refuse("cannot add an endpoint");
}

void EngineRegistrar::add(std::string, std::unique_ptr<sdk::BlobStore>) {
    refuse("cannot add a place for binaries");
}

void EngineRegistrar::on_install(
    std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)>) {
    refuse("cannot install anything");
}

void EngineRegistrar::add_seed(sdk::SeedMember) {
    refuse("takes nothing of a seed");
}

void EngineRegistrar::on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)>) {
    refuse("keeps nothing about platforms");
}

std::string EngineRegistrar::setting(sdk::Setting setting) {
    auto value = read_plugin_setting(settings_, plugin_id_, setting);
    if (value) return *std::move(value);
    if (fault_) fault_ = value.error();
    return std::move(setting.default_value);
}

sdk::Engine& EngineRegistrar::engine() {
    throw std::logic_error(fault("cannot use the store").message);
}

sdk::Result<void> EngineRegistrar::run_as_system(
    const sdk::PlatformScope&, const std::function<sdk::Result<void>(sdk::Context&)>&) {
    return fault("cannot use the store");
}

sdk::Result<sdk::PlatformScope> EngineRegistrar::find_platform(std::uint64_t) {
    return fault("cannot use the store");
}

sdk::PlatformScope EngineRegistrar::root_platform() {
    refuse("cannot ask for a platform");
    return {};
}

std::string EngineRegistrar::shared_key_space(std::string_view) {
    refuse("has no key space");
    return {};
}

void EngineRegistrar::publish_typed(std::type_index type, void* service) {
    if (type != typeid(sdk::EngineSource)) return refuse("publishes nothing but the engine");
    if (source_ != nullptr) return refuse("publishes one engine");
    source_ = static_cast<sdk::EngineSource*>(service);
}

sdk::Result<sdk::EngineSource*> EngineRegistrar::finish() const {
    if (!fault_) return fault_.error();
    if (source_ == nullptr) return fault("must publish its engine");
    return source_;
}

}  // namespace stele::kernel::resource
