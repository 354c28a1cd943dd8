#include "transfer/archive_content.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/members.hpp>

#include "paths/locations.hpp"

namespace stele::archives {

namespace {

constexpr std::string_view kMetadata = ".metadata.json";
constexpr std::string_view kNodes = "/nodes/";
constexpr std::string_view kNodeFile = "node.json";
constexpr std::string_view kAssociationFile = "association.json";

std::string_view file_name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_removed(const sdk::Json& fields) {
    const auto system = fields.find("_system");
    return system != fields.end() && sdk::flag_member(*system, "deleted", false);
}

/// Whether the text of a record may say that it was removed, or a type of definitions; a letter of
/// these words may be written as its number.
bool may_be_special(std::string_view text) {
    constexpr std::array<std::string_view, 3> kSigns{"\"deleted\"", "\"d:", "\\u"};
    return std::any_of(kSigns.begin(), kSigns.end(), [text](std::string_view sign) {
        return text.find(sign) != std::string_view::npos;
    });
}

/// Of what is said of one attachment, and of all of a record, for these are kept at once.
constexpr std::size_t kMaxMetadataBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxToldBytes = std::size_t{32} << 20;

/// What is said of attachments, by their ids.
struct Told {
    struct About {
        std::string file_name;
        std::string content_type;
    };
    std::map<std::string, About> by_id;
    /// Ids by the names that their files have where names have extensions.
    std::map<std::string, std::string, std::less<>> by_file;
    std::size_t bytes = 0;

    sdk::Result<void> tell(const std::string& id, const sdk::Json& about) {
        About told{sdk::text_member(about, "filename"), sdk::text_member(about, "contentType")};
        bytes += 2 * (id.size() + told.file_name.size()) + told.content_type.size();
        if (bytes > kMaxToldBytes) {
            return sdk::make_error(sdk::ErrorKind::too_large, "archives.transfer_too_large",
                                   "a record has more attachments than one import can bring");
        }
        if (!told.file_name.empty()) by_file[attachment_file_name(id, told.file_name)] = id;
        by_id[id] = std::move(told);
        return {};
    }

    /// The id that a file is of: one that is told of, else its name without the extension. Ids may
    /// have dots, and one may be another with an extension.
    std::string id_of(std::string_view file_name) const {
        if (const auto told = by_file.find(file_name); told != by_file.end()) return told->second;
        const std::string whole = id_of_segment(file_name);
        if (by_id.contains(whole)) return whole;
        const std::size_t dot = file_name.rfind('.');
        const std::string bare = id_of_segment(file_name.substr(0, dot));
        return dot == 0 || bare.empty() ? whole : bare;
    }
};

sdk::Result<Told> what_is_told(const ArchiveFiles& archive, const std::vector<std::string>& paths,
                               const sdk::Json& fields) {
    Told told;
    const auto system = fields.find("_system");
    if (system != fields.end() && system->is_object()) {
        const auto attachments = system->find("attachments");
        if (attachments != system->end() && attachments->is_object()) {
            for (const auto& [id, about] : attachments->items()) {
                if (auto kept = told.tell(id, about); !kept) return kept.error();
            }
        }
    }
    for (const std::string& path : paths) {
        if (!path.ends_with(kMetadata)) continue;
        auto file = archive.find(path);
        if (!file) return file.error();
        if (!*file) continue;
        auto text = (*file)->zip->read_all((*file)->entry, kMaxMetadataBytes);
        if (!text) return text.error();
        auto about = parse_record(**file, *text);
        if (!about) return about.error();
        std::string id = sdk::text_member(*about, "attachmentId");
        if (id.empty()) {
            const std::string_view name = file_name_of(path);
            id = id_of_segment(name.substr(0, name.size() - kMetadata.size()));
        }
        if (auto kept = told.tell(id, *about); !kept) return kept.error();
    }
    return told;
}

}  // namespace

sdk::Result<std::vector<sdk::ContentItem::File>> files_beside(const ArchiveFiles& archive,
                                                              const std::vector<std::string>& paths,
                                                              const sdk::Json& fields) {
    std::vector<sdk::ContentItem::File> files;
    if (paths.empty()) return files;
    auto told = what_is_told(archive, paths, fields);
    if (!told) return told.error();
    for (const std::string& path : paths) {
        if (path.ends_with(kMetadata)) continue;
        auto found = archive.find(path);
        if (!found) return found.error();
        if (!*found) continue;
        sdk::ContentItem::File file;
        file.attachment.id = told->id_of(file_name_of(path));
        const auto about = told->by_id.find(file.attachment.id);
        if (about != told->by_id.end()) {
            file.attachment.content_type = about->second.content_type;
            file.attachment.file_name = about->second.file_name;
        }
        if (file.attachment.file_name.empty())
            file.attachment.file_name = id_of_segment(file_name_of(path));
        if (file.attachment.content_type.empty())
            file.attachment.content_type = sdk::media_type_of_name(file.attachment.file_name);
        file.attachment.length = (*found)->entry.size;
        file.open = [found = **found]() -> sdk::Result<sdk::PieceSource> { return found.read(); };
        files.push_back(std::move(file));
    }
    return files;
}

ArchiveContent::Version ArchiveContent::Version::of(std::string_view text) {
    return {number_of_text(text), static_cast<Kind>(text.back())};
}

std::string ArchiveContent::Version::text() const {
    return number_text(age) + static_cast<char>(kind);
}

sdk::Result<ArchiveContent> ArchiveContent::open(const ArchiveFiles& archive,
                                                 const PathsByFolder& attachments, PathList folders,
                                                 const Step& step) {
    ArchiveContent content(archive, attachments, std::move(folders));
    auto walked = archive.for_each([&](const sdk::ZipEntry& entry) {
        auto may = step();
        return may ? content.take(entry.path) : may;
    });
    if (!walked) return walked.error();
    if (auto sorted = content.sort_by_kind(step); !sorted) return sorted.error();
    return content;
}

sdk::Result<void> ArchiveContent::take(const std::string& path) {
    const std::size_t nodes = path.rfind(kNodes);
    if (nodes == std::string::npos) return {};
    const std::string_view name = file_name_of(path);
    if (name != kNodeFile && name != kAssociationFile) return {};
    const std::size_t begin = nodes + kNodes.size();
    const std::string_view node(path.data() + begin, path.size() - begin - name.size() - 1);
    if (node.find('/') != std::string_view::npos) return {};
    auto age = folders_.place_of(std::string_view(path).substr(0, nodes));
    if (!age) return age.error();
    if (!*age) return {};
    auto present = versions_.find(node);
    if (!present) return present.error();
    if (*present && Version::of(**present).age > **age) return {};
    const Kind kind = name == kAssociationFile ? Kind::association : Kind::node;
    return versions_.put(node, Version{**age, kind}.text());
}

sdk::Result<void> ArchiveContent::sort_by_kind(const Step& step) {
    auto sorted =
        versions_.for_each([&](std::string_view node, std::string_view text) -> sdk::Result<void> {
            if (auto may = step(); !may) return may;
            Version version = Version::of(text);
            auto folder = folder_of(node, version);
            if (!folder) return folder.error();
            auto kind = kind_of(*folder + '/' + std::string(file_of(version.kind)));
            if (!kind) return kind.error();
            version.kind = *kind;
            if (version.kind == Kind::removed) return {};
            return kinds_.of(version.kind).put(node, version.text());
        });
    versions_ = sdk::TextTable();
    return sorted;
}

sdk::TextTable& ArchiveContent::Kinds::of(Kind kind) {
    if (kind == Kind::definition) return definitions;
    return kind == Kind::association ? associations : nodes;
}

sdk::Result<std::string> ArchiveContent::folder_of(std::string_view node,
                                                   const Version& version) const {
    auto changeset = folders_.at(version.age);
    if (!changeset) return changeset;
    return changeset->append(kNodes).append(node);
}

std::string_view ArchiveContent::file_of(Kind kind) {
    return kind == Kind::association ? kAssociationFile : kNodeFile;
}

sdk::Result<ArchiveContent::Kind> ArchiveContent::kind_of(const std::string& path) const {
    auto file = archive_->find(path);
    if (!file) return file.error();
    auto text = read_record(**file);
    if (!text) return text.error();
    const bool is_association = path.ends_with(kAssociationFile);
    const Kind plain = is_association ? Kind::association : Kind::node;
    // Nearly all say nothing that one would have to parse them for; those that cannot be parsed are
    // met when they are read.
    if (!may_be_special(*text)) return plain;
    auto fields = parse_record(**file, *text);
    if (!fields) return fields.error();
    if (is_removed(*fields)) return Kind::removed;
    const bool is_definition = sdk::text_member(*fields, "_type").starts_with("d:");
    return is_definition && !is_association ? Kind::definition : plain;
}

sdk::Result<sdk::ContentItem> ArchiveContent::item_of(const std::string& folder, Kind kind) const {
    auto file = archive_->find(folder + '/' + std::string(file_of(kind)));
    if (!file) return file.error();
    auto fields = read_json(**file);
    if (!fields) return fields.error();
    sdk::ContentItem made;
    made.id = sdk::text_member(*fields, "_doc");
    if (made.id.empty()) made.id = id_of_segment(file_name_of(folder));
    if (const auto system = fields->find("_system"); system != fields->end())
        made.changeset = sdk::text_member(*system, "changeset");
    auto paths = attachments_->in(folder);
    if (!paths) return paths.error();
    auto files = files_beside(*archive_, *paths, *fields);
    if (!files) return files.error();
    made.files = *std::move(files);
    made.fields = *std::move(fields);
    made.fields["_is_association"] = kind == Kind::association;
    return made;
}

sdk::Result<void> ArchiveContent::for_each(const Visit& visit) {
    return for_each_wanted([](std::uint64_t) { return true; }, visit);
}

sdk::Result<void> ArchiveContent::for_each_wanted(const IsWanted& is_wanted, const Visit& visit) {
    std::uint64_t position = 0;
    for (const Kind kind : {Kind::definition, Kind::node, Kind::association}) {
        auto walked = kinds_.of(kind).for_each(
            [&](std::string_view node, std::string_view text) -> sdk::Result<void> {
                if (!is_wanted(position++)) return {};
                auto folder = folder_of(node, Version::of(text));
                if (!folder) return folder.error();
                auto made = item_of(*folder, kind);
                return made ? visit(*std::move(made)) : made.error();
            });
        if (!walked) return walked;
    }
    return {};
}

}  // namespace stele::archives
