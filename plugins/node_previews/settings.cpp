#include "settings.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <charconv>

#include <fmt/format.h>

namespace stele::node_previews {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeptFiles = 10'000;
/// A preview of the largest size as PNG, with room.
constexpr std::uint64_t kLargestPreview = std::uint64_t{64} * 1024 * 1024;

/// Reads numbers one after another and keeps the first failure.
class Numbers {
public:
    explicit Numbers(sdk::Registrar& registrar) : registrar_(registrar) {}

    std::uint64_t read(sdk::Setting setting) {
        const std::string name = setting.name;
        const std::string text = registrar_.setting(std::move(setting));
        std::uint64_t number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem == std::errc() && end == text.data() + text.size() && number > 0) return number;
        if (failure_) {
            failure_ = sdk::make_error(
                sdk::ErrorKind::invalid, "preview.setting_malformed",
                fmt::format("setting node_previews.{} must be a number above 0, not '{}'", name,
                            text));
        }
        return 0;
    }
    const sdk::Result<void>& failure() const { return failure_; }

private:
    sdk::Registrar& registrar_;
    sdk::Result<void> failure_;
};

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
    Numbers numbers(registrar);
    settings.cache.files = kKeptFiles;
    settings.cache.bytes =
        numbers.read({"cache_bytes", "268435456",
                      "Bytes of kept previews; what was not asked for longest goes "
                      "first"});
    settings.concurrent = numbers.read(
        {"concurrent", "2", "Previews that are made at the same time, each by a process"});
    settings.waiting =
        numbers.read({"waiting", "8",
                      "Callers that wait besides; with node_previews.concurrent fewer than "
                      "workers.threads; more wait without a thread"});
    settings.source_bytes =
        numbers.read({"source_bytes", "67108864", "Largest attachment that previews are made of"});
    settings.limits.pixels =
        numbers.read({"pixels", "40000000", "Most pixels of a picture, width times height"});
    settings.limits.seconds = numbers.read({"seconds", "10", "Time to make a preview"});
    settings.limits.memory_bytes =
        numbers.read({"memory_bytes", "1073741824",
                      "Addresses that making a preview may use, libraries "
                      "included"});
    settings.limits.output_bytes = kLargestPreview;
    if (!numbers.failure()) return numbers.failure().error();
    if (::access(settings.program.c_str(), X_OK) == 0) return settings;
    return sdk::make_error(sdk::ErrorKind::unavailable, "preview.program_missing",
                           fmt::format("{} cannot be run", settings.program));
}

}  // namespace stele::node_previews
