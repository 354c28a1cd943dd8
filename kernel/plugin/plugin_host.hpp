#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <stele/sdk/plugin.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::plugin {

/// A judged plugin file. Nothing of it has run yet.
struct PluginFile {
    std::filesystem::path file;
    std::string id;
    std::string version;
    std::string status;
    std::vector<std::string> requirements;
    std::string engine = {};  ///< name of the engine that it offers; empty for none
};

/// Reads the manifest out of a library file without opening it as code, and judges it: magic, SDK
/// version, fingerprint, id against file name, texts. Fails with `invalid` and a sentence that
/// names file, found and wanted (codes `plugin.manifest_missing`, `plugin.sdk_mismatch`,
/// `plugin.build_mismatch`, `plugin.id_mismatch`, `plugin.manifest_malformed`,
/// `plugin.file_unreadable`).
sdk::Result<PluginFile> judge(const std::filesystem::path& file);

/// What `scan` found: the plugins that may be opened, and a sentence for each that may not.
struct ScanResult {
    std::vector<PluginFile> plugins;  ///< sorted by id
    std::vector<sdk::Error> refused;
    /// The files (or folders) of `refused`, in the same order.
    std::vector<std::filesystem::path> refused_files;
};
/// Looks at every `.so` of the folders; runs no code of them. A folder that cannot be read is among
/// `refused` (`plugin.folder_unreadable`).
ScanResult scan(const std::vector<std::filesystem::path>& folders);

/// The enabled plugins in an order in which everything that one requires comes before it; an empty
/// `enabled` means all found. Fails with `plugin.requirement_missing`, `plugin.requirement_cycle`,
/// `plugin.id_duplicate` or `plugin.unknown`.
sdk::Result<std::vector<PluginFile>> order(const std::vector<PluginFile>& found,
                                           const std::vector<std::string>& enabled);
/// The same after a scan; an enabled plugin whose file was refused fails with that refusal.
sdk::Result<std::vector<PluginFile>> order(const ScanResult& scanned,
                                           const std::vector<std::string>& enabled);

/// Opens plugins one after another and keeps them open until the process ends.
class PluginHost {
public:
    PluginHost();
    ~PluginHost();

    /// Opens the library (immediate, local binding) and calls the plugin's `open`. Fails with
    /// `plugin.open_failed` and the loader's reason, with `plugin.open_threw` when an exception
    /// escaped, or with the plugin's own error. The library stays open until the process ends.
    sdk::Result<void> open(const PluginFile& plugin, sdk::Registrar& registrar);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Wraps every call into a plugin: an escaped exception becomes `internal` (`plugin.threw`), is
/// logged with plugin id and operation, and is counted.
sdk::Error escaped(const std::string& plugin_id, std::string_view operation);
std::uint64_t escaped_count();

template <class T>
sdk::Result<T> guarded(const std::string& plugin_id, std::string_view operation,
                       const std::function<sdk::Result<T>()>& call) {
    try {
        return call();
    } catch (...) {
        return escaped(plugin_id, operation);
    }
}

}  // namespace stele::kernel::plugin
