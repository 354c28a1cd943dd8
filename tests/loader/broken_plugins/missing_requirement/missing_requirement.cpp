#include "../broken_manifest.hpp"

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::loader_test::sound_manifest("missing_requirement", "nowhere");
