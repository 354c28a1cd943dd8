#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/command/command_line.hpp"
#include "kernel/command/terminal.hpp"
#include "kernel/instance/account_command.hpp"

namespace stele::kernel::command {

namespace {

struct UserArguments {
    std::string name;
    std::string domain;
    std::string email;
    bool is_administrator = false;
};

/// Asks the server that has the store open, else opens it.
sdk::Result<sdk::Json> ask(instance::InstanceOptions options, const sdk::Json& request) {
    auto answer = admin::ask_server(options.data, request,
                                    [](std::string_view) { return sdk::Result<void>(); });
    if (answer) return answer->at("accounts");
    if (answer.error().code != "admin.not_served") return answer.error();
    options.must_exist = true;
    auto instance = instance::Instance::open(options);
    if (!instance) return instance.error();
    return (*instance)->manage_accounts(request);
}

void show(const sdk::Account& account) {
    std::cout << account.domain_id << "/" << account.name << "  " << account.id
              << (account.is_enabled ? "" : "  disabled")
              << (account.has_password ? "" : "  no password")
              << (account.email.empty() ? "" : "  " + account.email) << "\n";
}

int run_action(const instance::InstanceOptions& options, sdk::Json request) {
    request["command"] = "user";
    auto accounts = ask(options, request);
    if (!accounts) return complain(accounts.error());
    for (const sdk::Json& account : *accounts)
        show(instance::account_of(account));
    return 0;
}

int list(const instance::InstanceOptions& options, const UserArguments& arguments) {
    return run_action(options, {{"action", "list"}, {"domain", arguments.domain}});
}

int add(const instance::InstanceOptions& options, const UserArguments& arguments) {
    auto password = read_password("Password of the new user " + arguments.name);
    if (!password) return complain(password.error());
    return run_action(options, {{"action", "add"},
                                {"name", arguments.name},
                                {"domain", arguments.domain},
                                {"email", arguments.email},
                                {"password", *password},
                                {"administrator", arguments.is_administrator}});
}

int set_password(const instance::InstanceOptions& options, const UserArguments& arguments) {
    auto password = read_password("New password of " + arguments.name);
    if (!password) return complain(password.error());
    return run_action(
        options, {{"action", "set-password"}, {"name", arguments.name}, {"password", *password}});
}

int set_enabled(const instance::InstanceOptions& options, const UserArguments& arguments,
                bool is_enabled) {
    return run_action(options,
                      {{"action", is_enabled ? "enable" : "disable"}, {"name", arguments.name}});
}

using UserCommand = std::function<int(const instance::InstanceOptions&, const UserArguments&)>;

}  // namespace

void add_user(CLI::App& app, CommandLine& line) {
    CLI::App* user = app.add_subcommand(
        "user",
        "Manage the users of a store, also while it is being served; passwords are typed, or come "
        "from the standard input");
    user->require_subcommand(1);
    auto arguments = std::make_shared<UserArguments>();
    const auto add_to = [&](const char* name, const char* meaning, const UserCommand& run) {
        CLI::App* command = add_command(*user, line, name, meaning);
        command->callback([&line, arguments, run] {
            line.run = [&line, arguments, run] { return run(line.options(), *arguments); };
        });
        return command;
    };
    const auto add_named = [&](const char* name, const char* meaning, const UserCommand& run) {
        CLI::App* command = add_to(name, meaning, run);
        command->add_option("user", arguments->name, "NAME, ID or DOMAIN/NAME")->required();
        return command;
    };
    const auto add_domain = [&](CLI::App* command) {
        command->add_option("--domain", arguments->domain, "Id of the domain");
    };
    add_domain(add_to("list", "Show all users", &list));
    CLI::App* added = add_to("add", "Make a user", &add);
    added->add_option("name", arguments->name, "Name of the user")->required();
    added->add_option("--email", arguments->email, "Mail address");
    added->add_flag("--administrator", arguments->is_administrator, "The user owns the platform");
    add_domain(added);
    add_named("set-password", "Give a user another password", &set_password);
    add_named("disable", "Keep a user out, at once", [](const auto& options, const auto& given) {
        return set_enabled(options, given, false);
    });
    add_named("enable", "Let a disabled user in again", [](const auto& options, const auto& given) {
        return set_enabled(options, given, true);
    });
}

}  // namespace stele::kernel::command
