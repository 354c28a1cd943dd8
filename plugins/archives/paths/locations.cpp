#include "paths/locations.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxExtension = 16;

bool is_plain(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

}  // namespace

std::string platform_location(std::string_view platform) {
    return "platforms/" + path_segment(platform);
}

std::string record_location(std::string_view container, const sdk::FamilyInfo& family,
                            const sdk::Json& fields, std::string_view id) {
    std::string location(container);
    location += '/';
    std::string_view path = family.path;
    while (!path.empty()) {
        const std::size_t open = path.find('{');
        location += path.substr(0, open);
        if (open == std::string_view::npos) break;
        const std::size_t close = path.find('}', open);
        location += path_segment(sdk::text_member(fields, path.substr(open + 1, close - open - 1)));
        path.remove_prefix(close + 1);
    }
    return location + '/' + path_segment(id);
}

std::vector<std::string> placeholder_values(const sdk::FamilyInfo& family,
                                            const sdk::Json& fields) {
    std::vector<std::string> values;
    for (const std::string& member : family.part_members)
        values.push_back(sdk::text_member(fields, member));
    return values;
}

std::string changeset_location(std::string_view repository, std::string_view changeset) {
    std::string name(changeset);
    std::replace(name.begin(), name.end(), ':', '_');
    return std::string(repository) + "/changesets/" + path_segment(name);
}

std::string changeset_of_location(std::string_view folder) {
    std::string id = id_of_segment(folder.substr(folder.rfind('/') + 1));
    const std::size_t place = id.find('_');
    if (place != std::string::npos) id[place] = ':';
    return id;
}

std::string path_segment(std::string_view id) {
    std::string segment = sdk::percent_encoded(id);
    // Names that mean a folder itself, or the one around it.
    if (!segment.empty() &&
        std::all_of(segment.begin(), segment.end(), [](char byte) { return byte == '.'; }))
        segment.replace(0, 1, "%2E");
    return segment;
}

std::string id_of_segment(std::string_view segment) {
    std::string id;
    if (!sdk::percent_decode(segment, id)) return std::string(segment);
    return id;
}

std::string attachment_file_name(std::string_view id, std::string_view file_name) {
    std::string name = path_segment(id);
    const std::size_t dot = file_name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return name;
    const std::string_view extension = file_name.substr(dot + 1);
    const bool is_fine = !extension.empty() && extension.size() <= kMaxExtension &&
                         std::all_of(extension.begin(), extension.end(), is_plain);
    return is_fine ? name + '.' + std::string(extension) : name;
}

std::string ReferenceParts::text() const {
    std::string text = word + "://";
    for (std::size_t i = 0; i < ids.size(); ++i)
        text += (i > 0 ? "/" : "") + ids[i];
    return text;
}

ReferenceParts reference_parts(std::string_view reference) {
    ReferenceParts parts;
    const std::size_t separator = reference.find("://");
    if (separator == std::string_view::npos) return parts;
    parts.word = reference.substr(0, separator);
    std::string_view rest = reference.substr(separator + 3);
    while (!rest.empty()) {
        const std::size_t slash = rest.find('/');
        parts.ids.emplace_back(rest.substr(0, slash));
        rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    return parts;
}

}  // namespace stele::archives
