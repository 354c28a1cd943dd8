#include "transfer/archive_content.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "transfer/locations.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;
constexpr std::string_view kMetadata = ".metadata.json";
constexpr std::string_view kNodes = "/nodes/";

std::string_view file_name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_removed(const sdk::Json& fields) {
    const auto system = fields.find("_system");
    return system != fields.end() && sdk::flag_member(*system, "deleted", false);
}

/// What is said of attachments, by their ids.
struct Told {
    std::map<std::string, sdk::Json> by_id;

    /// The id that a file is of: one that is told of, else its name without the extension.
    std::string id_of(std::string_view file_name) const {
        const std::string whole = id_of_segment(file_name);
        if (by_id.contains(whole)) return whole;
        const std::size_t dot = file_name.rfind('.');
        const std::string bare = id_of_segment(file_name.substr(0, dot));
        return dot == 0 || bare.empty() ? whole : bare;
    }
};

sdk::Result<Told> what_is_told(const sdk::ZipReader& zip, const std::vector<std::string>& paths,
                               const sdk::Json& fields) {
    Told told;
    const auto system = fields.find("_system");
    if (system != fields.end() && system->is_object()) {
        const auto attachments = system->find("attachments");
        if (attachments != system->end() && attachments->is_object()) {
            for (const auto& [id, about] : attachments->items())
                told.by_id[id] = about;
        }
    }
    for (const std::string& path : paths) {
        if (!path.ends_with(kMetadata)) continue;
        auto entry = zip.find(path);
        if (!entry) return entry.error();
        if (!*entry) continue;
        auto about = read_json(zip, **entry);
        if (!about) return about.error();
        std::string id = sdk::text_member(*about, "attachmentId");
        if (id.empty()) {
            const std::string_view name = file_name_of(path);
            id = id_of_segment(name.substr(0, name.size() - kMetadata.size()));
        }
        told.by_id[id] = *std::move(about);
    }
    return told;
}

}  // namespace

sdk::Result<sdk::Json> read_json(const sdk::ZipReader& zip, const sdk::ZipEntry& entry) {
    auto text = zip.read_all(entry, kMaxRecordBytes);
    if (!text) return text.error();
    auto value = sdk::parse_json(*text);
    if (value && value->is_object()) return value;
    return sdk::make_error(
        sdk::ErrorKind::invalid, "archives.record_malformed",
        entry.path + " is no JSON object" + (value ? std::string() : ": " + value.error().message));
}

sdk::Result<std::vector<sdk::ContentItem::File>> files_beside(const sdk::ZipReader& zip,
                                                              const std::vector<std::string>& paths,
                                                              const sdk::Json& fields) {
    std::vector<sdk::ContentItem::File> files;
    if (paths.empty()) return files;
    auto told = what_is_told(zip, paths, fields);
    if (!told) return told.error();
    for (const std::string& path : paths) {
        if (path.ends_with(kMetadata)) continue;
        auto entry = zip.find(path);
        if (!entry) return entry.error();
        if (!*entry) continue;
        sdk::ContentItem::File file;
        file.attachment.id = told->id_of(file_name_of(path));
        const auto about = told->by_id.find(file.attachment.id);
        if (about != told->by_id.end()) {
            file.attachment.content_type = sdk::text_member(about->second, "contentType");
            file.attachment.file_name = sdk::text_member(about->second, "filename");
        }
        if (file.attachment.file_name.empty())
            file.attachment.file_name = id_of_segment(file_name_of(path));
        file.attachment.length = (*entry)->size;
        file.open = [&zip, entry = **entry]() -> sdk::Result<sdk::PieceSource> {
            return zip.read(entry);
        };
        files.push_back(std::move(file));
    }
    return files;
}

sdk::Result<ArchiveContent> ArchiveContent::open(const sdk::ZipReader& zip,
                                                 const AttachmentPaths& attachments,
                                                 const std::vector<std::string>& folders) {
    ArchiveContent content(zip, attachments);
    std::map<std::string, std::size_t, std::less<>> age_of;
    for (std::size_t i = 0; i < folders.size(); ++i)
        age_of[folders[i]] = i;
    /// The last version of each node.
    struct Last {
        std::size_t age = 0;
        std::size_t order = 0;
        std::string path;
    };
    std::map<std::string, Last, std::less<>> last;
    auto walked = zip.for_each([&](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
        const std::size_t nodes = entry.path.rfind(kNodes);
        if (nodes == std::string::npos) return true;
        const auto age = age_of.find(std::string_view(entry.path).substr(0, nodes));
        const std::string_view name = file_name_of(entry.path);
        const bool is_item = name == "node.json" || name == "association.json";
        if (age == age_of.end() || !is_item) return true;
        const std::size_t begin = nodes + kNodes.size();
        const std::string_view id(entry.path.data() + begin,
                                  entry.path.size() - begin - name.size() - 1);
        if (id.find('/') != std::string_view::npos) return true;
        const auto [present, is_new] = last.try_emplace(std::string(id));
        if (is_new || age->second >= present->second.age)
            present->second = {age->second, is_new ? last.size() : present->second.order,
                               entry.path};
        return true;
    });
    if (!walked) return walked.error();
    std::vector<Last> versions;
    for (auto& [id, version] : last)
        versions.push_back(std::move(version));
    std::sort(versions.begin(), versions.end(),
              [](const Last& one, const Last& other) { return one.order < other.order; });
    for (Last& version : versions) {
        auto fields = content.read(version.path);
        if (!fields) return fields.error();
        if (is_removed(*fields)) continue;
        Item item{Kind::node, std::move(version.path)};
        if (item.path.ends_with("/association.json")) {
            item.kind = Kind::association;
        } else if (sdk::text_member(*fields, "_type").starts_with("d:")) {
            item.kind = Kind::definition;
        }
        content.items_.push_back(std::move(item));
    }
    std::stable_sort(content.items_.begin(), content.items_.end(),
                     [](const Item& one, const Item& other) { return one.kind < other.kind; });
    return content;
}

sdk::Result<sdk::Json> ArchiveContent::read(const std::string& path) const {
    auto entry = zip_->find(path);
    if (!entry) return entry.error();
    return read_json(*zip_, **entry);
}

sdk::Result<sdk::ContentItem> ArchiveContent::item_of(const Item& item) const {
    auto fields = read(item.path);
    if (!fields) return fields.error();
    sdk::ContentItem made;
    const std::string folder = item.path.substr(0, item.path.rfind('/'));
    made.id = sdk::text_member(*fields, "_doc");
    if (made.id.empty()) made.id = id_of_segment(file_name_of(folder));
    if (const auto system = fields->find("_system"); system != fields->end())
        made.changeset = sdk::text_member(*system, "changeset");
    const auto paths = attachments_->find(folder);
    if (paths != attachments_->end()) {
        auto files = files_beside(*zip_, paths->second, *fields);
        if (!files) return files.error();
        made.files = *std::move(files);
    }
    made.fields = *std::move(fields);
    if (item.kind == Kind::association) made.fields["_is_association"] = true;
    return made;
}

sdk::Result<void> ArchiveContent::for_each(
    const std::function<sdk::Result<void>(const sdk::ContentItem& item)>& visit) {
    for (const Item& item : items_) {
        auto made = item_of(item);
        if (!made) return made.error();
        if (auto visited = visit(*made); !visited) return visited;
    }
    return {};
}

}  // namespace stele::archives
