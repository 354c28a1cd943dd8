#include "transferred_families.hpp"

#include <algorithm>

#include "answers.hpp"

namespace stele::conformance {

namespace {

constexpr std::string_view kExport = "/export";
constexpr char kByReference[] = "/transfer/export";

std::vector<std::string> segments_of(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        segments.emplace_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return segments;
}

bool is_placeholder(const std::string& segment) {
    return segment.starts_with('{');
}

bool fits(const std::string& with_placeholders, const std::string& path) {
    const auto wanted = segments_of(with_placeholders);
    const auto found = segments_of(path);
    return std::equal(wanted.begin(), wanted.end(), found.begin(), found.end(),
                      [](const std::string& one, const std::string& other) {
                          return is_placeholder(one) || one == other;
                      });
}

/// The first record along these segments, from `path` on.
std::string walk(const HttpClient& admin, const std::string& path,
                 const std::vector<std::string>& segments, std::size_t next) {
    std::string collection = path;
    while (next < segments.size() && !is_placeholder(segments[next]))
        collection += "/" + segments[next++];
    for (const sdk::Json& row : rows_of(admin.ask("GET", collection + "?limit=100"))) {
        const std::string id = text_of(row, "_doc");
        if (id.empty()) continue;
        const std::string record = collection + "/" + id;
        if (next + 1 == segments.size()) return record;
        if (std::string found = walk(admin, record, segments, next + 1); !found.empty())
            return found;
    }
    return {};
}

}  // namespace

TransferredFamilies::TransferredFamilies(const HttpClient& admin) {
    const sdk::Json paths = member_of(admin.ask("GET", "/openapi.json").json, "paths");
    if (!paths.is_object()) return;
    is_offered_ = paths.contains(kByReference);
    for (const auto& [path, operations] : paths.items()) {
        if (!path.ends_with("}" + std::string(kExport))) continue;
        const std::string record = path.substr(0, path.size() - kExport.size());
        TransferredFamily family;
        family.plugin = text_of(member_of(operations, "post"), "x-stele-plugin");
        family.collection = record.substr(0, record.rfind('/'));
        const std::size_t last = family.collection.rfind('}');
        if (last != std::string::npos) family.container = family.collection.substr(0, last + 1);
        families_.push_back(std::move(family));
    }
}

const TransferredFamily* TransferredFamilies::find(const std::string& collection) const {
    const auto found = std::find_if(
        families_.begin(), families_.end(),
        [&](const TransferredFamily& family) { return fits(family.collection, collection); });
    return found != families_.end() ? &*found : nullptr;
}

std::string TransferredFamilies::container_of(const TransferredFamily& family,
                                              const std::string& collection) {
    std::string container;
    const auto segments = segments_of(collection);
    for (std::size_t i = 0; i < segments_of(family.container).size(); ++i)
        container += "/" + segments[i];
    return container;
}

std::string TransferredFamilies::some_record(const HttpClient& admin,
                                             const TransferredFamily& family) {
    return walk(admin, "", segments_of(family.collection + "/{id}"), 0);
}

}  // namespace stele::conformance
