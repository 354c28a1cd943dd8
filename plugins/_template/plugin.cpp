#include <stele/sdk/plugin.hpp>

#include <memory>

#include "note.hpp"

namespace stele::note {

namespace {

sdk::Result<void> open(sdk::Registrar& registrar) {
    registrar.add(std::make_unique<Note>());
    return {};
}

}  // namespace

}  // namespace stele::note

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "note", .version = "1.0.0"}, &stele::note::open);
