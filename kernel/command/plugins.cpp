#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"
#include "kernel/command/plugin_new.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::command {

namespace {

int list_plugins(const instance::InstanceOptions& options) {
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

struct NewPlugin {
    std::string name;
    std::string folder;
};

void add_new_plugin(CLI::App& app, CommandLine& line) {
    CLI::App* plugin = app.add_subcommand("plugin", "Begin a plugin of your own");
    plugin->require_subcommand(1);
    auto begun = std::make_shared<NewPlugin>();
    CLI::App* command =
        add_command(*plugin, line, "new", "Make a folder with a plugin that builds and is tested");
    command->add_option("name", begun->name, "Its id: small letters, digits, underscores")
        ->required();
    command->add_option("--folder", begun->folder, "The folder to make; its name by default");
    command->callback([&line, begun] {
        line.run = [&line, begun] {
            const std::string& folder = begun->folder.empty() ? begun->name : begun->folder;
            return begin_plugin(line.options(), begun->name, folder);
        };
    });
}

}  // namespace

void add_plugins(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "plugins", "List the plugins that were found");
    command->callback([&line] { line.run = [&line] { return list_plugins(line.options()); }; });
    add_new_plugin(app, line);
}

}  // namespace stele::kernel::command
