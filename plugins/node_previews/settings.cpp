#include "settings.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/format.h>

namespace stele::node_previews {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeptFiles = 10'000;
/// A preview of the largest size as PNG, with room.
constexpr std::uint64_t kMaxPreviewBytes = std::uint64_t{64} * 1024 * 1024;

/// `lib/stele/stele_preview`, where this library is `lib/stele/plugins/node_previews.so`.
fs::path installed_program() {
    Dl_info library{};
    if (::dladdr(reinterpret_cast<const void*>(&installed_program), &library) == 0) return {};
    return fs::absolute(library.dli_fname).parent_path().parent_path() / "stele_preview";
}

fs::path own_folder() {
    // What systemd gives a service (CacheDirectory=).
    if (const char* given = ::getenv("CACHE_DIRECTORY")) return fs::path(given) / "previews";
    return fs::temp_directory_path() / fmt::format("stele-previews-{}", ::geteuid());
}

RenderLimits read_limits(sdk::Registrar& registrar) {
    RenderLimits limits;
    limits.pixels = static_cast<std::uint64_t>(registrar.number(
        {"pixels", "40000000", "Most pixels of a picture, width times height"}, 1));
    limits.seconds = static_cast<std::uint64_t>(
        registrar.number({"seconds", "10", "Time to make a preview"}, 1));
    limits.memory_bytes = static_cast<std::uint64_t>(
        registrar.bytes({"memory_bytes", "1073741824",
                         "Addresses that making a preview may use, libraries "
                         "included"},
                        1));
    limits.output_bytes = kMaxPreviewBytes;
    return limits;
}

}  // namespace

sdk::Result<PreviewSettings> read_settings(sdk::Registrar& registrar) {
    PreviewSettings settings;
    settings.folder =
        registrar.setting({"folder", "",
                           "Folder of kept previews; empty: previews in the service's cache "
                           "folder, or stele-previews-<user> among temporary files"});
    if (settings.folder.empty()) settings.folder = own_folder();
    settings.program = registrar.setting(
        {"program", "",
         "The program that makes previews; empty: the one that was installed with "
         "the plugin"});
    if (settings.program.empty()) settings.program = installed_program().string();
    settings.cache.files = kKeptFiles;
    settings.cache.bytes = static_cast<std::uint64_t>(
        registrar.bytes({"cache_bytes", "268435456",
                         "Bytes of kept previews; what was not asked for longest goes "
                         "first"},
                        1));
    settings.concurrent = static_cast<std::size_t>(registrar.number(
        {"concurrent", "2", "Previews that are made at the same time, each by a process"}, 1));
    settings.waiting = static_cast<std::size_t>(
        registrar.number({"waiting", "8",
                          "Callers that wait besides; with node_previews.concurrent fewer than "
                          "workers.threads; more wait without a thread"},
                         1));
    settings.source_bytes = static_cast<std::uint64_t>(registrar.bytes(
        {"source_bytes", "67108864", "Largest attachment that previews are made of"}, 1));
    settings.limits = read_limits(registrar);
    if (::access(settings.program.c_str(), X_OK) == 0) return settings;
    return sdk::make_error(sdk::ErrorKind::unavailable, "node_previews.program_missing",
                           fmt::format("{} cannot be run", settings.program));
}

}  // namespace stele::node_previews
