#include "kernel/instance/engine_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/instance/blob_owner.hpp"
#include "kernel/instance/instance_state.hpp"
#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"

namespace stele::kernel::instance {

namespace {

constexpr char kEmbedded[] = "leveldb";
constexpr std::uint64_t kReserveShare = 4;
/// With what is held back for write buffers a fifth of a small disk is theirs.
constexpr std::uint64_t kWriteBufferShare = 32;

/// No more than one of so many shares of the disk.
std::uint64_t within_share(std::uint64_t bytes, const std::filesystem::path& data,
                           std::uint64_t shares) {
    std::error_code problem;
    const auto space = std::filesystem::space(data, problem);
    // Some file systems tell none.
    if (problem || space.capacity == 0) return bytes;
    return std::min<std::uint64_t>(bytes, space.capacity / shares);
}

sdk::Result<std::unique_ptr<sdk::Engine>> open_embedded(const config::Settings& settings,
                                                        const std::filesystem::path& data) {
    auto cache = settings.bytes("storage.cache");
    auto rows = settings.bytes("storage.row_cache");
    auto write_buffer = settings.bytes("storage.write_buffer");
    auto reserve = settings.bytes("storage.reserve");
    if (!cache) return cache.error();
    if (!rows) return rows.error();
    if (!write_buffer) return write_buffer.error();
    if (!reserve) return reserve.error();
    storage::LevelDbOptions options;
    options.cache_bytes = static_cast<std::size_t>(*cache);
    options.row_cache_bytes = static_cast<std::size_t>(*rows);
    options.write_buffer_bytes =
        within_share(static_cast<std::uint64_t>(*write_buffer), data, kWriteBufferShare);
    options.recovery_bytes = 3 * options.write_buffer_bytes;
    options.urgent_bytes = 2 * options.write_buffer_bytes;
    options.reserve_bytes = usable_reserve(static_cast<std::uint64_t>(*reserve), data);
    return storage::open_leveldb(data / "store", options);
}

sdk::Result<std::unique_ptr<sdk::Engine>> open_folder(const config::Settings& settings,
                                                      const std::filesystem::path& data,
                                                      bool must_exist) {
    if (!must_exist || storage::has_leveldb(data / "store")) return open_embedded(settings, data);
    std::string text = fmt::format("there is no store in {}", data.string());
    if (has_binaries_of_a_store(data)) {
        text += fmt::format(
            ", but {} says that there was one; mount its disk, put the folder store back or "
            "restore "
            "a backup, or make a new store with stele init",
            (data / kBinariesOwner).string());
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "instance.store_missing", std::move(text));
}

}  // namespace

std::uint64_t usable_reserve(std::uint64_t reserve, const std::filesystem::path& data) {
    return within_share(reserve, data, kReserveShare);
}

storage::BlobFolderUse use_of_blobs(sdk::Engine& engine) {
    return engine.as_shared() ? storage::BlobFolderUse::by_hosts
                              : storage::BlobFolderUse::by_this_host;
}

sdk::Result<EngineSources> find_engines(config::Settings& settings, plugin::PluginHost& host,
                                        const std::vector<plugin::PluginFile>& plugins,
                                        EngineRegistrars& registrars, const IsNeeded& is_needed) {
    EngineSources known{{kEmbedded, nullptr}};
    for (const plugin::PluginFile& file : plugins) {
        if (file.engine.empty()) continue;
        if (!known.emplace(file.engine, nullptr).second) {
            return sdk::make_error(sdk::ErrorKind::conflict, "plugin.engine_duplicate",
                                   fmt::format("{}: the engine {} is offered already",
                                               file.file.string(), file.engine));
        }
        if (is_needed && !is_needed(file)) continue;
        auto& registrar =
            registrars.emplace_back(std::make_unique<resource::EngineRegistrar>(file.id, settings));
        if (auto opened = host.open(file, *registrar); !opened) return opened.error();
        const auto source = registrar->finish();
        if (!source) return source.error();
        known[file.engine] = *source;
    }
    return known;
}

sdk::Result<std::vector<std::string>> check_files(const InstanceOptions& options) {
    config::Settings settings;
    if (auto read = read_settings(settings, options); !read) return read.error();
    const std::filesystem::path folder = options.data / "store";
    if (settings.text("storage.engine") != kEmbedded || !std::filesystem::exists(folder))
        return std::vector<std::string>();
    return storage::check_leveldb(folder);
}

sdk::Result<std::unique_ptr<sdk::Engine>> open_engine(
    config::Settings& settings, const std::filesystem::path& data, bool must_exist,
    plugin::PluginHost& host, const std::vector<plugin::PluginFile>& plugins,
    EngineRegistrars& registrars, bool opens_all) {
    const std::string wanted = settings.text("storage.engine");
    // The libraries of an engine that is not wanted take longer than opening the store.
    const auto is_needed = [&](const plugin::PluginFile& file) {
        return opens_all || file.engine == wanted || settings.mentions(file.id);
    };
    auto known = find_engines(settings, host, plugins, registrars, is_needed);
    if (!known) return known.error();
    if (wanted == kEmbedded) return open_folder(settings, data, must_exist);
    if (const auto chosen = known->find(wanted); chosen != known->end())
        return chosen->second->open_engine();
    std::string names;
    for (const auto& [name, source] : *known)
        names += (names.empty() ? "" : ", ") + name;
    return sdk::make_error(sdk::ErrorKind::invalid, "config.engine_unknown",
                           fmt::format("storage.engine: no enabled plugin offers the engine '{}'; "
                                       "there are: {}",
                                       wanted, names));
}

bool is_address(std::string_view place) {
    return place.find("://") != std::string_view::npos;
}

sdk::Result<std::unique_ptr<sdk::Engine>> open_address(const config::Settings& settings,
                                                       const EngineSources& engines,
                                                       const std::string& address,
                                                       bool must_exist) {
    if (!is_address(address)) return open_folder(settings, address, must_exist);
    for (const auto& [name, source] : engines) {
        // The kernel's own engine has no source.
        auto* const addressed = source ? source->as_addressed() : nullptr;
        if (addressed && addressed->knows_address(address)) return addressed->open_address(address);
    }
    // What follows may hold a password.
    return sdk::make_error(sdk::ErrorKind::invalid, "config.engine_unknown",
                           fmt::format("no enabled plugin opens stores at {}://...",
                                       address.substr(0, address.find("://"))));
}

}  // namespace stele::kernel::instance
