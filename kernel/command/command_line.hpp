#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/error.hpp>

#include "kernel/instance/instance.hpp"

namespace CLI {
class App;
}

/// What `stele` can be told: a file for each command.
namespace stele::kernel::command {

/// What the arguments say. Lives as long as the program.
struct CommandLine {
    std::string data = "./data";
    std::string config;
    std::string enabled;
    std::vector<std::string> folders;
    /// The command that was given; its answer is the program's status.
    std::function<int()> run;

    instance::InstanceOptions options() const;
};

/// Does what the arguments of the program say; answers its status.
int run(int argc, char** argv);

/// A subcommand with the options that all of them have.
CLI::App* add_command(CLI::App& app, CommandLine& line, const char* name, const char* meaning);

/// Says what is wrong and answers the program's status.
int complain(const sdk::Error& error);
int complain(const std::string& problem);

/// Whether a server has the store of the data folder open.
bool is_served(const instance::InstanceOptions& options);

void add_init(CLI::App& app, CommandLine& line);
void add_serve(CLI::App& app, CommandLine& line);
void add_check(CLI::App& app, CommandLine& line);
void add_plugins(CLI::App& app, CommandLine& line);
void add_config(CLI::App& app, CommandLine& line);
void add_user(CLI::App& app, CommandLine& line);
void add_backup(CLI::App& app, CommandLine& line);
void add_restore(CLI::App& app, CommandLine& line);
void add_copy(CLI::App& app, CommandLine& line);
void add_rotate_secrets(CLI::App& app, CommandLine& line);
void add_export(CLI::App& app, CommandLine& line);
void add_import(CLI::App& app, CommandLine& line);

/// Tells what the preparation of a new store has made, once: on a terminal, else in a file of the
/// data folder that its owner alone can read, as what a service prints is kept by others. Answers
/// the program's status.
int show_prepared(const instance::Instance::Prepared& prepared, const std::filesystem::path& data);

}  // namespace stele::kernel::command
