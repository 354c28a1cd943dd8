#include "../broken_manifest.hpp"

namespace {

consteval stele::sdk::PluginManifest manifest() {
    auto manifest = stele::loader_test::sound_manifest("wrong_magic");
    manifest.magic[0] = 'X';
    return manifest;
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = manifest();
