#include <stele/sdk/plugin.hpp>

#include <memory>

#include "../witness.hpp"

namespace {

namespace sdk = stele::sdk;

class Slate final : public sdk::Resource {
public:
    // No path, and an action that nothing is bound to.
    sdk::ResourceDescriptor describe() const override {
        return {
            .type = "slate", .path = {}, .placeholder = "slateId", .actions = {{.name = "wipe"}}};
    }
};

sdk::Result<void> open(sdk::Registrar& registrar) {
    registrar.add(std::make_unique<Slate>());
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "incomplete_descriptor", .version = "1.0.0"}, &open);
