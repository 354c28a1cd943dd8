#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <stele/sdk/registrar.hpp>

#include "preview_cache.hpp"
#include "program/task.hpp"

namespace stele::node_previews {

/// What an operator set (docs/reference/node_previews.md).
struct PreviewSettings {
    std::filesystem::path folder;
    CacheBounds cache;
    std::string program;
    std::size_t concurrent = 0;
    std::size_t waiting = 0;
    std::uint64_t source_bytes = 0;
    RenderLimits limits;
};

/// Declares and reads the settings; `unavailable` (`node_previews.program_missing`) stops start-up.
sdk::Result<PreviewSettings> read_settings(sdk::Registrar& registrar);

}  // namespace stele::node_previews
