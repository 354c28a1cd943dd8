#include "../broken_manifest.hpp"

namespace {

consteval stele::sdk::PluginManifest manifest() {
    auto manifest = stele::loader_test::sound_manifest("endless_text");
    for (char& letter : manifest.version)
        letter = '1';
    return manifest;
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = manifest();
