#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/command/command_line.hpp"
#include "kernel/instance/secret_keys.hpp"

namespace stele::kernel::command {

namespace {

struct RotateArguments {
    bool adds_key = false;
    bool drops_old = false;
};

struct Outcome {
    std::int64_t sealed = 0;
    std::int64_t resealed = 0;
};

/// Asks the server that has the store open, else opens it.
sdk::Result<Outcome> reseal(instance::InstanceOptions options, const std::string& key_digest) {
    auto answer =
        admin::ask_server(options.data, {{"command", "rotate-secrets"}, {"key", key_digest}},
                          [](std::string_view) { return sdk::Result<void>(); });
    if (answer) {
        return Outcome{sdk::integer_member(*answer, "sealed").value_or(0),
                       sdk::integer_member(*answer, "resealed").value_or(0)};
    }
    if (answer.error().code != "admin.not_served") return answer.error();
    options.must_exist = true;
    auto instance = instance::Instance::open(options);
    if (!instance) return instance.error();
    auto outcome = (*instance)->reseal([] { return false; });
    if (!outcome) return outcome.error();
    return Outcome{static_cast<std::int64_t>(outcome->sealed),
                   static_cast<std::int64_t>(outcome->resealed)};
}

sdk::Result<instance::SecretKeys> add_key(const instance::InstanceOptions& options,
                                          instance::SecretKeys keys) {
    if (is_served(options)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "command.store_served",
                               "stop the server first: it would not know the new key");
    }
    auto key = instance::make_secret_key(keys);
    if (!key) return key.error();
    keys.insert(keys.begin(), std::move(*key));
    if (auto written = instance::write_secret_keys(options.data, keys); !written)
        return written.error();
    std::cout << "Key " << int{keys.front().id} << " was added to " << instance::kSecretKeyFile
              << ".\n";
    return keys;
}

int run(const instance::InstanceOptions& options, const RotateArguments& arguments) {
    auto configured = instance::read_secret_keys(options);
    if (!configured) return complain(configured.error());
    if (!configured->is_file && (arguments.adds_key || arguments.drops_old)) {
        return complain(
            sdk::make_error(sdk::ErrorKind::invalid, "command.keys_elsewhere",
                            "the keys are in the setting secrets.key: change them there"));
    }
    instance::SecretKeys keys = std::move(configured->keys);
    if (arguments.adds_key) {
        auto more = add_key(options, std::move(keys));
        if (!more) return complain(more.error());
        keys = std::move(*more);
    }
    auto outcome = reseal(options, instance::sealer_of(keys).newest_key_digest());
    if (!outcome) return complain(outcome.error());
    std::cout << "Of " << outcome->sealed << " records with secrets, " << outcome->resealed
              << " were sealed anew with key " << int{keys.front().id} << ".\n";
    if (keys.size() == 1) return 0;
    if (!arguments.drops_old) {
        std::cout << "Older keys are no longer needed but by backups; --drop-old removes them.\n";
        return 0;
    }
    keys.resize(1);
    auto written = instance::write_secret_keys(options.data, keys);
    if (!written) return complain(written.error());
    std::cout << "The older keys were removed from " << instance::kSecretKeyFile << ".\n";
    return 0;
}

}  // namespace

void add_rotate_secrets(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(
        app, line, "rotate-secrets",
        "Seal all stored secrets with the newest key, also while the store is being served");
    auto arguments = std::make_shared<RotateArguments>();
    command->add_flag("--new-key", arguments->adds_key, "Make a new key first");
    command->add_flag("--drop-old", arguments->drops_old, "Remove the older keys afterwards");
    command->callback([&line, arguments] {
        line.run = [&line, arguments] { return run(line.options(), *arguments); };
    });
}

}  // namespace stele::kernel::command
