#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stele/sdk/detail/log_output.hpp>
#include <stele/sdk/engine_binaries.hpp>
#include <stele/sdk/log.hpp>
#include <stele/sdk/services/policy_source.hpp>
#include <stele/sdk/unnamed_file.hpp>

#include "kernel/backup/copy.hpp"
#include "kernel/instance/blob_owner.hpp"
#include "kernel/instance/instance_state.hpp"
#include "kernel/instance/private_folders.hpp"
#include "kernel/instance/server_settings.hpp"
#include "kernel/resource/registration/registration.hpp"
#include "kernel/storage/blob/blob_directory.hpp"

namespace stele::kernel::instance {

constexpr std::size_t kMaxOwnMembersBytes = std::size_t{64} * 1024;

sdk::Result<void> read_settings(config::Settings& settings, const InstanceOptions& options) {
    if (auto read = settings.read_file(options.config_file); !read) return read;
    settings.read_environment();
    for (const auto& [key, value] : options.overrides)
        settings.set(key, value);
    return {};
}

sdk::Result<FoundPlugins> find_plugins(const InstanceOptions& options) {
    plugin::ScanResult scanned = plugin::scan(options.plugin_folders);
    for (const sdk::Error& refused : scanned.refused) {
        sdk::log(sdk::LogLevel::warning, "plugin", refused.message);
    }
    auto enabled = plugin::order(scanned, options.enabled);
    if (!enabled) return enabled.error();
    FoundPlugins found{std::move(*enabled), {}};
    for (const plugin::PluginFile& file : scanned.plugins) {
        const bool is_enabled =
            std::any_of(found.enabled.begin(), found.enabled.end(),
                        [&](const plugin::PluginFile& other) { return other.id == file.id; });
        if (!is_enabled) found.others.push_back(file.id);
    }
    return found;
}

namespace {

/// Opens the plugins in order; every failure of an enabled one stops start-up
/// (docs/plugin-life.md).
sdk::Result<void> open_plugins(resource::Services& services, config::Settings& settings,
                               plugin::PluginHost& host, resource::ServiceTable& published,
                               std::vector<resource::Installation>& installations,
                               resource::SeedMembers& seed_members, Registrars& registrars,
                               const std::vector<plugin::PluginFile>& plugins) {
    for (const plugin::PluginFile& file : plugins) {
        if (!file.engine.empty()) continue;  // opened before the store
        auto& registrar = registrars.emplace_back(std::make_unique<resource::PluginRegistrar>(
            file.id, services, settings, published, installations));
        if (auto opened = host.open(file, *registrar); !opened) return opened;
        if (const auto& finished = registrar->finish(); !finished) return finished;
        for (const sdk::SeedMember& member : registrar->seed()) {
            if (auto added = seed_members.add(file.id, member); !added) return added;
        }
    }
    const auto transfer = published.find(typeid(sdk::RecordTransfer));
    if (transfer != published.end())
        services.transfer = static_cast<sdk::RecordTransfer*>(transfer->second);
    return resource::freeze(services.registry, services.transfer != nullptr);
}

/// For a store that is not used.
sdk::Result<SecretKeys> unused_keys() {
    auto key = make_secret_key({});
    if (!key) return key.error();
    return SecretKeys{std::move(*key)};
}

/// Where binaries go that no data store names a place for.
sdk::Result<void> choose_binaries(sdk::Engine& engine, storage::BlobProviders& binaries,
                                  const config::Settings& settings) {
    std::string name = settings.text("storage.binaries");
    const auto* const own = engine.binaries();
    if (name.empty()) name = own ? own->binaries_name() : sdk::kFileProvider;
    if (binaries.has(name)) return binaries.set_default(name);
    return sdk::make_error(
        sdk::ErrorKind::invalid, "config.value_invalid",
        fmt::format("storage.binaries: no enabled plugin offers the place '{}'; there are: {}",
                    name, fmt::join(binaries.names(), ", ")));
}

/// The places for binaries that are there without a plugin: files, and the engine's own.
sdk::Result<void> open_binaries(sdk::Engine& engine, storage::BlobProviders& binaries,
                                const config::Settings& settings,
                                const std::filesystem::path& data) {
    auto reserve = settings.bytes("storage.reserve");
    if (!reserve) return reserve.error();
    const std::uint64_t left = usable_reserve(static_cast<std::uint64_t>(*reserve), data);
    sdk::UnnamedFile::set_reserve(left);
    auto files = storage::open_blob_directory(data / "blobs", left, use_of_blobs(engine));
    if (!files) return files.error();
    if (auto added = binaries.add(sdk::kFileProvider, std::move(*files)); !added) return added;
    auto* const own = engine.binaries();
    return own ? binaries.add(own->binaries_name(), own->open_binaries()) : sdk::Result<void>();
}

}  // namespace

Instance::Instance(std::unique_ptr<State> state) : state_(std::move(state)) {}

Instance::~Instance() {
    if (state_->server) stop();
    stop_plugins();
}

sdk::Result<void> Instance::open_audit_log(State& state) {
    auto options = read_audit_log_options(state.settings);
    if (!options) return options.error();
    resource::Services& services = *state.services;
    const storage::CollectionRules& rules = services.registry.find(audit::kActivityType)->rules;
    state.audit_log =
        std::make_unique<audit::AuditLog>(*services.engine, services.documents, rules, *options);
    state.activities = std::make_unique<resource::ActivityNotes>(*state.audit_log);
    services.activities = state.activities.get();
    state.published[typeid(sdk::Activities)] =
        static_cast<sdk::Activities*>(state.activities.get());
    return {};
}

/// What the kernel itself publishes; plugins may ask for it while they are opened.
sdk::Result<void> Instance::open_services(State& state) {
    auto job_options = read_job_options(state.settings);
    if (!job_options) return job_options.error();
    resource::Services& services = *state.services;
    job_options->may_run = [](const sdk::Reader& reader, std::uint64_t platform) {
        return resource::Platforms::is_open(reader, platform);
    };
    job_options->may_act = [&services](const sdk::Reader& reader, const sdk::RecordKey& starter) {
        return services.rights.may_act(reader, starter);
    };
    job_options->sealer = &services.sealer;
    state.jobs = std::make_unique<job::JobService>(*services.engine, *job_options);
    services.platform_removals.push_back({"kernel", [&jobs = *state.jobs](sdk::Context& context) {
                                              return jobs.forget_platform(context);
                                          }});
    state.published[typeid(sdk::Jobs)] = static_cast<sdk::Jobs*>(state.jobs.get());
    state.row_query = std::make_unique<resource::RowQuery>(services.has_numeric_sort);
    state.published[typeid(sdk::RowQuery)] = static_cast<sdk::RowQuery*>(state.row_query.get());
    state.published[typeid(sdk::RecordLists)] = static_cast<sdk::RecordLists*>(&state.record_lists);
    state.published[typeid(sdk::InnerRights)] = static_cast<sdk::InnerRights*>(&state.inner_rights);
    state.published[typeid(sdk::FamilyOperations)] =
        static_cast<sdk::FamilyOperations*>(&state.family_operations);
    state.inner_operations = std::make_unique<resource::InnerOperations>(services);
    state.published[typeid(sdk::InnerOperations)] =
        static_cast<sdk::InnerOperations*>(state.inner_operations.get());
    state.families = std::make_unique<resource::Families>(services);
    state.published[typeid(sdk::Families)] = static_cast<sdk::Families*>(state.families.get());
    state.published[typeid(sdk::Upkeep)] = static_cast<sdk::Upkeep*>(&state.upkeep);
    state.published[typeid(sdk::CollectionIndexes)] =
        static_cast<sdk::CollectionIndexes*>(&state.collection_indexes);
    state.published[typeid(sdk::RecordBinaries)] =
        static_cast<sdk::RecordBinaries*>(&state.record_binaries);
    state.published[typeid(sdk::Teams)] = static_cast<sdk::Teams*>(&services.teams);
    state.platforms = std::make_unique<resource::PlatformService>(services, state.installations);
    state.published[typeid(sdk::Platforms)] = static_cast<sdk::Platforms*>(state.platforms.get());
    state.published[typeid(sdk::Callers)] = static_cast<sdk::Callers*>(&state.callers);
    state.usage = std::make_unique<resource::UsageCounter>(services);
    state.published[typeid(sdk::Usage)] = static_cast<sdk::Usage*>(state.usage.get());
    return open_audit_log(state);
}

sdk::Result<KeptSecretKeys> read_secret_keys(const InstanceOptions& options) {
    config::Settings settings;
    if (auto read = read_settings(settings, options); !read) return read.error();
    return read_secret_keys(settings, options.data);
}

static sdk::Result<void> make_data_folder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "instance.data_unusable",
                               fmt::format("the data folder {} cannot be made: {}", folder.string(),
                                           problem.message()));
    }
    keep_private(folder);
    return {};
}

/// What operations obey.
static sdk::Result<void> set_bounds(const config::Settings& settings,
                                    resource::Services& services) {
    services.has_numeric_sort = settings.text("pagination.sort_numbers") == "numeric";
    auto limit = settings.integer("pagination.default_limit");
    if (!limit) return limit.error();
    services.default_limit = *limit;
    auto body_bytes = settings.bytes("server.body_bytes");
    if (!body_bytes) return body_bytes.error();
    // What the server adds to a body has room beside it.
    services.max_record_bytes = static_cast<std::size_t>(*body_bytes) + kMaxOwnMembersBytes;

    auto verify_rate = settings.bytes("storage.blob_verify_rate");
    if (!verify_rate) return verify_rate.error();
    services.binaries.verification().set_rate(static_cast<std::uint64_t>(*verify_rate));
    return {};
}

sdk::Result<std::unique_ptr<Instance>> Instance::open(const InstanceOptions& options) {
    auto state = std::make_unique<State>();
    config::Settings& settings = state->settings;
    if (auto read = read_settings(settings, options); !read) return read.error();
    auto plugins = find_plugins(options);
    if (!plugins) return plugins.error();
    state->plugins = std::move(plugins->enabled);

    if (auto made = make_data_folder(options.data); !made) return made.error();
    state->data = options.data;
    const bool must_exist =
        options.must_exist || (!options.may_replace_store && !options.is_restoring &&
                               has_binaries_of_a_store(options.data));
    auto keys = options.is_restoring ? unused_keys() : open_secret_keys(settings, options.data);
    if (!keys) return keys.error();
    state->secret_keys = std::move(*keys);
    auto engine = open_engine(settings, options.data, must_exist, state->host, state->plugins,
                              state->engine_registrars, options.opens_every_engine);
    if (!engine) return engine.error();
    if (!options.is_restoring) {
        auto restored = backup::check_restored(*(*engine)->snapshot());
        if (!restored) return restored.error();
        auto copied = backup::check_copied(*(*engine)->snapshot());
        if (!copied) return copied.error();
    }
    state->services =
        std::make_unique<resource::Services>(std::move(*engine), sealer_of(state->secret_keys));
    resource::add_kernel_families(state->services->registry);
    state->services->data_folder = options.data;
    if (auto set = set_bounds(settings, *state->services); !set) return set.error();
    auto binaries =
        open_binaries(*state->services->engine, state->services->binaries, settings, options.data);
    if (!binaries) return binaries.error();
    if (auto opened = open_services(*state); !opened) return opened.error();
    auto opened =
        open_plugins(*state->services, settings, state->host, state->published,
                     state->installations, state->seed_members, state->registrars, state->plugins);
    if (!opened) return opened.error();
    if (auto chosen =
            choose_binaries(*state->services->engine, state->services->binaries, settings);
        !chosen)
        return chosen.error();
    if (auto known = settings.check_unknown(plugins->others); !known) return known.error();
    if (auto checked = settings.check_values(); !checked) return checked.error();
    if (const auto level = sdk::detail::find_log_level(settings.text("log.level"))) {
        sdk::detail::set_log_level(*level);
    }
    auto kept_lines = settings.integer("log.kept_lines");
    if (!kept_lines) return kept_lines.error();
    sdk::detail::keep_log_lines(static_cast<std::size_t>(*kept_lines));
    for (const std::string& variable : settings.unknown_variables()) {
        sdk::log(sdk::LogLevel::warning, "config", variable + " is no setting");
    }
    state->services->principals = state->service<sdk::PrincipalDirectory>();
    state->services->rights.set_principals(state->services->principals);
    state->services->team_groups = state->service<sdk::TeamGroups>();
    state->services->tenants = state->service<sdk::Tenants>();
    state->services->content_sizes = state->service<sdk::ContentSizes>();
    if (auto* policies = state->service<sdk::PolicySource>()) {
        policies->meet(resource::policy_families(state->services->registry));
        state->services->authorities.set_policy_source(policies);
        state->services->authority_cache.watch(*policies);
    }
    return std::unique_ptr<Instance>(new Instance(std::move(state)));
}

}  // namespace stele::kernel::instance
