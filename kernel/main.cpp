#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/fingerprint.hpp>
#include <stele/sdk/json.hpp>

#include "kernel/http/instance.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace {

using namespace stele;
using kernel::http::Instance;
using kernel::http::InstanceOptions;

int complain(const sdk::Error& error) {
    std::cerr << "stele: " << error.message;
    if (!error.detail.empty()) std::cerr << " (" << error.detail << ")";
    std::cerr << " [" << error.code << "]\n";
    return 1;
}

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

void show_prepared(const Instance::Prepared& prepared) {
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

int init(const InstanceOptions& options, const std::string& seed_file) {
    auto seed = read_seed(seed_file);
    if (!seed) return complain(seed.error());
    auto instance = Instance::open(options);
    if (!instance) return complain(instance.error());
    auto prepared = (*instance)->prepare(*seed);
    if (!prepared) return complain(prepared.error());
    show_prepared(*prepared);
    return 0;
}

int serve(const InstanceOptions& options) {
    // Blocked before any thread starts, so that only the wait below receives them.
    sigset_t stop_signals;
    sigemptyset(&stop_signals);
    sigaddset(&stop_signals, SIGINT);
    sigaddset(&stop_signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);

    auto instance = Instance::open(options);
    if (!instance) return complain(instance.error());
    if (!(*instance)->is_prepared()) {
        auto prepared = (*instance)->prepare(sdk::Json::object());
        if (!prepared) return complain(prepared.error());
        show_prepared(*prepared);
    }
    if (auto started = (*instance)->start(); !started) return complain(started.error());
    std::cout << "Stele serves on " << (*instance)->base_url() << std::endl;
    int signal = 0;
    sigwait(&stop_signals, &signal);
    (*instance)->stop();
    return 0;
}

int check(InstanceOptions options) {
    options.must_exist = true;
    auto instance = Instance::open(options);
    if (!instance) return complain(instance.error());
    auto differences = (*instance)->check();
    if (!differences) return complain(differences.error());
    for (const std::string& difference : *differences)
        std::cout << difference << "\n";
    std::cout << (differences->empty() ? "The store is consistent.\n"
                                       : "The store is NOT consistent.\n");
    return differences->empty() ? 0 : 2;
}

int list_plugins(const InstanceOptions& options) {
    const auto scanned = kernel::plugin::scan(options.plugin_folders);
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

/// Plugins declare their settings when they are opened, which needs a store: an empty one, for the
/// time of the question.
int show_config(InstanceOptions options) {
    options.overrides.emplace_back("storage.engine", "leveldb");
    std::string folder = (std::filesystem::temp_directory_path() / "stele-config-XXXXXX").string();
    if (!::mkdtemp(folder.data())) {
        std::cerr << "stele: no temporary folder can be made in "
                  << std::filesystem::temp_directory_path().string() << "\n";
        return 1;
    }
    options.data = folder;
    int status = 0;
    {
        auto instance = Instance::open(options);
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

std::string listen_error(const std::string& listen) {
    const auto colon = listen.rfind(':');
    const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
    const bool is_number = !port.empty() && port.size() <= 5 &&
                           port.find_first_not_of("0123456789") == std::string::npos &&
                           std::stoi(port) <= 65535;
    return is_number ? "" : "--listen takes HOST:PORT, not " + listen;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Stele, a self-hosted content server"};
    app.require_subcommand(1);
    app.set_version_flag("--version",
                         std::string("stele 0.1.0 (") + std::string(sdk::kFingerprint) + ")");
    std::string data = "./data", seed, listen, config, enabled;
    std::vector<std::string> folders;
    const auto add_common = [&](CLI::App* command) {
        command->add_option("--data", data, "Folder that holds the store")->capture_default_str();
        command->add_option("--config", config, "Configuration file");
        command->add_option("--enable", enabled, "Plugins to enable, separated by commas");
        command->add_option("--plugins", folders, "Another folder with plugins; repeatable");
    };
    auto* init_command = app.add_subcommand("init", "Prepare a store");
    init_command->add_option("--seed", seed, "JSON file with the first administrator and client");
    auto* serve_command = app.add_subcommand("serve", "Serve a store");
    serve_command->add_option("--listen", listen, "HOST:PORT")->check(listen_error);
    auto* check_command = app.add_subcommand("check", "Verify a store that is not being served");
    auto* plugins_command = app.add_subcommand("plugins", "List the plugins that were found");
    auto* config_command = app.add_subcommand("config", "Print every setting with its meaning");
    for (auto* command :
         {init_command, serve_command, check_command, plugins_command, config_command}) {
        add_common(command);
    }
    CLI11_PARSE(app, argc, argv);

    InstanceOptions options;
    options.data = data;
    options.config_file = config;
    options.enabled = CLI::detail::split(enabled, ',');
    std::erase(options.enabled, "");
    options.plugin_folders = distinct_folders(folders);
    if (!listen.empty()) {
        const auto colon = listen.rfind(':');
        options.overrides = {{"server.host", listen.substr(0, colon)},
                             {"server.port", listen.substr(colon + 1)}};
    }
    if (*init_command) return init(options, seed);
    if (*serve_command) return serve(options);
    if (*check_command) return check(options);
    if (*plugins_command) return list_plugins(options);
    return show_config(options);
}
