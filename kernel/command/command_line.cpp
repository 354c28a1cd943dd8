#include "kernel/command/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/fingerprint.hpp>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/config/nearest_name.hpp"

namespace stele::kernel::command {

namespace {

std::filesystem::path program_folder() {
    std::error_code problem;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
    return problem ? std::filesystem::current_path() : program.parent_path();
}

/// The program's own plugins and those of `--plugins`, each folder once.
std::vector<std::filesystem::path> distinct_folders(const std::vector<std::string>& more) {
    std::vector<std::filesystem::path> folders{
        std::filesystem::weakly_canonical(program_folder() / "../lib/stele/plugins")};
    for (const std::string& folder : more) {
        auto path = std::filesystem::weakly_canonical(folder);
        if (std::find(folders.begin(), folders.end(), path) == folders.end()) {
            folders.push_back(std::move(path));
        }
    }
    return folders;
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

/// What is wrong with the words that stand where commands are wanted; empty when nothing is. The
/// parser itself would only miss a command.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
    const CLI::App* level = &app;
    std::string way = "stele";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::vector<std::string> known = commands_of(*level);
        if (known.empty() || word.empty() || word.front() == '-') return {};
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            return way + " has no command '" + word + "'; did you mean '" +
                   config::nearest_name(word, known) + "'? " + way + " --help shows them all";
        }
        level = level->get_subcommand(word);
        way += " " + word;
    }
    return {};
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app{"Stele, a self-hosted content server"};
    app.require_subcommand(1);
    app.set_version_flag("--version",
                         std::string("stele 0.1.0 (") + std::string(sdk::kFingerprint) + ")");
    CommandLine line;
    add_init(app, line);
    add_serve(app, line);
    add_check(app, line);
    add_plugins(app, line);
    add_config(app, line);
    add_user(app, line);
    add_backup(app, line);
    add_restore(app, line);
    add_copy(app, line);
    add_rotate_secrets(app, line);
    add_export(app, line);
    add_import(app, line);
    if (const std::string problem = unknown_command(app, argc, argv); !problem.empty())
        return complain(problem);
    CLI11_PARSE(app, argc, argv);
    return line.run();
}

instance::InstanceOptions CommandLine::options() const {
    instance::InstanceOptions options;
    options.data = data;
    options.config_file = config;
    options.enabled = CLI::detail::split(enabled, ',');
    std::erase(options.enabled, "");
    options.plugin_folders = distinct_folders(folders);
    return options;
}

CLI::App* add_command(CLI::App& app, CommandLine& line, const char* name, const char* meaning) {
    CLI::App* command = app.add_subcommand(name, meaning);
    command->add_option("--data", line.data, "Folder that holds the store")
        ->capture_default_str()
        ->take_last();
    command->add_option("--config", line.config, "Configuration file");
    command->add_option("--enable", line.enabled, "Plugins to enable, separated by commas");
    command->add_option("--plugins", line.folders, "Another folder with plugins; repeatable");
    return command;
}

bool is_served(const instance::InstanceOptions& options) {
    auto answer = admin::ask_server(options.data, {{"command", "nothing"}},
                                    [](std::string_view) { return sdk::Result<void>(); });
    return answer || answer.error().code != "admin.not_served";
}

int complain(const sdk::Error& error) {
    std::cerr << "stele: " << error.message;
    if (!error.detail.empty()) std::cerr << " (" << error.detail << ")";
    std::cerr << " [" << error.code << "]\n";
    return 1;
}

int complain(const std::string& problem) {
    std::cerr << "stele: " << problem << "\n";
    return 1;
}

}  // namespace stele::kernel::command
