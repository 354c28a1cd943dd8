#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

/// Plugins declare their settings when they are opened, which needs a store: an empty one, for the
/// time of the question.
int show_config(instance::InstanceOptions options) {
    std::string folder = (std::filesystem::temp_directory_path() / "stele-config-XXXXXX").string();
    if (!::mkdtemp(folder.data())) {
        return complain("no temporary folder can be made in " +
                        std::filesystem::temp_directory_path().string());
    }
    options.data = folder;
    options.overrides.emplace_back("storage.engine", "leveldb");
    options.opens_every_engine = true;
    int status = 0;
    {
        auto instance = instance::Instance::open(options);
        if (instance) {
            std::cout << (*instance)->describe_settings();
        } else {
            status = complain(instance.error());
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return status;
}

}  // namespace

void add_config(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "config", "Print every setting with its meaning");
    command->callback([&line] { line.run = [&line] { return show_config(line.options()); }; });
}

}  // namespace stele::kernel::command
