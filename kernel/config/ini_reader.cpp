#include "kernel/config/ini_reader.hpp"

#include <map>
#include <optional>
#include <utility>

#include <stele/sdk/text.hpp>

namespace stele::kernel::config {

namespace {

bool is_name(std::string_view text) {
    return !text.empty() && text.find_first_not_of(
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.-") == std::string_view::npos;
}

bool is_quoted(std::string_view text) {
    return text.size() >= 2 && text.front() == '"' && text.back() == '"';
}

class IniText {
public:
    explicit IniText(std::string_view file) : file_(file) {}

    sdk::Result<void> read_line(std::string_view line) {
        ++line_;
        while (line.ends_with('\r'))
            line.remove_suffix(1);
        line = sdk::trimmed(line);
        if (line.empty() || line.front() == '#' || line.front() == ';') return {};
        return line.front() == '[' ? read_section(line) : read_entry(line);
    }

    std::vector<IniEntry> take_entries() { return std::move(entries_); }

private:
    sdk::Result<void> read_section(std::string_view line) {
        if (line.back() != ']') return malformed("the section's bracket is not closed");
        const std::string_view name = sdk::trimmed(line.substr(1, line.size() - 2));
        if (!name.empty() && !is_name(name)) {
            return malformed("'" + std::string(name) + "' is no name of a section");
        }
        prefix_ = name.empty() ? std::string() : std::string(name) + ".";
        return {};
    }

    sdk::Result<void> read_entry(std::string_view line) {
        const auto equals = line.find('=');
        if (equals == std::string_view::npos) {
            return malformed("expected 'key = value', found '" + std::string(line) + "'");
        }
        const std::string_view key = sdk::trimmed(line.substr(0, equals));
        if (!is_name(key)) return malformed("'" + std::string(key) + "' is no key");
        std::string_view value = sdk::trimmed(line.substr(equals + 1));
        if (is_quoted(value)) value = value.substr(1, value.size() - 2);

        std::string full_key = prefix_ + std::string(key);
        const auto [earlier, is_new] = lines_.emplace(full_key, line_);
        if (!is_new) {
            return failure("config.key_repeated", "'" + full_key + "' was given in line " +
                                                      std::to_string(earlier->second) + " already");
        }
        entries_.push_back({std::move(full_key), std::string(value), line_});
        return {};
    }

    sdk::Error malformed(const std::string& problem) const {
        return failure("config.line_malformed", problem);
    }

    sdk::Error failure(const char* code, const std::string& problem) const {
        return sdk::make_error(sdk::ErrorKind::invalid, code,
                               file_ + ":" + std::to_string(line_) + ": " + problem + ".");
    }

    std::string file_;
    int line_ = 0;
    std::string prefix_;
    std::vector<IniEntry> entries_;
    std::map<std::string, int> lines_;
};

}  // namespace

sdk::Result<std::vector<IniEntry>> read_ini(std::string_view text, std::string_view file) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    IniText ini(file);
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (auto read = ini.read_line(text.substr(0, end)); !read) return read.error();
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return ini.take_entries();
}

}  // namespace stele::kernel::config
