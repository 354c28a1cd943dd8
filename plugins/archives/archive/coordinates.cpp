#include "coordinates.hpp"

#include <algorithm>

#include <stele/sdk/text.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxCoordinateBytes = 255;
constexpr std::string_view kExtension = ".zip";

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The last segment of a name as somebody sent it, without the extension.
std::string_view stem_of(std::string_view file_name) {
    if (const auto slash = file_name.find_last_of("/\\"); slash != std::string_view::npos)
        file_name.remove_prefix(slash + 1);
    if (file_name.size() < kExtension.size()) return file_name;
    const std::string_view end = file_name.substr(file_name.size() - kExtension.size());
    const bool has_extension = std::equal(end.begin(), end.end(), kExtension.begin(),
                                          [](char c, char wanted) { return lower(c) == wanted; });
    return has_extension ? file_name.substr(0, file_name.size() - kExtension.size()) : file_name;
}

/// What stands between the group and the version; empty where the name is not theirs.
std::string artifact_between(std::string_view stem, const Coordinates& known) {
    if (known.group.empty() || known.version.empty()) return {};
    const std::string front = known.group + '-';
    const std::string back = '-' + known.version;
    if (stem.size() <= front.size() + back.size()) return {};
    if (!stem.starts_with(front) || !stem.ends_with(back)) return {};
    return std::string(stem.substr(front.size(), stem.size() - front.size() - back.size()));
}

void fill(std::string& open, const std::string& known) {
    if (open.empty()) open = known;
}

bool has_path_or_control_characters(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

}  // namespace

std::string archive_file_name(const Coordinates& coordinates) {
    return coordinates.group + '-' + coordinates.artifact + '-' + coordinates.version +
           std::string(kExtension);
}

std::optional<Coordinates> coordinates_of_file(std::string_view file_name) {
    const std::string_view stem = stem_of(file_name);
    const std::size_t group_end = stem.find('-');
    if (group_end == std::string_view::npos) return std::nullopt;
    std::size_t version_begin = stem.rfind('-');
    for (std::size_t at = version_begin; at > group_end; at = stem.rfind('-', at - 1)) {
        if (at + 1 >= stem.size() || !sdk::is_digit(stem[at + 1])) continue;
        version_begin = at;
        break;
    }
    if (version_begin <= group_end) return std::nullopt;
    Coordinates found{std::string(stem.substr(0, group_end)),
                      std::string(stem.substr(group_end + 1, version_begin - group_end - 1)),
                      std::string(stem.substr(version_begin + 1))};
    if (!found.is_complete()) return std::nullopt;
    return found;
}

Coordinates complete_coordinates(const Coordinates& given, const Coordinates& manifest,
                                 std::string_view file_name) {
    Coordinates found = given;
    fill(found.group, manifest.group);
    fill(found.version, manifest.version);
    fill(found.artifact, artifact_between(stem_of(file_name), found));
    fill(found.artifact, manifest.artifact);
    if (found.is_complete()) return found;
    const auto named = coordinates_of_file(file_name);
    if (!named) return found;
    fill(found.group, named->group);
    fill(found.artifact, named->artifact);
    fill(found.version, named->version);
    return found;
}

void check_coordinates(const Coordinates& coordinates, sdk::Violations& violations) {
    const auto check = [&violations](const char* name, const std::string& value) {
        if (value.empty()) {
            violations.push_back({name, "archives.coordinate_missing",
                                  std::string(name) + " is missing: neither the call nor the "
                                                      "manifest nor the name of the file says it"});
            return;
        }
        if (value.size() <= kMaxCoordinateBytes && sdk::is_utf8(value) &&
            !has_path_or_control_characters(value))
            return;
        violations.push_back({name, "archives.coordinate_malformed",
                              std::string(name) + " must have at most 255 bytes and neither "
                                                  "slashes nor control characters"});
    };
    check("group", coordinates.group);
    check("artifact", coordinates.artifact);
    check("version", coordinates.version);
}

}  // namespace stele::archives
