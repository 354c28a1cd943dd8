#include <memory>
#include <tuple>

#include <stele/sdk/plugin.hpp>

#include "preview_endpoint.hpp"
#include "settings.hpp"

namespace stele::node_previews {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto settings = read_settings(registrar);
    if (!settings) return settings.error();
    auto services = registrar.require<sdk::NodePaths>();
    if (!services) return services.error();
    auto& endpoint = registrar.own(
        std::make_unique<PreviewEndpoint>(*settings, std::get<sdk::NodePaths&>(*services)));
    if (auto opened = endpoint.open(); !opened) return opened;
    add_endpoints(registrar, endpoint);
    registrar.publish<sdk::PictureMaker>(endpoint);
    return {};
}

}  // namespace stele::node_previews

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "node_previews", .version = "0.1.0", .requirements = "nodes"},
    &stele::node_previews::open);
