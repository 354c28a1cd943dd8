#include <csignal>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

/// Blocked before any thread starts, so that only `wait_for_end` receives them.
sigset_t block_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return signals;
}

void wait_for_end(const sigset_t& signals, instance::Instance& instance) {
    for (int signal = 0;;) {
        sigwait(&signals, &signal);
        if (signal != SIGHUP) return;
        instance.renew();
    }
}

int serve(const instance::InstanceOptions& options) {
    const sigset_t signals = block_signals();

    auto instance = instance::Instance::open(options);
    if (!instance) return complain(instance.error());
    if (!(*instance)->is_prepared()) {
        auto prepared = (*instance)->prepare(sdk::Json::object());
        if (!prepared) return complain(prepared.error());
        if (const int failed = show_prepared(*prepared, options.data)) return failed;
    }
    if (auto started = (*instance)->start(); !started) return complain(started.error());
    std::cout << "Stele serves on " << (*instance)->base_url() << std::endl;
    wait_for_end(signals, **instance);
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
            instance::InstanceOptions options = line.options();
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
