#pragma once

#include <filesystem>
#include <string>

#include "kernel/instance/instance.hpp"

namespace stele::kernel::command {

/// Begins a plugin: makes a folder with a copy of the installed template
/// (docs/guides/first-plugin.md) under the plugin's own name. Answers the program's status.
int begin_plugin(const instance::InstanceOptions& options, const std::string& name,
                 const std::filesystem::path& folder);

}  // namespace stele::kernel::command
