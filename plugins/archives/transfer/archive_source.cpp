#include "transfer/archive_source.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "archive/archive.hpp"
#include "archive/manifest.hpp"
#include "transfer/archive_content.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr std::string_view kChangesets = "/changesets/";
constexpr std::string_view kNodeFolders = "/nodes/";
constexpr std::string_view kAttachments = "/attachments/";
constexpr std::string_view kJson = ".json";
constexpr std::string_view kAclFile = "/acl.json";

constexpr std::size_t kMaxUnknown = 100;
constexpr std::size_t kMaxSources = 10'000;
/// Links of a chain.
constexpr std::size_t kMaxChain = 16;
constexpr std::size_t kMaxIdBytes = 255;

/// Files beside a record that are none themselves.
constexpr std::array<std::string_view, 9> kBeside{"acl",        "roles",      "teams",
                                                  "members",    "targets",    "policies",
                                                  "companions", "changesets", "grants"};

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        segments.emplace_back(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return segments;
}

/// Whether the segments at a place are the family's path; how many they are.
std::size_t match(const std::vector<std::string>& path, const std::vector<std::string>& segments,
                  std::size_t at) {
    if (at + path.size() >= segments.size()) return 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool is_free = path[i].starts_with('{');
        if (!is_free && path[i] != segments[at + i]) return 0;
    }
    return path.size();
}

/// A record's folder taken apart.
struct Chain {
    std::vector<const sdk::FamilyInfo*> families;
    std::vector<std::string> ids;
};

sdk::Error unfit_sources(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.manifest_malformed",
                           "manifest.json cannot be used for its sources: " + problem);
}

/// Whether records may have it: no reference could tell another one.
bool is_record_id(std::string_view id) {
    return !id.empty() && id.size() <= kMaxIdBytes &&
           std::none_of(id.begin(), id.end(), [](char byte) {
               const auto code = static_cast<unsigned char>(byte);
               return byte == '/' || code < 0x20 || code == 0x7f;
           });
}

/// Nothing where the folder is none of a record that this server knows.
std::optional<Chain> chain_of(const sdk::Families& families, std::string_view location) {
    const std::vector<std::string> segments = split(location);
    if (segments.size() < 2 || segments[0] != "platforms") return std::nullopt;
    Chain chain{{families.find("platform")}, {id_of_segment(segments[1])}};
    std::size_t at = 2;
    while (at < segments.size()) {
        const sdk::FamilyInfo* found = nullptr;
        std::size_t length = 0;
        for (const std::string& type : chain.families.back()->contained) {
            const sdk::FamilyInfo* const inner = families.find(type);
            const std::size_t matched = match(split(inner->path), segments, at);
            if (matched <= length) continue;
            found = inner;
            length = matched;
        }
        if (!found) return std::nullopt;
        chain.families.push_back(found);
        chain.ids.push_back(id_of_segment(segments[at + length]));
        at += length + 1;
    }
    if (!std::all_of(chain.ids.begin(), chain.ids.end(), is_record_id)) return std::nullopt;
    return chain;
}

std::string key_of(std::string_view word, const std::vector<std::string>& ids, std::size_t count) {
    return ReferenceParts{std::string(word),
                          {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count)}}
        .text();
}

}  // namespace

sdk::Result<std::unique_ptr<ArchiveSource>> ArchiveSource::open(const sdk::Families& families,
                                                                const ArchiveFiles& archive,
                                                                ArchiveManifest manifest,
                                                                const ArchiveSeal* seal) {
    std::unique_ptr<ArchiveSource> source(
        new ArchiveSource(families, archive, std::move(manifest), seal));
    if (auto looked = source->look_through(); !looked) return looked.error();
    if (auto read = source->read_subjects(); !read) return read.error();
    source->drop_surroundings();
    if (auto there = source->check_subjects(); !there) return there.error();
    return source;
}

/// Where the changesets of a repository begin in a path; records may be called like their folder.
std::size_t ArchiveSource::find_changesets(const std::string& path) {
    const std::size_t first = path.find(kChangesets);
    for (std::size_t at = first; at != std::string::npos; at = path.find(kChangesets, at + 1)) {
        const std::string_view around = std::string_view(path).substr(0, at);
        if (repositories_.contains(around)) return at;
        const auto chain = chain_of(families_, around);
        if (chain && chain->families.back()->type == kRepository) return at;
    }
    const std::string_view folder = std::string_view(path).substr(0, path.rfind('/'));
    const bool is_of_record =
        first != std::string::npos &&
        (chain_of(families_, folder) || find_attachments(path) != std::string::npos);
    return is_of_record ? std::string::npos : first;
}

/// Where the attachments of a record begin in a path.
std::size_t ArchiveSource::find_attachments(const std::string& path) {
    for (std::size_t at = path.find(kAttachments); at != std::string::npos;
         at = path.find(kAttachments, at + 1)) {
        const std::string_view around = std::string_view(path).substr(0, at);
        if (around != last_with_files_ && !chain_of(families_, around)) continue;
        last_with_files_ = around;
        return at;
    }
    return std::string::npos;
}

sdk::Result<bool> ArchiveSource::take_content(const std::string& path) {
    const std::size_t changesets = find_changesets(path);
    if (changesets == std::string::npos) return false;
    const std::size_t begin = changesets + kChangesets.size();
    const std::size_t end = path.find('/', begin);
    if (end == std::string::npos) return true;
    auto taken = take_changeset(path.substr(0, changesets), path.substr(0, end));
    if (!taken) return taken.error();
    if (path.ends_with(kAclFile)) {
        if (auto kept = acl_paths_.put(path, {}); !kept) return kept.error();
    }
    const std::size_t files = path.find(kAttachments, end);
    if (files == std::string::npos) return true;
    if (auto kept = files_.add(path.substr(0, files), path); !kept) return kept.error();
    return true;
}

sdk::Result<void> ArchiveSource::take_changeset(const std::string& repository,
                                                const std::string& folder) {
    if (std::exchange(last_changeset_, folder) == folder) return {};
    auto known = repositories_.find(repository);
    if (known == repositories_.end()) {
        if (auto kept = memory_.keep(repository); !kept) return kept;
        known =
            repositories_.emplace(repository, Repository{{}, sdk::TextTable(archive_.scratch())})
                .first;
    }
    const std::string id = changeset_of_location(folder);
    auto is_there = known->second.folders.contains(id);
    if (!is_there) return is_there.error();
    return *is_there ? sdk::Result<void>() : known->second.folders.put(id, folder);
}

/// False where it lies nowhere that is known.
sdk::Result<bool> ArchiveSource::take_record(const std::string& path) {
    const std::size_t files = find_attachments(path);
    if (files != std::string::npos) {
        if (auto kept = files_.add(path.substr(0, files), path); !kept) return kept.error();
        return true;
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return path == kManifestPath;
    if (path.substr(slash + 1) == kZipFile) return true;
    if (path.substr(slash + 1) == kSecretsFile) {
        has_secrets_ = true;
        return true;
    }
    if (!path.ends_with(kJson)) return false;
    const std::string word = path.substr(slash + 1, path.size() - slash - 1 - kJson.size());
    if (std::find(kBeside.begin(), kBeside.end(), word) != kBeside.end()) return true;
    const std::string location = path.substr(0, slash);
    const auto chain = chain_of(families_, location);
    if (!chain) return false;
    const sdk::FamilyInfo& family = *chain->families.back();
    const sdk::FamilyInfo* const told = families_.find_word(word);
    const bool is_fitting = told ? told == &family : !family.reference_type_member.empty();
    if (!is_fitting || family.has_space || !family.is_transferred) return false;
    Place place{location, key_of(word, chain->ids, chain->ids.size()), family.type, word, {}};
    if (chain->families.size() > 1) {
        const sdk::FamilyInfo& around = *chain->families[chain->families.size() - 2];
        place.container = key_of(around.type, chain->ids, chain->ids.size() - 1);
    }
    records_.push_back(std::move(place));
    if (auto kept = memory_.keep(path); !kept) return kept.error();
    return true;
}

sdk::Result<void> ArchiveSource::look_through() {
    auto walked = archive_.for_each([this](const sdk::ZipEntry& entry) -> sdk::Result<void> {
        auto is_content = take_content(entry.path);
        if (!is_content) return is_content.error();
        if (*is_content) return {};
        auto is_known = take_record(entry.path);
        if (!is_known) return is_known.error();
        if (!*is_known && unknown_.size() < kMaxUnknown)
            unknown_.push_back(sdk::shown_path(entry.path) +
                               ": nothing is known of such files; it was left out");
        return {};
    });
    if (!walked) return walked;
    if (has_secrets_ && !seal_)
        unknown_.emplace_back(
            "the archive has secrets that are sealed; without its passphrase "
            "they were left out");
    for (auto& [location, repository] : repositories_) {
        const auto chain = chain_of(families_, location);
        if (chain) repository.key = key_of("repository", chain->ids, chain->ids.size());
    }
    return {};
}

sdk::Result<void> ArchiveSource::read_subjects() {
    if (!manifest_.sources.is_array()) return {};
    for (const sdk::Json& chain : manifest_.sources) {
        if (!chain.is_array() || chain.empty()) continue;
        const sdk::Json& last = chain.back();
        TransferSubject subject;
        subject.type = sdk::text_member(last, "typeId");
        subject.id = sdk::text_member(last, "id");
        // Keys of older models are no references.
        std::vector<std::string> ids;
        for (const sdk::Json& link : chain)
            ids.push_back(sdk::text_member(link, "id"));
        const bool is_long = std::any_of(
            ids.begin(), ids.end(), [](const std::string& id) { return id.size() > kMaxIdBytes; });
        if (ids.size() > kMaxChain || is_long || subject.type.size() > kMaxIdBytes)
            return unfit_sources("a chain of them is too long");
        subject.key = key_of(subject.type, ids, ids.size());
        subject.chain = chain;
        if (subject.type.empty() || subject.id.empty()) continue;
        if (subjects_.size() == kMaxSources) return unfit_sources("they are too many");
        if ((subject.type == kNode || subject.type == kAssociation) && ids.size() > 1) {
            content_subjects_.push_back(subject.id);
            content_branch_ = key_of(kBranch, ids, ids.size() - 1);
        }
        subject_keys_.insert(subject.key);
        subjects_.push_back(std::move(subject));
    }
    return {};
}

sdk::Result<void> ArchiveSource::check_subjects() const {
    std::set<std::string> present;
    for (const Place& place : records_)
        present.insert(place.key);
    for (const TransferSubject& subject : subjects_) {
        const bool is_record = subject.type != kNode && subject.type != kAssociation &&
                               families_.find_word(subject.type) != nullptr;
        if (is_record && !present.contains(subject.key)) return subject_missing(subject);
    }
    return {};
}

void ArchiveSource::drop_surroundings() {
    std::set<std::string> around;
    for (const TransferSubject& subject : subjects_) {
        const std::vector<std::string> ids = reference_parts(subject.key).ids;
        for (std::size_t i = 1; i < ids.size(); ++i)
            around.insert(key_of({}, ids, i));
    }
    std::erase_if(records_, [&](const Place& place) {
        const std::vector<std::string> ids = reference_parts(place.key).ids;
        return around.contains(key_of({}, ids, ids.size())) && !subject_keys_.contains(place.key);
    });
}

sdk::Result<sdk::Json> ArchiveSource::json_at(const std::string& path) const {
    auto file = archive_.find(path);
    if (!file) return file.error();
    if (!*file) return sdk::Json();
    return read_json(**file);
}

sdk::Result<sdk::Json> ArchiveSource::list_at(const std::string& path, std::size_t* left) const {
    auto file = archive_.find(path);
    if (!file) return file.error();
    if (!*file) return sdk::Json::array();
    auto text = (*file)->zip->read_all((*file)->entry,
                                       left ? std::min(*left, kMaxRecordBytes) : kMaxRecordBytes);
    if (!text) return text.error();
    if (left) *left -= text->size();
    auto list = sdk::parse_json(*text);
    if (list && list->is_array()) return list;
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.record_malformed",
                           path + " is no JSON array");
}

sdk::Result<sdk::Json> ArchiveSource::secrets_at(const std::string& location) const {
    if (!seal_) return sdk::Json::object();
    auto file = json_at(location + '/' + kSecretsFile);
    if (!file) return file;
    if (file->is_null()) return sdk::Json::object();
    return seal_->open(*file, location);
}

sdk::Result<TransferRecord> ArchiveSource::read(const Place& place) const {
    TransferRecord record;
    record.key = place.key;
    record.type = place.type;
    record.id = reference_parts(place.key).ids.back();
    record.container = place.container;
    record.location = place.location;
    auto fields = json_at(place.location + '/' + place.word + std::string(kJson));
    if (!fields) return fields.error();
    record.fields = *std::move(fields);
    const std::pair<const char*, sdk::Json*> lists[] = {
        {"/acl.json", &record.acl},         {"/roles.json", &record.roles},
        {"/teams.json", &record.teams},     {"/members.json", &record.members},
        {"/targets.json", &record.targets}, {"/policies.json", &record.policies}};
    std::size_t left = 2 * kMaxRecordBytes;
    for (const auto& [name, list] : lists) {
        auto read = list_at(place.location + name, &left);
        if (!read) return read.error();
        *list = *std::move(read);
    }
    auto companions = json_at(place.location + "/companions.json");
    if (!companions) return companions.error();
    if (companions->is_object()) {
        for (const auto& [name, key] : companions->items()) {
            if (key.is_string()) record.companions[name] = key.get<std::string>();
        }
    }
    auto secrets = secrets_at(place.location);
    if (!secrets) return secrets.error();
    record.secrets = *std::move(secrets);
    if (place.type == kArchiveType) {
        auto zip = archive_.find(place.location + '/' + kZipFile);
        if (!zip) return zip.error();
        if (*zip) {
            record.zip.emplace();
            record.zip->attachment.content_type = kArchiveContentType;
            record.zip->open = [file = **zip]() -> sdk::Result<sdk::PieceSource> {
                return file.read();
            };
        }
    }
    auto paths = files_.in(place.location);
    if (!paths) return paths.error();
    auto files = files_beside(archive_, *paths, record.fields);
    if (!files) return files.error();
    record.files = *std::move(files);
    return record;
}

sdk::Result<void> ArchiveSource::for_each(
    const std::function<sdk::Result<void>(const TransferRecord&)>& visit) {
    for (const Place& place : records_) {
        auto record = read(place);
        if (!record) return record.error();
        if (auto visited = visit(*record); !visited) return visited;
    }
    return {};
}

sdk::Result<PathList> ArchiveSource::changesets_of(const Repository& repository,
                                                   const Place* branch) const {
    PathList folders(archive_.scratch());
    sdk::Json order = sdk::Json::array();
    std::string id;
    if (branch) {
        auto told = list_at(branch->location + "/changesets.json");
        if (!told) return told.error();
        order = *std::move(told);
        id = reference_parts(branch->key).ids.back();
    }
    if (!order.empty()) {
        for (const sdk::Json& changeset : order) {
            if (auto may = step(); !may) return may.error();
            if (!changeset.is_string()) continue;
            auto known = repository.folders.find(changeset.get_ref<const std::string&>());
            if (!known) return known.error();
            if (!*known) continue;
            if (auto added = folders.add(**known); !added) return added.error();
        }
        return folders;
    }
    const auto branches =
        std::count_if(records_.begin(), records_.end(), [&repository](const Place& place) {
            return place.type == "branch" && place.container == repository.key;
        });
    const bool is_only_branch = branches < 2;
    auto walked = repository.folders.for_each(
        [&](std::string_view, std::string_view found) -> sdk::Result<void> {
            if (auto may = step(); !may) return may;
            const std::string folder(found);
            auto about = json_at(folder + "/changeset.json");
            if (!about) return about.error();
            const std::string of =
                about->is_object() ? sdk::text_member(*about, "branch") : std::string();
            if (!is_only_branch && !of.empty() && of != id) return {};
            auto added = folders.add(folder);
            return added ? sdk::Result<void>() : added.error();
        });
    return walked ? sdk::Result<PathList>(std::move(folders)) : walked.error();
}

/// Of each node that has one, the file in the last of the folders: the place of that, and the path.
sdk::Result<sdk::TextTable> ArchiveSource::acl_paths_in(const PathList& folders) const {
    sdk::TextTable paths(archive_.scratch());
    auto walked =
        acl_paths_.for_each([&](std::string_view path, std::string_view) -> sdk::Result<void> {
            if (auto may = step(); !may) return may;
            const std::size_t nodes = path.rfind(kNodeFolders);
            if (nodes == std::string_view::npos) return {};
            auto age = folders.place_of(path.substr(0, nodes));
            if (!age) return age.error();
            if (!*age) return {};
            const std::size_t begin = nodes + kNodeFolders.size();
            const std::string id =
                id_of_segment(path.substr(begin, path.size() - begin - kAclFile.size()));
            auto known = paths.find(id);
            if (!known) return known.error();
            if (*known && number_of_text(**known) > **age) return {};
            return paths.put(id, number_text(**age).append(path));
        });
    if (!walked) return walked.error();
    return paths;
}

sdk::Result<void> ArchiveSource::visit_content(
    const std::string& location, const Repository& repository, const Place* branch,
    const std::function<sdk::Result<void>(const TransferContent&)>& visit) const {
    auto folders = changesets_of(repository, branch);
    if (!folders) return folders.error();
    auto paths = acl_paths_in(*folders);
    if (!paths) return paths.error();
    auto content =
        ArchiveContent::open(archive_, files_, *std::move(folders), [this] { return step(); });
    if (!content) return content.error();
    const bool has_subjects = !branch && !content_subjects_.empty();
    auto grants = branch ? json_at(branch->location + '/' + kGrantsFile) : sdk::Json();
    if (!grants) return grants.error();
    const auto acl = [this, &grants, &paths](const std::string& node) -> sdk::Result<sdk::Json> {
        if (grants->is_object()) return grants->value(node, sdk::Json::array());
        auto path = paths->find(node);
        if (!path) return path.error();
        return *path ? list_at((*path)->substr(number_text(0).size()))
                     : sdk::Result<sdk::Json>(sdk::Json::array());
    };
    return visit({.branch = branch ? branch->key : content_branch_,
                  .repository = repository.key,
                  .location = location,
                  .nodes = has_subjects ? content_subjects_ : std::vector<std::string>(),
                  .state = {},
                  .source = *content,
                  .changeset = [](const std::string& id) -> sdk::Result<sdk::Json> {
                      return sdk::Json{{"_doc", id}};
                  },
                  .acl = acl});
}

sdk::Result<void> ArchiveSource::for_each_content(
    const std::function<sdk::Result<void>(const TransferContent&)>& visit) {
    for (const auto& [location, repository] : repositories_) {
        bool has_branch = false;
        for (const Place& place : records_) {
            if (place.type != "branch" || place.container != repository.key) continue;
            has_branch = true;
            if (auto visited = visit_content(location, repository, &place, visit); !visited)
                return visited;
        }
        if (has_branch) continue;
        if (auto visited = visit_content(location, repository, nullptr, visit); !visited)
            return visited;
    }
    return {};
}

}  // namespace stele::archives
