#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/config/settings.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/registry/engine_registrar.hpp"
#include "kernel/storage/blob/blob_directory.hpp"

namespace stele::kernel::instance {

/// Plugins may keep theirs, so these live as long as the instance.
using EngineRegistrars = std::vector<std::unique_ptr<resource::EngineRegistrar>>;

/// Engines by name; null for the embedded one, and for those whose plugins were not opened.
using EngineSources = std::map<std::string, sdk::EngineSource*>;
using IsNeeded = std::function<bool(const plugin::PluginFile&)>;

/// Opens the plugins that offer engines, as far as they are needed.
sdk::Result<EngineSources> find_engines(config::Settings& settings, plugin::PluginHost& host,
                                        const std::vector<plugin::PluginFile>& plugins,
                                        EngineRegistrars& registrars,
                                        const IsNeeded& is_needed = {});

/// Opens the store at an address that one of the engines knows, or the embedded one in the data
/// folder that it names.
sdk::Result<std::unique_ptr<sdk::Engine>> open_address(const config::Settings& settings,
                                                       const EngineSources& engines,
                                                       const std::string& address, bool must_exist);
/// Whether it is an address, no folder.
bool is_address(std::string_view place);

/// Opens the plugin of the engine that `storage.engine` names, those whose settings are mentioned,
/// or all that offer engines (`opens_all`); then that engine, or the embedded one in the data
/// folder, where `must_exist` refuses to make an empty store.
sdk::Result<std::unique_ptr<sdk::Engine>> open_engine(
    config::Settings& settings, const std::filesystem::path& data, bool must_exist,
    plugin::PluginHost& host, const std::vector<plugin::PluginFile>& plugins,
    EngineRegistrars& registrars, bool opens_all);

/// Who works in the folder of blobs in the data folder of a server with that engine. An embedded
/// store lies beside it and lets one process in; servers that share a store may share the folder.
storage::BlobFolderUse use_of_blobs(sdk::Engine& engine);

/// A small disk would be all reserve: there, a quarter of it must do.
std::uint64_t usable_reserve(std::uint64_t reserve, const std::filesystem::path& data);

}  // namespace stele::kernel::instance
