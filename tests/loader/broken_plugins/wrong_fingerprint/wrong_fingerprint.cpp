#include "../broken_manifest.hpp"

namespace {

consteval stele::sdk::PluginManifest manifest() {
    auto manifest = stele::loader_test::sound_manifest("wrong_fingerprint");
    manifest.fingerprint[0] = '?';
    return manifest;
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = manifest();
