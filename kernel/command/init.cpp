#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

sdk::Result<sdk::Json> read_seed(const std::string& file) {
    if (file.empty()) return sdk::Json::object();
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream) {
        return sdk::make_error(sdk::ErrorKind::invalid, "instance.seed_unreadable",
                               "the seed file " + file + " cannot be read");
    }
    auto seed = sdk::parse_json(text.str());
    if (!seed) return seed;
    if (!seed->is_object()) {
        return sdk::make_error(sdk::ErrorKind::invalid, "instance.seed_unreadable",
                               "the seed file " + file + " must hold a JSON object");
    }
    return seed;
}

int init(const http::InstanceOptions& options, const std::string& seed_file) {
    auto seed = read_seed(seed_file);
    if (!seed) return complain(seed.error());
    auto instance = http::Instance::open(options);
    if (!instance) return complain(instance.error());
    auto prepared = (*instance)->prepare(*seed);
    if (!prepared) return complain(prepared.error());
    show_prepared(*prepared);
    return 0;
}

}  // namespace

void show_prepared(const http::Instance::Prepared& prepared) {
    if (!prepared.is_new) {
        std::cout << "The store was prepared already; the seed's parts were applied again.\n";
        return;
    }
    std::cout << "A new store was prepared.\n  administrator: admin\n";
    if (prepared.is_password_generated) {
        std::cout << "  password:      " << prepared.admin_password << "   (shown only now)\n";
    }
    std::cout << "  client key:    " << prepared.client_key
              << "\n  client secret: " << prepared.client_secret << std::endl;
}

void add_init(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "init", "Prepare a store");
    auto seed = std::make_shared<std::string>();
    command->add_option("--seed", *seed, "JSON file with the first administrator and client");
    command->callback(
        [&line, seed] { line.run = [&line, seed] { return init(line.options(), *seed); }; });
}

}  // namespace stele::kernel::command
