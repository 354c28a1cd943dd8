#include "kernel/config/settings.hpp"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <iterator>
#include <optional>

#include <unistd.h>

#include <stele/sdk/text.hpp>

#include "kernel/config/ini_reader.hpp"
#include "kernel/config/kernel_settings.hpp"
#include "kernel/config/nearest_name.hpp"
#include "kernel/config/quantity.hpp"

namespace stele::kernel::config {

namespace {

constexpr std::string_view kVariablePrefix = "STELE_";

std::optional<std::int64_t> parse_number(std::string_view text, SettingKind kind) {
    switch (kind) {
        case SettingKind::bytes:
            return parse_bytes(text);
        case SettingKind::milliseconds:
            return parse_milliseconds(text);
        default:
            return parse_integer(text);
    }
}

const char* expectation(SettingKind kind) {
    switch (kind) {
        case SettingKind::integer:
            return "a whole number";
        case SettingKind::boolean:
            return "true or false";
        case SettingKind::bytes:
            return "a size such as 512KiB, 16MiB or 2GiB";
        case SettingKind::milliseconds:
            return "a time such as 250ms, 5s, 10min or 2h";
        case SettingKind::text:
            return "a text";
    }
    return "";
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : ", ") + text;
    return all;
}

sdk::Error value_invalid(const std::string& origin, std::string_view key, std::string_view value,
                         const std::string& expected) {
    return sdk::make_error(sdk::ErrorKind::invalid, "config.value_invalid",
                           origin + ": '" + std::string(key) + "' is '" + std::string(value) +
                               "', expected " + expected + ".");
}

}  // namespace

std::string variable_name(std::string_view key) {
    std::string name(kVariablePrefix);
    for (char c : key) {
        const bool is_lower = c >= 'a' && c <= 'z';
        name += c == '.' || c == '-' ? '_' : is_lower ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return name;
}

Settings::Settings() {
    for (SettingInfo& info : kernel_settings())
        declare(std::move(info));
}

void Settings::declare(SettingInfo info) {
    std::string key = info.key;
    declared_.insert_or_assign(std::move(key), std::move(info));
}

sdk::Result<void> Settings::read_file(const std::filesystem::path& file) {
    if (file.empty()) return {};
    std::error_code problem;
    const bool is_file = std::filesystem::is_regular_file(file, problem);
    std::ifstream stream;
    if (is_file) stream.open(file, std::ios::binary);
    if (!is_file || !stream) {
        return sdk::make_error(sdk::ErrorKind::not_found, "config.file_unreadable",
                               "The configuration file " + file.string() + " cannot be read.");
    }
    return read_text({std::istreambuf_iterator<char>(stream), {}}, file.string());
}

sdk::Result<void> Settings::read_text(const std::string& text, const std::string& file_name) {
    auto entries = read_ini(text, file_name);
    if (!entries) return entries.error();
    for (IniEntry& entry : *entries) {
        file_values_.insert_or_assign(
            std::move(entry.key),
            Value{std::move(entry.value), file_name + ":" + std::to_string(entry.line)});
    }
    return {};
}

void Settings::read_environment() {
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view entry(*variable);
        const auto equals = entry.find('=');
        if (!entry.starts_with(kVariablePrefix) || equals == std::string_view::npos) continue;
        variables_.insert_or_assign(std::string(entry.substr(0, equals)),
                                    std::string(entry.substr(equals + 1)));
    }
}

void Settings::set(std::string_view key, std::string_view value) {
    set_values_.insert_or_assign(std::string(key), Value{std::string(value), "command line"});
}

sdk::Result<void> Settings::check_unknown(const std::vector<std::string>& other_sections) const {
    for (const Values* values : {&file_values_, &set_values_}) {
        for (const auto& [key, value] : *values) {
            if (declared_.contains(key)) continue;
            std::vector<std::string> known;
            for (const auto& [name, info] : declared_)
                known.push_back(name);
            return sdk::make_error(sdk::ErrorKind::invalid, "config.key_unknown",
                                   value.origin + ": '" + key + "' is no setting; did you mean '" +
                                       nearest_name(key, known) + "'?");
        }
    }
    return check_variables(other_sections);
}

bool Settings::mentions(std::string_view section) const {
    const std::string beginning = std::string(section) + ".";
    const auto is_in = [](const auto& values, const std::string& prefix) {
        const auto found = values.lower_bound(prefix);
        return found != values.end() && found->first.starts_with(prefix);
    };
    return is_in(file_values_, beginning) || is_in(set_values_, beginning) ||
           is_in(variables_, variable_name(beginning));
}

sdk::Result<void> Settings::check_variables(const std::vector<std::string>& other_sections) const {
    std::vector<std::string> known;
    std::vector<std::string> sections;
    for (const auto& [key, info] : declared_) {
        known.push_back(variable_name(key));
        sections.push_back(variable_name(key.substr(0, key.find('.') + 1)));
    }
    for (const std::string& name : unknown_variables()) {
        const bool is_of_others = std::any_of(
            other_sections.begin(), other_sections.end(), [&](const std::string& section) {
                return name.starts_with(variable_name(section + "."));
            });
        const bool is_meant =
            std::any_of(sections.begin(), sections.end(),
                        [&](const std::string& section) { return name.starts_with(section); });
        if (is_of_others || !is_meant) continue;
        return sdk::make_error(sdk::ErrorKind::invalid, "config.key_unknown",
                               "the environment variable " + name +
                                   " is no setting; did you mean " + nearest_name(name, known) +
                                   "?");
    }
    return {};
}

sdk::Result<void> Settings::check_values() const {
    for (const auto& [key, info] : declared_) {
        if (auto checked = check_value(info); !checked) return checked;
    }
    return {};
}

std::vector<std::string> Settings::unknown_variables() const {
    std::vector<std::string> unknown;
    for (const auto& [name, value] : variables_) {
        const bool is_known = std::any_of(declared_.begin(), declared_.end(),
                                          [&, &name = name](const auto& declared) {
                                              return variable_name(declared.first) == name;
                                          });
        if (!is_known) unknown.push_back(name);
    }
    return unknown;
}

std::string Settings::text(std::string_view key) const {
    return value(key).text;
}

sdk::Result<std::string> Settings::checked_text(std::string_view key) const {
    const auto declared = declared_.find(key);
    assert(declared != declared_.end());
    const SettingInfo& info = declared->second;
    if (auto checked = check_value(info); !checked) return checked.error();
    if (info.kind == SettingKind::text || info.kind == SettingKind::boolean) return text(key);
    auto parsed = number(key, info.kind);
    if (!parsed) return parsed.error();
    return std::to_string(*parsed);
}

std::vector<std::string> Settings::list(std::string_view key) const {
    std::vector<std::string> items;
    const std::string all = text(key);
    for (std::string_view rest = all; !rest.empty();) {
        const std::string_view item = sdk::trimmed(sdk::take_until(rest, ','));
        if (!item.empty()) items.emplace_back(item);
    }
    return items;
}

sdk::Result<std::int64_t> Settings::integer(std::string_view key) const {
    return number(key, SettingKind::integer);
}

sdk::Result<bool> Settings::boolean(std::string_view key) const {
    const Value found = value(key);
    if (found.text == "true") return true;
    if (found.text == "false") return false;
    return value_invalid(found.origin, key, found.text, expectation(SettingKind::boolean));
}

sdk::Result<std::int64_t> Settings::bytes(std::string_view key) const {
    return number(key, SettingKind::bytes);
}

sdk::Result<std::int64_t> Settings::milliseconds(std::string_view key) const {
    return number(key, SettingKind::milliseconds);
}

Settings::Value Settings::value(std::string_view key) const {
    const auto declared = declared_.find(key);
    assert(declared != declared_.end());
    if (const auto set = set_values_.find(key); set != set_values_.end()) return set->second;
    const std::string name = variable_name(key);
    if (const auto variable = variables_.find(name); variable != variables_.end()) {
        return {variable->second, "environment variable " + name};
    }
    if (const auto in_file = file_values_.find(key); in_file != file_values_.end()) {
        return in_file->second;
    }
    return {declared->second.default_value, "default"};
}

sdk::Result<void> Settings::check_value(const SettingInfo& info) const {
    if (info.kind == SettingKind::text) {
        const Value found = value(info.key);
        const auto& allowed = info.one_of;
        const bool is_allowed = allowed.empty() || std::find(allowed.begin(), allowed.end(),
                                                             found.text) != allowed.end();
        if (is_allowed) return {};
        return value_invalid(found.origin, info.key, found.text, "one of " + joined(allowed));
    }
    if (info.kind == SettingKind::boolean) {
        const auto checked = boolean(info.key);
        if (!checked) return checked.error();
        return {};
    }
    const auto checked = number(info.key, info.kind);
    if (!checked) return checked.error();
    return {};
}

sdk::Result<std::int64_t> Settings::number(std::string_view key, SettingKind kind) const {
    const Value found = value(key);
    const SettingInfo& info = declared_.find(key)->second;
    const auto parsed = parse_number(found.text, kind);
    if (!parsed) return value_invalid(found.origin, key, found.text, expectation(kind));
    // Bounds belong to the declared kind; a key that is declared as text has none.
    if (info.kind != kind || (*parsed >= info.minimum && *parsed <= info.maximum)) return *parsed;
    return value_invalid(found.origin, key, found.text,
                         *parsed < info.minimum ? "at least " + std::to_string(info.minimum)
                                                : "at most " + std::to_string(info.maximum));
}

}  // namespace stele::kernel::config
