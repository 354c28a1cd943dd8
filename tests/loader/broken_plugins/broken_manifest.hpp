#pragma once

#include <stele/sdk/plugin.hpp>

#include "witness.hpp"

namespace stele::loader_test {

inline sdk::Result<void> open_nothing(sdk::Registrar&) {
    return {};
}

/// A manifest without fault; what the caller does with it afterwards is the fault.
consteval sdk::PluginManifest sound_manifest(std::string_view id,
                                             std::string_view requirements = {}) {
    return sdk::plugin_manifest({.id = id, .version = "1.0.0", .requirements = requirements},
                                &open_nothing);
}

}  // namespace stele::loader_test
