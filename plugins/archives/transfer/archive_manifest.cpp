#include "transfer/archive_manifest.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "archive/characters.hpp"
#include "archive/manifest.hpp"
#include "sealing/archive_seal.hpp"

namespace stele::archives {

namespace {

using sdk::Json;

constexpr std::size_t kMaxManifestDepth = 90;
/// What is remembered at a time.
constexpr std::size_t kMaxEntryBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxKeptBytes = std::size_t{16} << 20;
constexpr std::string_view kContentEntries = "contents";
constexpr std::array<std::string_view, 11> kKeptMembers{
    "format",           "model",   "type",  "group",    "artifact", "version",
    "tipChangesetOnly", "sources", "parts", "includes", "seal"};
/// Of docs/reference/archive-format.md; archives of others have no such number.
constexpr std::int64_t kFormat = 1;

sdk::Error unreadable(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.manifest_malformed",
                           "manifest.json cannot be read: " + problem);
}

/// What an entry of `contents` says of one file.
struct ToldFile {
    std::string name;
    std::string digest = {};
    std::optional<std::uint64_t> size = std::nullopt;
};

/// Compares files with what `contents` says of them.
class Digests {
public:
    Digests(const sdk::ZipReader& zip, const Step& step, const Compared& compared)
        : zip_(zip), step_(step), compared_(compared) {}

    /// Before anything is compared.
    sdk::Result<void> count() {
        return zip_.for_each([this](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
            if (auto may = step_(); !may) return may.error();
            if (entry.is_folder()) return true;
            ++files_;
            bytes_left_ += entry.size;
            bytes_ += entry.size;
            return true;
        });
    }

    sdk::Result<void> check(const std::string& path, const ToldFile& told) {
        ++checked_;
        content_.add(path, told.digest);
        auto found = zip_.find(path);
        if (!found) return found.error();
        const auto differs = [&path](const char* how) {
            return sdk::make_error(
                sdk::ErrorKind::invalid, "archives.digest_differs",
                sdk::shown_path(path) + " is not what the manifest says: " + how);
        };
        if (!*found) return differs("it is missing");
        if (told.size != (*found)->size) return differs("its size differs");
        // A manifest that tells of one file again and again must not cost more than the archive.
        if (checked_ > files_ || (*found)->size > bytes_left_)
            return differs("it is told of more than once");
        bytes_left_ -= (*found)->size;
        sdk::Sha256 digest;
        const sdk::PieceSource read = zip_.read(**found);
        std::string piece;
        do {
            if (auto may = step_(); !may) return may;
            if (auto came = read(piece); !came) return came;
            digest.add(piece);
            bytes_compared_ += piece.size();
            if (!compared_) continue;
            if (auto may = compared_(bytes_compared_, bytes_); !may) return may;
        } while (!piece.empty());
        if (sdk::hex_text(digest.finish()) == told.digest) return {};
        return differs("its SHA-256 differs");
    }
    std::uint64_t checked() const { return checked_; }
    std::uint64_t files() const { return files_; }
    std::string finish(const Json& manifest) { return content_.finish(manifest); }

private:
    const sdk::ZipReader& zip_;
    const Step& step_;
    const Compared& compared_;
    std::uint64_t bytes_ = 0;
    std::uint64_t bytes_compared_ = 0;
    std::uint64_t checked_ = 0;
    std::uint64_t files_ = 0;
    std::uint64_t bytes_left_ = 0;
    ContentDigest content_;
};

/// Keeps the members that imports go by, as JSON text, and has files compared entry by entry of
/// `contents`. The parser's values are never put together: that takes the square of their number.
class ManifestParser {
public:
    ManifestParser(const sdk::PieceSource& read, Digests& digests)
        : characters_(read), digests_(digests) {}

    sdk::Result<Json> parse() {
        const bool is_read =
            Json::sax_parse(CharacterIterator(&characters_), CharacterIterator(nullptr), this);
        if (characters_.failure()) return *characters_.failure();
        if (failure_) return *failure_;
        if (!is_read)
            return unreadable(characters_.is_token_too_long() ? "a text in it is too long"
                                                              : problem_);
        auto kept = sdk::parse_json(kept_);
        if (!kept) return unreadable(kept.error().message);
        return kept;
    }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value) { return add(value); }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(Json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open('{'); }
    bool start_array(std::size_t) { return open('['); }
    bool end_object() { return close('}'); }
    bool end_array() { return close(']'); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
        problem_ = "it is no JSON at byte " + std::to_string(position);
        return false;
    }

    bool key(std::string& name) {
        characters_.begin_token();
        if (depth_ == 1) {
            is_kept_ =
                std::find(kKeptMembers.begin(), kKeptMembers.end(), name) != kKeptMembers.end();
            is_contents_ = name == kContentEntries;
        }
        if (depth_ == kEntryDepth) entry_member_ = name;
        if (is_file_list() && depth_ == kEntryDepth + 1) told_.push_back({.name = name});
        if (depth_ == kEntryDepth + 2) file_member_ = name;
        if (!is_kept_) return count_entry(name.size());
        if (depth_ == 1) is_first_ = kept_.size() == 1;
        if (!keep(Json(name))) return false;
        kept_ += ':';
        is_first_ = true;
        return true;
    }

private:
    /// Open containers inside of an entry of `contents`.
    static constexpr std::size_t kEntryDepth = 3;

    bool is_file_list() const { return is_contents_ && entry_member_ == "files"; }

    bool refuse(sdk::Error error) {
        failure_ = std::move(error);
        return false;
    }

    bool count_entry(std::size_t bytes) {
        const bool is_of_files = is_file_list() && depth_ > kEntryDepth;
        if (!is_of_files) return true;
        entry_bytes_ += bytes + sizeof(ToldFile);
        return entry_bytes_ <= kMaxEntryBytes ||
               refuse(unreadable("an entry of contents is too long"));
    }

    bool keep(const Json& token) {
        if (!is_kept_) return true;
        if (!is_first_) kept_ += ',';
        is_first_ = false;
        sdk::append_json(kept_, token);
        return kept_.size() <= kMaxKeptBytes ||
               refuse(unreadable("it says too much beside its contents"));
    }

    bool add(Json value) {
        characters_.begin_token();
        if (depth_ == 0) return refuse(unreadable("it is no JSON object"));
        if (is_contents_ && depth_ == kEntryDepth && entry_member_ == "location" &&
            value.is_string())
            location_ = value.get<std::string>();
        if (is_file_list() && depth_ == kEntryDepth + 2 && !told_.empty()) {
            if (file_member_ == "sha256" && value.is_string())
                told_.back().digest = value.get<std::string>();
            if (file_member_ == "size" && value.is_number_unsigned())
                told_.back().size = value.get<std::uint64_t>();
        }
        return keep(value);
    }

    bool open(char bracket) {
        characters_.begin_token();
        if (depth_ == 0 && bracket == '[') return refuse(unreadable("it is no JSON object"));
        if (depth_ >= kMaxManifestDepth) return refuse(unreadable("it nests too deep"));
        if (depth_ == kEntryDepth - 1) {
            location_.clear();
            entry_member_.clear();
            entry_bytes_ = 0;
        }
        if (is_kept_ || depth_ == 0) {
            if (!is_first_) kept_ += ',';
            kept_ += bracket;
            is_first_ = true;
        }
        ++depth_;
        return true;
    }

    bool close(char bracket) {
        characters_.begin_token();
        --depth_;
        if (is_kept_ || depth_ == 0) {
            kept_ += bracket;
            is_first_ = false;
        }
        if (!is_contents_ || depth_ != kEntryDepth - 1) return true;
        for (const ToldFile& told : told_) {
            if (auto same = digests_.check(location_ + '/' + told.name, told); !same)
                return refuse(same.error());
        }
        told_.clear();
        return true;
    }

    Characters characters_;
    Digests& digests_;
    std::size_t depth_ = 0;
    bool is_kept_ = false;
    bool is_contents_ = false;
    std::string kept_;
    /// Of what comes next, where it is kept.
    bool is_first_ = true;
    /// Of the entry that is being read.
    std::string location_;
    std::string entry_member_;
    std::string file_member_;
    std::vector<ToldFile> told_;
    std::size_t entry_bytes_ = 0;
    std::string problem_;
    std::optional<sdk::Error> failure_;
};

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

sdk::Result<ArchiveManifest> verify_manifest(const sdk::ZipReader& zip, const Step& step,
                                             const Compared& compared) {
    auto entry = zip.find(kManifestPath);
    if (!entry) return entry.error();
    if (!*entry) return no_manifest();
    Digests digests(zip, step, compared);
    if (auto counted = digests.count(); !counted) return counted.error();
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
    manifest.seal = member_or(*parsed, "seal", Json());
    manifest.content_digest = digests.finish(*parsed);
    manifest.has_digests = digests.checked() > 0;
    if (!manifest.has_digests) return manifest;
    if (digests.files() == digests.checked() + 1) return manifest;
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.file_unlisted",
                           "the archive has files that its manifest does not tell of");
}

}  // namespace stele::archives
