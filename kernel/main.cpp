#include <string>

#include <CLI/CLI.hpp>

#include <stele/sdk/fingerprint.hpp>

#include "kernel/command/command_line.hpp"

int main(int argc, char** argv) {
    namespace command = stele::kernel::command;
    CLI::App app{"Stele, a self-hosted content server"};
    app.require_subcommand(1);
    app.set_version_flag(
        "--version", std::string("stele 0.1.0 (") + std::string(stele::sdk::kFingerprint) + ")");
    command::CommandLine line;
    command::add_init(app, line);
    command::add_serve(app, line);
    command::add_check(app, line);
    command::add_plugins(app, line);
    command::add_config(app, line);
    command::add_user(app, line);
    command::add_backup(app, line);
    command::add_restore(app, line);
    command::add_copy(app, line);
    command::add_rotate_secrets(app, line);
    CLI11_PARSE(app, argc, argv);
    return line.run();
}
