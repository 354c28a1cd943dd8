#include <csignal>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

int serve(const http::InstanceOptions& options) {
    // Blocked before any thread starts, so that only the wait below receives them.
    sigset_t stop_signals;
    sigemptyset(&stop_signals);
    sigaddset(&stop_signals, SIGINT);
    sigaddset(&stop_signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);

    auto instance = http::Instance::open(options);
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

std::string listen_error(const std::string& listen) {
    const auto colon = listen.rfind(':');
    const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
    const bool is_number = !port.empty() && port.size() <= 5 &&
                           port.find_first_not_of("0123456789") == std::string::npos &&
                           std::stoi(port) <= 65535;
    return is_number ? "" : "--listen takes HOST:PORT, not " + listen;
}

}  // namespace

void add_serve(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "serve", "Serve a store");
    auto listen = std::make_shared<std::string>();
    command->add_option("--listen", *listen, "HOST:PORT")->check(listen_error);
    command->callback([&line, listen] {
        line.run = [&line, listen] {
            http::InstanceOptions options = line.options();
            if (!listen->empty()) {
                const auto colon = listen->rfind(':');
                options.overrides = {{"server.host", listen->substr(0, colon)},
                                     {"server.port", listen->substr(colon + 1)}};
            }
            return serve(options);
        };
    });
}

}  // namespace stele::kernel::command
