#include <iostream>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::command {

namespace {

int list_plugins(const http::InstanceOptions& options) {
    const auto scanned = plugin::scan(options.plugin_folders);
    for (const auto& file : scanned.plugins) {
        std::cout << file.id << " " << file.version << " " << file.status;
        if (!file.requirements.empty()) {
            std::cout << ", requires";
            for (const auto& requirement : file.requirements)
                std::cout << " " << requirement;
        }
        if (!file.engine.empty()) std::cout << ", engine " << file.engine;
        std::cout << "\n";
    }
    for (const auto& refused : scanned.refused)
        std::cout << "refused: " << refused.message << "\n";
    return 0;
}

}  // namespace

void add_plugins(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "plugins", "List the plugins that were found");
    command->callback([&line] { line.run = [&line] { return list_plugins(line.options()); }; });
}

}  // namespace stele::kernel::command
