#include "transfer/archive_manifest.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "archive/characters.hpp"
#include "archive/manifest.hpp"

namespace stele::archives {

namespace {

using sdk::Json;

constexpr int kMaxManifestDepth = 90;
constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMaxOtherBytes = std::uint64_t{16} << 20;
constexpr char kEntries[] = "contents";
/// Of docs/reference/archive-format.md; archives of others have no such number.
constexpr std::int64_t kFormat = 1;

sdk::Error unreadable(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.manifest_malformed",
                           "manifest.json cannot be read: " + problem);
}

/// Compares files with what `contents` says of them.
class Digests {
public:
    explicit Digests(const sdk::ZipReader& zip) : zip_(zip) {}

    sdk::Result<void> check(const Json& entry) {
        if (!entry.is_object()) return {};
        const auto files = entry.find("files");
        if (files == entry.end() || !files->is_object()) return {};
        const std::string location = sdk::text_member(entry, "location");
        for (const auto& [name, told] : files->items()) {
            if (auto same = check_file(location + '/' + name, told); !same) return same;
        }
        return {};
    }
    std::uint64_t checked() const { return checked_; }

private:
    sdk::Result<void> check_file(const std::string& path, const Json& told) {
        ++checked_;
        auto found = zip_.find(path);
        if (!found) return found.error();
        const auto differs = [&path](const char* how) {
            return sdk::make_error(sdk::ErrorKind::invalid, "archives.digest_differs",
                                   path + " is not what the manifest says: " + how);
        };
        if (!*found) return differs("it is missing");
        const auto size = sdk::integer_member(told, "size");
        if (!size || static_cast<std::uint64_t>(*size) != (*found)->size)
            return differs("its size differs");
        sdk::Sha256 digest;
        const sdk::PieceSource read = zip_.read(**found);
        std::string piece;
        do {
            if (auto came = read(piece); !came) return came;
            digest.add(piece);
        } while (!piece.empty());
        if (sdk::hex_text(digest.finish()) == sdk::text_member(told, "sha256")) return {};
        return differs("its SHA-256 differs");
    }

    const sdk::ZipReader& zip_;
    std::uint64_t checked_ = 0;
};

/// Builds the manifest without its contents, whose entries it hands on one by one.
class ManifestParser {
public:
    ManifestParser(const sdk::PieceSource& read, Digests& digests)
        : characters_(read), digests_(digests) {}

    sdk::Result<Json> parse() {
        const auto callback = [this](int depth, Json::parse_event_t event, Json& value) {
            return take(depth, event, value);
        };
        Json manifest = Json::parse(CharacterIterator(&characters_), CharacterIterator(nullptr),
                                    callback, false);
        if (characters_.failure()) return *characters_.failure();
        if (failure_) return *failure_;
        if (!manifest.is_object()) return unreadable("it is no JSON object");
        return manifest;
    }

private:
    bool take(int depth, Json::parse_event_t event, Json& value) {
        characters_.begin_token();
        if (failure_) return false;
        if (depth > kMaxManifestDepth) return refuse(unreadable("it nests too deep"));
        if (event == Json::parse_event_t::key && depth == 1) member_ = value.get<std::string>();
        const bool is_of_contents = depth >= 2 && member_ == kEntries;
        const bool is_entry = is_of_contents && depth == 2;
        if (is_of_contents) {
            if (is_entry) begin_ = characters_.taken();
            if (characters_.taken() - begin_ > kMaxEntryBytes)
                return refuse(unreadable("an entry of contents is too long"));
        } else if ((others_ += characters_.taken() - last_) > kMaxOtherBytes) {
            return refuse(unreadable("it says too much beside its contents"));
        }
        last_ = characters_.taken();
        const bool is_end = event == Json::parse_event_t::object_end;
        if (!is_entry || !is_end) return true;
        if (auto checked = digests_.check(value); !checked) return refuse(checked.error());
        return false;
    }
    bool refuse(sdk::Error error) {
        failure_ = std::move(error);
        characters_.end();
        return false;
    }

    Characters characters_;
    Digests& digests_;
    std::string member_;
    std::uint64_t begin_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t others_ = 0;
    std::optional<sdk::Error> failure_;
};

std::uint64_t count_files(const sdk::ZipReader& zip, sdk::Result<void>& counted) {
    std::uint64_t files = 0;
    counted = zip.for_each([&files](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
        if (!entry.is_folder()) ++files;
        return true;
    });
    return files;
}

Json member_or(const Json& manifest, const char* name, Json fallback) {
    const auto member = manifest.find(name);
    return member == manifest.end() ? fallback : *member;
}

}  // namespace

ArchiveManifest::ArchiveManifest()
    : sources(Json::array()), parts(Json::array()), includes(Json::array()) {}

sdk::Error no_manifest() {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.manifest_missing",
                           "the archive has no manifest.json, so nothing says what is in it");
}

sdk::Result<ArchiveManifest> verify_manifest(const sdk::ZipReader& zip) {
    auto entry = zip.find(kManifestPath);
    if (!entry) return entry.error();
    if (!*entry) return no_manifest();
    Digests digests(zip);
    const sdk::PieceSource read = zip.read(**entry);
    auto parsed = ManifestParser(read, digests).parse();
    if (!parsed) return parsed.error();
    if (sdk::integer_member(*parsed, "format").value_or(kFormat) > kFormat) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.format_unknown",
                               "the archive was written by a newer version of the server");
    }
    ArchiveManifest manifest;
    manifest.model = sdk::text_member(*parsed, "model");
    manifest.type = sdk::text_member(*parsed, "type");
    manifest.coordinates = {sdk::text_member(*parsed, "group"),
                            sdk::text_member(*parsed, "artifact"),
                            sdk::text_member(*parsed, "version")};
    manifest.is_tip_only = sdk::flag_member(*parsed, "tipChangesetOnly", false);
    manifest.sources = member_or(*parsed, "sources", Json::array());
    manifest.parts = member_or(*parsed, "parts", Json::array());
    manifest.includes = member_or(*parsed, "includes", Json::array());
    manifest.is_sealed = digests.checked() > 0;
    if (!manifest.is_sealed) return manifest;
    sdk::Result<void> counted;
    const std::uint64_t files = count_files(zip, counted);
    if (!counted) return counted.error();
    if (files == digests.checked() + 1) return manifest;
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.file_unlisted",
                           "the archive has files that its manifest does not tell of");
}

}  // namespace stele::archives
