#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"
#include "kernel/command/terminal.hpp"

namespace stele::kernel::command {

namespace {

struct UserArguments {
    std::string name;
    std::string domain;
    std::string email;
    bool is_administrator = false;
};

/// Something to do with the accounts of the store, inside one transaction.
using AccountWork = std::function<sdk::Result<void>(sdk::Accounts&, sdk::Context&)>;

int with_accounts(http::InstanceOptions options, const AccountWork& work) {
    options.must_exist = true;
    auto instance = http::Instance::open(options);
    if (!instance) return complain(instance.error());
    sdk::Accounts* accounts = (*instance)->accounts();
    if (!accounts) {
        return complain(sdk::make_error(
            sdk::ErrorKind::unavailable, "command.accounts_missing",
            "no enabled plugin keeps users; enable one that does, the one that issues tokens"));
    }
    auto done =
        (*instance)->run_as_system([&](sdk::Context& context) { return work(*accounts, context); });
    return done ? 0 : complain(done.error());
}

void show(const sdk::Account& account) {
    std::cout << account.domain_id << "/" << account.name << "  " << account.id
              << (account.is_enabled ? "" : "  disabled")
              << (account.has_password ? "" : "  no password")
              << (account.email.empty() ? "" : "  " + account.email) << "\n";
}

sdk::Result<void> show(const sdk::Result<sdk::Account>& account) {
    if (!account) return account.error();
    show(*account);
    return {};
}

int list(const http::InstanceOptions& options, const UserArguments& arguments) {
    return with_accounts(options, [&](sdk::Accounts& accounts, sdk::Context& context) {
        auto all = accounts.list(context, arguments.domain);
        if (!all) return sdk::Result<void>(all.error());
        for (const sdk::Account& account : *all)
            show(account);
        return sdk::Result<void>();
    });
}

int add(const http::InstanceOptions& options, const UserArguments& arguments) {
    auto password = read_password("Password of the new user " + arguments.name);
    if (!password) return complain(password.error());
    return with_accounts(options, [&](sdk::Accounts& accounts, sdk::Context& context) {
        return show(accounts.add(context, {arguments.name, arguments.domain, arguments.email,
                                           *password, arguments.is_administrator}));
    });
}

int set_password(const http::InstanceOptions& options, const UserArguments& arguments) {
    auto password = read_password("New password of " + arguments.name);
    if (!password) return complain(password.error());
    return with_accounts(options, [&](sdk::Accounts& accounts, sdk::Context& context) {
        return show(accounts.set_password(context, arguments.name, *password));
    });
}

int set_enabled(const http::InstanceOptions& options, const UserArguments& arguments,
                bool is_enabled) {
    return with_accounts(options, [&](sdk::Accounts& accounts, sdk::Context& context) {
        return show(accounts.set_enabled(context, arguments.name, is_enabled));
    });
}

using UserCommand = std::function<int(const http::InstanceOptions&, const UserArguments&)>;

}  // namespace

void add_user(CLI::App& app, CommandLine& line) {
    CLI::App* user = app.add_subcommand(
        "user",
        "Manage the users of a store that is not being served; passwords are typed, or "
        "come from the standard input");
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
