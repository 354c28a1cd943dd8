#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::config {

enum class SettingKind { text, integer, boolean, bytes, milliseconds };

/// One documented key.
struct SettingInfo {
    std::string key;  ///< `pagination.sort_numbers`
    std::string default_value;
    std::string description;
    SettingKind kind = SettingKind::text;
    /// Bounds of numbers, in bytes and milliseconds for these kinds.
    std::int64_t minimum = 0;
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> one_of = {};  ///< allowed texts; empty: any
};

/// The server's configuration: defaults, then one INI-like file (`key = value`, sections allowed),
/// then environment variables (`STELE_PAGINATION_SORT_NUMBERS`), then what was `set`. Keys are
/// declared before the values are used; an unknown key in the file stops start-up and names the
/// nearest known one.
class Settings {
public:
    /// With the kernel's own keys declared.
    Settings();

    void declare(SettingInfo info);
    /// Reads the file; an empty path reads none. Values of keys that plugins declare later are kept
    /// until `check_unknown`.
    sdk::Result<void> read_file(const std::filesystem::path& file);
    /// The same for what a file of that name holds.
    sdk::Result<void> read_text(const std::string& text, const std::string& file_name);
    void read_environment();
    void set(std::string_view key, std::string_view value);
    /// `invalid` (`config.key_unknown`) for the first key that nobody declared, and for the first
    /// environment variable that begins like the keys of a declared section and names none.
    /// `other_sections` are those of plugins that are not enabled: their variables are no mistake.
    sdk::Result<void> check_unknown(const std::vector<std::string>& other_sections = {}) const;
    /// `invalid` (`config.value_invalid`) for the first value that does not fit its declaration.
    sdk::Result<void> check_values() const;
    /// Whether the file, the environment or who starts the server says anything of a section.
    bool mentions(std::string_view section) const;
    /// Environment variables that look like settings and are none: worth a warning.
    std::vector<std::string> unknown_variables() const;

    /// The key must be declared.
    std::string text(std::string_view key) const;
    /// The value as it was declared, numbers of all kinds as digits; `invalid`
    /// (`config.value_invalid`) when it does not fit.
    sdk::Result<std::string> checked_text(std::string_view key) const;
    /// A text of several values, separated by commas.
    std::vector<std::string> list(std::string_view key) const;
    sdk::Result<std::int64_t> integer(std::string_view key) const;
    sdk::Result<bool> boolean(std::string_view key) const;
    sdk::Result<std::int64_t> bytes(std::string_view key) const;         ///< `16MiB`
    sdk::Result<std::int64_t> milliseconds(std::string_view key) const;  ///< `5s`, `250ms`

    const std::map<std::string, SettingInfo, std::less<>>& declared() const { return declared_; }

private:
    /// A value and where it came from, for messages.
    struct Value {
        std::string text;
        std::string origin;
    };
    using Values = std::map<std::string, Value, std::less<>>;

    Value value(std::string_view key) const;
    sdk::Result<void> check_value(const SettingInfo& info) const;
    sdk::Result<void> check_variables(const std::vector<std::string>& other_sections) const;
    sdk::Result<std::int64_t> number(std::string_view key, SettingKind kind) const;

    std::map<std::string, SettingInfo, std::less<>> declared_;
    Values file_values_;
    Values set_values_;
    std::map<std::string, std::string, std::less<>> variables_;  ///< of the environment, by name
};

/// The environment variable of a key: `STELE_PAGINATION_SORT_NUMBERS`.
std::string variable_name(std::string_view key);

}  // namespace stele::kernel::config
