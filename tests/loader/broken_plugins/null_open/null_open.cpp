#include "../broken_manifest.hpp"

namespace {

consteval stele::sdk::PluginManifest manifest() {
    auto manifest = stele::loader_test::sound_manifest("null_open");
    manifest.open = nullptr;
    return manifest;
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = manifest();
