#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stele::kernel::plugin_check {

/// One thing that a library must fulfil (docs/plugin-life.md).
struct Check {
    std::string name;
    /// Answers what is wrong; empty when nothing is. Runs in a process of its own.
    std::function<std::string()> run;
};

/// The checks of one library. `folders` have the plugins that it requires.
std::vector<Check> library_checks(const std::filesystem::path& library,
                                  const std::vector<std::filesystem::path>& folders);

}  // namespace stele::kernel::plugin_check
