#include <filesystem>
#include <fstream>
#include <iterator>
#include <shared_mutex>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/instance/account_command.hpp"
#include "kernel/instance/instance_state.hpp"
#include "kernel/resource/upkeep/binary_check.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::instance {

sdk::Json json_of(const backup::BackupSummary& summary) {
    return {{"id", summary.id},
            {"entries", summary.entries},
            {"bytes", summary.bytes},
            {"blobs", summary.blobs},
            {"blobBytes", summary.blob_bytes},
            {"secrets", summary.has_secret_keys}};
}

namespace {

/// The keys of a backup, beside the restored store; never over others.
sdk::Result<void> keep_secret_keys(const config::Settings& settings,
                                   const std::filesystem::path& data, std::string_view text) {
    auto keys = parse_secret_keys(text, "the backup");
    if (!keys) return keys.error();
    const std::string lines = secret_keys_text(*keys);
    const std::filesystem::path file = data / kSecretKeyFile;
    if (settings.text("secrets.key").empty() && !std::filesystem::exists(file)) {
        return write_secret_keys(data, *keys);
    }
    auto present = open_secret_keys(settings, data);
    if (!present) return present.error();
    if (secret_keys_text(*present) == lines) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "backup.keys_differ",
                           "the backup holds other keys than " + file.string() +
                               " or the setting secrets.key; put these away first");
}

/// What is known to be damaged is not copied as if it were whole.
sdk::Result<void> check_undamaged(const sdk::Engine& engine,
                                  const storage::BlobProviders& binaries) {
    for (const auto& state : {engine.status(), binaries.damage().status()})
        if (!state && state.error().kind == sdk::ErrorKind::internal) return state;
    return {};
}

}  // namespace

sdk::Result<void> Instance::run_as_system(
    const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    auto root = state_->services->platforms.root();
    if (!root) return root.error();
    return resource::run_as_system(*state_->services, *root, work);
}

sdk::Result<sdk::Json> Instance::manage_accounts(const sdk::Json& request) {
    auto* accounts = state_->service<sdk::Accounts>();
    if (!accounts) {
        return sdk::make_error(
            sdk::ErrorKind::unavailable, "command.accounts_missing",
            "no enabled plugin keeps users; enable one that does, the one that issues tokens");
    }
    sdk::Json answer;
    auto done = run_as_system([&](sdk::Context& context) -> sdk::Result<void> {
        auto answered = run_account_command(*accounts, context, request);
        if (!answered) return answered.error();
        answer = std::move(*answered);
        return {};
    });
    if (!done) return done.error();
    return answer;
}

sdk::Result<backup::BackupSummary> Instance::back_up(const BackupWishes& wishes,
                                                     const backup::Sink& sink) {
    backup::BackupOptions options;
    options.has_blobs = wishes.has_blobs;
    if (wishes.has_secret_keys) options.secret_keys = secret_keys_text(state_->secret_keys);
    // What the moment of the backup refers to is there until it has been written.
    const std::shared_lock kept(state_->services->keeping_blobs);
    resource::Services& services = *state_->services;
    // Of a store that others share they may lie with another server.
    if (options.has_blobs && services.engine->is_local()) {
        // What nobody has asked for since it went is missed now.
        auto looked = resource::find_missing_binaries(services);
        if (!looked) return looked.error();
    }
    if (auto sound = check_undamaged(*services.engine, services.binaries); !sound)
        return sound.error();
    auto summary = backup::write_backup(*services.engine, services.binaries, options, sink);
    // Also of what others met meanwhile.
    if (auto sound = check_undamaged(*services.engine, services.binaries); !sound)
        return sound.error();
    return summary;
}

sdk::Result<backup::BackupSummary> Instance::restore(const backup::Source& source) {
    const backup::RestoreTarget target{
        *state_->services->engine, state_->services->binaries, [this](std::string_view keys) {
            return keep_secret_keys(state_->settings, state_->data, keys);
        }};
    return backup::restore_backup(target, source);
}

sdk::Result<resource::ResealOutcome> Instance::reseal(const std::function<bool()>& must_stop) {
    return resource::reseal_secrets(*state_->services->engine, state_->services->platforms,
                                    state_->services->sealer, must_stop);
}

std::string Instance::newest_key_digest() const {
    return state_->services->sealer.newest_key_digest();
}

/// What the command line asks of a server that has the store open.
sdk::Result<void> Instance::start_administration() {
    const auto back_up_command = [this](const admin::CommandCall& call) -> sdk::Result<sdk::Json> {
        const BackupWishes wishes{sdk::flag_member(call.request, "blobs", true),
                                  sdk::flag_member(call.request, "secrets", false)};
        auto summary = back_up(wishes, call.output);
        if (!summary) return summary.error();
        return json_of(*summary);
    };
    const auto reseal_command = [this](const admin::CommandCall& call) -> sdk::Result<sdk::Json> {
        if (sdk::text_member(call.request, "key") != newest_key_digest()) {
            return sdk::make_error(sdk::ErrorKind::conflict, "instance.keys_outdated",
                                   "the server was started with other keys; restart it first");
        }
        auto outcome = reseal(call.must_stop);
        if (!outcome) return outcome.error();
        return sdk::Json{{"sealed", outcome->sealed}, {"resealed", outcome->resealed}};
    };
    const auto user_command = [this](const admin::CommandCall& call) -> sdk::Result<sdk::Json> {
        auto accounts = manage_accounts(call.request);
        if (!accounts) return accounts.error();
        return sdk::Json{{"accounts", std::move(*accounts)}};
    };
    state_->administration = std::make_unique<admin::AdminServer>(
        state_->data, std::map<std::string, admin::Command>{{"backup", back_up_command},
                                                            {"rotate-secrets", reseal_command},
                                                            {"user", user_command}});
    return state_->administration->start();
}

}  // namespace stele::kernel::instance
