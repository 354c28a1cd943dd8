#include "kernel/instance/store_copy.hpp"

#include <fmt/format.h>

#include <stele/sdk/engine_binaries.hpp>

#include "kernel/instance/instance_state.hpp"
#include "kernel/resource/record/platforms.hpp"
#include "kernel/storage/blob/blob_directory.hpp"
#include "kernel/storage/blob/fallback_blobs.hpp"

namespace stele::kernel::instance {

namespace {

/// Tells sources apart: the id of the root platform. A store that was not filled to its end has
/// none.
sdk::Result<std::string> id_of_store(sdk::Engine& engine) {
    const auto reader = engine.snapshot();
    if (auto whole = backup::check_restored(*reader); !whole) return whole.error();
    if (auto whole = backup::check_copied(*reader); !whole) return whole.error();
    storage::NameTable names(engine);
    storage::DocumentStore documents(engine, names);
    auto root = resource::Platforms(engine, documents).root();
    if (root) return root->id;
    if (!sdk::is_missing(root.error())) return root.error();
    return sdk::make_error(sdk::ErrorKind::not_found, "copy.source_empty",
                           "there is no store to be copied");
}

/// The secrets in a store are of no use without the keys that they are sealed with.
sdk::Result<void> copy_secret_keys(const config::Settings& settings,
                                   const std::filesystem::path& from,
                                   const std::filesystem::path& to) {
    if (!settings.text("secrets.key").empty()) return {};
    auto keys = read_secret_keys(settings, from);
    if (!keys) return keys.error();
    if (!std::filesystem::exists(to / kSecretKeyFile)) return write_secret_keys(to, keys->keys);
    auto present = read_secret_keys(settings, to);
    if (!present) return present.error();
    if (secret_keys_text(present->keys) == secret_keys_text(keys->keys)) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "copy.keys_differ",
                           fmt::format("{} holds other keys than the source; put it away first",
                                       (to / kSecretKeyFile).string()));
}

/// All that belongs to a store: what the engine keeps, and the folder with the rest.
struct CopiedBinaries {
    std::unique_ptr<sdk::BlobStore> files;
    std::unique_ptr<sdk::BlobStore> own;
    std::unique_ptr<sdk::BlobStore> both;

    sdk::BlobStore& all() const { return both ? *both : *files; }
};

sdk::Result<CopiedBinaries> open_copied_binaries(sdk::Engine& engine,
                                                 const config::Settings& settings,
                                                 const std::filesystem::path& data) {
    auto reserve = settings.bytes("storage.reserve");
    if (!reserve) return reserve.error();
    auto files = storage::open_blob_directory(
        data / "blobs", usable_reserve(static_cast<std::uint64_t>(*reserve), data),
        use_of_blobs(engine));
    if (!files) return files.error();
    CopiedBinaries binaries;
    binaries.files = std::move(*files);
    if (auto* const keeping = engine.binaries()) {
        binaries.own = keeping->open_binaries();
        binaries.both = std::make_unique<storage::FallbackBlobs>(*binaries.own, *binaries.files);
    }
    return binaries;
}

/// Every server makes the folder when it opens its store, so where it lacks, the folder is wrong.
sdk::Result<void> check_blobs(const std::filesystem::path& data) {
    std::error_code problem;
    if (std::filesystem::is_directory(data / "blobs", problem)) return {};
    return sdk::make_error(
        sdk::ErrorKind::not_found, "copy.blobs_missing",
        fmt::format("there are no blobs of a store in {}", (data / "blobs").string()));
}

sdk::Result<void> make_folder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (!problem) return {};
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "instance.data_unusable",
        fmt::format("the data folder {} cannot be made: {}", folder.string(), problem.message()));
}

}  // namespace

sdk::Result<backup::CopySummary> copy_store(const InstanceOptions& options, const StorePlace& from,
                                            const StorePlace& to,
                                            const backup::CopyProgress& progress) {
    config::Settings settings;
    if (auto read = read_settings(settings, options); !read) return read.error();
    auto plugins = find_plugins(options);
    if (!plugins) return plugins.error();
    plugin::PluginHost host;
    EngineRegistrars registrars;
    auto engines = find_engines(settings, host, plugins->enabled, registrars);
    if (!engines) return engines.error();

    auto source = open_address(settings, *engines, from.store, true);
    if (!source) return source.error();
    auto id = id_of_store(**source);
    if (!id) return id.error();
    if (auto there = check_blobs(from.data); !there) return there.error();
    if (auto made = make_folder(to.data); !made) return made.error();
    auto target = open_address(settings, *engines, to.store, false);
    if (!target) return target.error();
    auto source_blobs = open_copied_binaries(**source, settings, from.data);
    if (!source_blobs) return source_blobs.error();
    auto target_blobs = open_copied_binaries(**target, settings, to.data);
    if (!target_blobs) return target_blobs.error();
    const backup::CopyOptions copying{
        *id, [&] { return copy_secret_keys(settings, from.data, to.data); }, progress};
    return backup::copy_store({**source, source_blobs->all()}, {**target, target_blobs->all()},
                              copying);
}

}  // namespace stele::kernel::instance
