// Arbitrary files as an archive that is imported, above the level of zips: manifests, records and
// what lies beside them, content of branches, layouts of other generations, parts of packages. The
// input tells files as `path`, a byte 31, the bytes of the file, a byte 30, and so on; they are put
// together without packing, so that nothing has to be guessed to get at them. A path behind `2:` is
// one of a second part.
//
// However they come: reading twice gives the same, failures are those that the reader promises, and
// what is read keeps the rules by which imports go.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/zip.hpp>

#include "archive/archive.hpp"
#include "archive/manifest.hpp"
#include "sdk/testing/memory_bytes.hpp"
#include "sdk/testing/raw_archive.hpp"
#include "tests/fuzz/fuzz_check.hpp"
#include "transfer/archive_files.hpp"
#include "transfer/archive_manifest.hpp"
#include "transfer/archive_source.hpp"
#include "transfer/generation_one_source.hpp"
#include "transfer/identities.hpp"
#include "transfer/record_parts.hpp"

namespace {

using namespace stele;
using stele::testing::fuzz_check;

constexpr char kBetweenFiles = 30;
constexpr char kBehindPath = 31;
constexpr std::string_view kSecondPart = "2:";
constexpr std::size_t kMaxPath = 65'000;
constexpr std::size_t kMaxFiles = 500;
constexpr sdk::ZipLimits kLimits{.entries = 5000};

/// The families that a server has, as far as layouts know them by name or by shape.
class FewFamilies final : public sdk::Families {
public:
    FewFamilies() {
        add("platform", "", "");
        add("domain", "platform", "/domains");
        add("principal", "domain", "/principals").reference_type_member = "type";
        add("repository", "platform", "/repositories");
        add("branch", "repository", "/branches");
        add("node", "branch", "/nodes").has_space = true;
        add("application", "platform", "/applications");
        add("deployment", "application", "/deployments").is_transferred = false;
        add("pageRendition", "application", "/deployments/{deploymentKey}/pagerenditions");
        add("vault", "platform", "/vaults");
        add("archive", "vault", "/archives");
        add("stack", "platform", "/stacks");
        add("authenticationGrant", "platform", "/auth/grants");
    }

    const sdk::FamilyInfo* find(std::string_view type) const override {
        const auto found = infos_.find(type);
        return found == infos_.end() ? nullptr : &found->second;
    }
    const sdk::FamilyInfo* find_word(std::string_view word) const override {
        if (word == "user" || word == "group") return find("principal");
        for (const auto& [type, info] : infos_) {
            if (sdk::equals_ignoring_case(type, word)) return &info;
        }
        return nullptr;
    }

    sdk::Result<const sdk::FamilyInfo*> of(sdk::Context&, const sdk::RecordKey&) const override {
        return not_asked();
    }
    sdk::Result<std::optional<sdk::RecordKey>> container_of(sdk::Context&,
                                                            const sdk::RecordKey&) const override {
        return not_asked();
    }
    sdk::Result<void> for_each(
        sdk::Context&, std::string_view, const sdk::RecordKey&,
        const std::function<sdk::Result<bool>(const sdk::RecordKey&)>&) const override {
        return not_asked();
    }
    sdk::Result<std::vector<sdk::Companion>> companions(sdk::Context&,
                                                        const sdk::RecordKey&) const override {
        return not_asked();
    }
    sdk::Result<void> accompany(sdk::Context&, const sdk::RecordKey&,
                                const sdk::Companion&) const override {
        return not_asked();
    }

    sdk::Result<sdk::Json> secrets(sdk::Context&, const sdk::RecordKey&) const override {
        return not_asked();
    }
    sdk::Result<bool> restore_secrets(sdk::Context&, const sdk::RecordKey&,
                                      const sdk::Json&) const override {
        return not_asked();
    }

private:
    /// An archive knows of no records of the server.
    static sdk::Error not_asked() {
        fuzz_check(false);
        return sdk::make_error(sdk::ErrorKind::internal, "fuzz.asked", "");
    }
    sdk::FamilyInfo& add(const char* type, const char* container, const char* path) {
        sdk::FamilyInfo& info = infos_[type];
        info.type = type;
        info.container = container;
        // Below the folder of the container, without a slash in front, as the kernel tells it.
        info.path = std::string_view(path).empty() ? path : path + 1;
        info.is_transferred = true;
        if (info.container.empty()) return info;
        infos_.find(info.container)->second.contained.push_back(type);
        return info;
    }

    std::map<std::string, sdk::FamilyInfo, std::less<>> infos_;
};

const FewFamilies& families() {
    static const FewFamilies families;
    return families;
}

/// One zip for each part of the archive.
std::vector<std::string> zips_of(std::string_view input) {
    std::vector<sdk::testing::RawEntry> parts[2];
    std::size_t count = 0;
    while (!input.empty() && ++count <= kMaxFiles) {
        const std::size_t end = std::min(input.find(kBetweenFiles), input.size());
        const std::string_view file = input.substr(0, end);
        input.remove_prefix(std::min(end + 1, input.size()));
        const std::size_t path_end = std::min(file.find(kBehindPath), file.size());
        std::string_view path = file.substr(0, std::min(path_end, kMaxPath));
        const bool is_second = path.starts_with(kSecondPart);
        if (is_second) path.remove_prefix(kSecondPart.size());
        const std::string_view bytes = file.substr(std::min(path_end + 1, file.size()));
        parts[is_second ? 1 : 0].push_back(
            {.name = std::string(path), .bytes = std::string(bytes), .flags = 1U << 11U});
    }
    std::vector<std::string> zips;
    for (const auto& entries : parts) {
        if (!entries.empty()) zips.push_back(sdk::testing::raw_archive(entries));
    }
    return zips;
}

/// Failures are sentences about the archive, not faults of the server.
std::string told_of(const sdk::Error& error) {
    fuzz_check(error.code.starts_with("zip.") || error.code.starts_with("archives."));
    fuzz_check(error.kind == sdk::ErrorKind::invalid || error.kind == sdk::ErrorKind::too_large ||
               error.kind == sdk::ErrorKind::unsupported);
    fuzz_check(!error.message.empty());
    // Of several paths that come twice, which one is named is a matter of the reader's own key.
    if (error.code == "zip.path_twice") return "\n! " + error.code;
    return "\n! " + error.code + " " + error.message;
}

/// Reads pieces to their end.
std::string told_of(const sdk::ContentItem::File& file) {
    std::string told = "\n  " + file.attachment.id + " " + file.attachment.file_name + " " +
                       file.attachment.content_type;
    auto source = file.open();
    if (!source) return told + told_of(source.error());
    std::string bytes;
    std::string piece;
    do {
        if (auto read = (*source)(piece); !read) return told + told_of(read.error());
        bytes += piece;
    } while (!piece.empty());
    fuzz_check(bytes.size() == file.attachment.length);
    return told + " " + bytes;
}

std::string told_of(archives::TransferSource& source) {
    std::string told;
    for (const archives::TransferSubject& subject : source.subjects())
        told += "\n# " + subject.type + " " + subject.id + " " + subject.key;
    for (const std::string& note : source.notes())
        told += "\n- " + note;
    archives::Identities identities({{"a", "b"}}, "here", [](const std::string& word) {
        return std::vector<std::string>{"platform", word};
    });
    auto records =
        source.for_each([&](const archives::TransferRecord& record) -> sdk::Result<void> {
            fuzz_check(record.fields.is_object() && record.acl.is_array() &&
                       record.roles.is_array() && record.teams.is_array() &&
                       record.members.is_array());
            fuzz_check(!record.key.empty() && !record.id.empty() && families().find(record.type));
            fuzz_check(record.id.find('/') == std::string::npos ||
                       record.location == record.id.substr(1));
            identities.expect(record.type, record.id);
            sdk::Json fields = record.fields;
            (void)identities.rewrite(fields);
            identities.meet(record.type, record.id, "new");
            (void)identities.rewrite(fields);
            for (const sdk::Json& role : record.roles)
                (void)archives::said_of_role(role);
            for (const sdk::Json& team : record.teams)
                (void)archives::said_of_team(team);
            told += "\n" + record.key + " in " + record.container + " " + sdk::dump_json(fields) +
                    sdk::dump_json(record.acl) + sdk::dump_json(record.teams);
            for (const sdk::ContentItem::File& file : record.files)
                told += told_of(file);
            if (!record.zip) return {};
            auto bytes = record.zip->open();
            if (!bytes) told += told_of(bytes.error());
            return {};
        });
    if (!records) told += told_of(records.error());
    auto contents = source.for_each_content(
        [&told](const archives::TransferContent& content) -> sdk::Result<void> {
            told += "\n= " + content.branch + " " + content.repository;
            std::set<std::string> ids;
            auto items =
                content.source.for_each([&](const sdk::ContentItem& item) -> sdk::Result<void> {
                    fuzz_check(item.fields.is_object() && item.fields.contains("_is_association"));
                    ids.insert(item.id);
                    told += "\n" + item.id + " " + sdk::dump_json(item.fields);
                    for (const sdk::ContentItem::File& file : item.files)
                        told += told_of(file);
                    return {};
                });
            if (!items) told += told_of(items.error());
            for (const std::string& id : ids) {
                auto acl = content.acl(id);
                if (acl) fuzz_check(acl->is_array());
                told += acl ? sdk::dump_json(*acl) : told_of(acl.error());
            }
            return {};
        });
    if (!contents) told += told_of(contents.error());
    return told;
}

/// All that an import gets to know of an archive.
std::string told_of(const std::vector<std::string>& zips, std::size_t piece_size) {
    std::vector<std::unique_ptr<sdk::testing::MemoryBytes>> bytes;
    std::vector<std::unique_ptr<sdk::ZipReader>> readers;
    archives::ArchiveFiles files;
    std::string told;
    for (const std::string& zip : zips) {
        bytes.push_back(std::make_unique<sdk::testing::MemoryBytes>(zip, piece_size));
        auto reader = sdk::ZipReader::open(*bytes.back(), kLimits);
        if (!reader) return told + told_of(reader.error());
        readers.push_back(std::make_unique<sdk::ZipReader>(*std::move(reader)));
        files.add(*readers.back());
    }
    if (readers.empty()) return told;
    const sdk::ZipReader& first = *readers.front();
    // As an upload reads it.
    auto entry = first.find(archives::kManifestPath);
    if (!entry) return told + told_of(entry.error());
    if (*entry) {
        auto uploaded = archives::read_manifest(first.read(**entry));
        told += uploaded ? sdk::dump_json(uploaded->fields) : told_of(uploaded.error());
    }
    auto manifest = archives::verify_manifest(first, [] { return sdk::Result<void>(); });
    if (!manifest) return told + told_of(manifest.error());
    for (const char* target : {"platform", "repository", "branch", "node"}) {
        auto source = archives::GenerationOneSource::open(files, *manifest, target);
        told += source ? told_of(**source) : told_of(source.error());
    }
    auto source = archives::ArchiveSource::open(families(), files, *manifest);
    return told + (source ? told_of(**source) : told_of(source.error()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto zips = zips_of({reinterpret_cast<const char*>(data), size});
    const std::string whole = told_of(zips, std::string::npos);
    fuzz_check(told_of(zips, 100) == whole);
    return 0;
}
