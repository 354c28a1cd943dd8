#include "archive_store.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>
#include <stele/sdk/unnamed_file.hpp>

#include "vault.hpp"

namespace stele::archives {

namespace {

/// Longer ones are like broken ones.
constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 30;

sdk::Result<void> require(sdk::Context& context, const sdk::RecordKey& record,
                          sdk::Permission permission, const char* message) {
    auto may = sdk::holds(context, record, permission);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing", message);
}

sdk::Result<void> require_create(sdk::Context& context, const sdk::RecordKey& vault) {
    return require(context, vault, sdk::Permission::create_subobjects,
                   "CREATE_SUBOBJECTS on the vault is needed for this");
}

/// A damaged manifest in a zip that is otherwise whole.
bool is_of_manifest(const sdk::Error& error) {
    return error.kind == sdk::ErrorKind::invalid || error.kind == sdk::ErrorKind::too_large;
}

sdk::Result<Manifest> read_entry(sdk::Context& context, const sdk::ZipReader& zip,
                                 const sdk::ZipEntry& entry) {
    if (entry.size > kMaxManifestBytes)
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.manifest_malformed",
                               "manifest.json cannot be read: it has more than 1 GiB");
    const sdk::PieceSource read = zip.read(entry);
    auto manifest = read_manifest([&](std::string& piece) -> sdk::Result<void> {
        if (auto left = context.go_on(); !left) return left;
        return read(piece);
    });
    if (manifest || !is_of_manifest(manifest.error())) return manifest;
    sdk::Error error = manifest.error();
    error.code = "archives.manifest_malformed";
    error.kind = sdk::ErrorKind::invalid;
    return error;
}

/// What the server says of the zip, which no body changes.
sdk::Json told_members(const sdk::StoredBytes& bytes, const Manifest& manifest) {
    sdk::Json told = {
        {"contentType", kArchiveContentType}, {"length", bytes.length}, {"size", bytes.length}};
    told["contentCount"] =
        manifest.content_count ? sdk::Json(*manifest.content_count) : sdk::Json(0);
    return told;
}

/// All of it is bad input here, also what would be too large for this server only.
sdk::Error refused_zip(sdk::Error error) {
    if (error.code == "zip.malformed") error.code = "archives.malformed";
    if (error.code == "zip.too_large") {
        error.code = "archives.too_large";
        error.kind = sdk::ErrorKind::invalid;
    }
    return error;
}

sdk::Attachment content_of(const sdk::StoredBytes& bytes) {
    sdk::Attachment content;
    content.content_type = kArchiveContentType;
    content.length = bytes.length;
    content.object_id = bytes.name;
    content.modified_ms = sdk::now_ms();
    return content;
}

}  // namespace

NewArchive::NewArchive() : members(sdk::Json::object()) {}

Coordinates coordinates_of(const sdk::Json& fields) {
    return {sdk::text_member(fields, "group"), sdk::text_member(fields, "artifact"),
            sdk::text_member(fields, "version")};
}

sdk::Error coordinates_taken(const Coordinates& coordinates) {
    return sdk::make_error(
        sdk::ErrorKind::conflict, "archives.coordinates_taken",
        fmt::format("the vault has an archive {}-{}-{} already", coordinates.group,
                    coordinates.artifact, coordinates.version));
}

sdk::Result<std::optional<sdk::Document>> find_by_coordinates(sdk::Context& context,
                                                              const sdk::CollectionName& archives,
                                                              const Coordinates& coordinates) {
    sdk::PageRequest first;
    first.limit = 1;
    auto found = context.documents().query(archives,
                                           {{"group", coordinates.group},
                                            {"artifact", coordinates.artifact},
                                            {"version", coordinates.version}},
                                           first);
    if (!found) return found.error();
    if (found->rows.empty()) return std::optional<sdk::Document>();
    return std::optional(std::move(found->rows.front()));
}

sdk::Result<sdk::CollectionName> ArchiveStore::of_vault(sdk::Context& context,
                                                        std::string_view vault) {
    auto found = sdk::if_readable(context, context.documents().read({kVaultType, ""}, vault));
    if (!found) return found.error();
    if (*found) return sdk::CollectionName{kArchiveType, (*found)->id, (*found)->key};
    return sdk::make_error(sdk::ErrorKind::not_found, "archives.vault_unknown",
                           fmt::format("there is no vault {}", vault));
}

sdk::Result<std::optional<sdk::Document>> ArchiveStore::find(sdk::Context& context,
                                                             const sdk::CollectionName& archives,
                                                             const Coordinates& coordinates) {
    auto found = find_by_coordinates(context, archives, coordinates);
    if (!found || !*found) return found;
    auto may = sdk::holds(context, (*found)->key, sdk::Permission::read);
    if (!may) return may.error();
    return *may ? std::move(found) : std::optional<sdk::Document>();
}

sdk::Result<sdk::Attachment> ArchiveStore::content(sdk::Context& context,
                                                   const sdk::Document& archive) const {
    auto content = binaries_.content(context, archive.key);
    if (!content) return content.error();
    if (!*content)
        return sdk::make_error(sdk::ErrorKind::internal, "archives.content_missing",
                               "the archive has lost its zip", archive.id);
    (*content)->file_name =
        sdk::safe_file_name(archive_file_name(coordinates_of(archive.fields)), archive.id);
    return std::move(**content);
}

sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> ArchiveStore::open(
    sdk::Context& context, const sdk::Document& archive) const {
    auto zip = content(context, archive);
    if (!zip) return zip.error();
    auto binaries = context.data_stores().binaries(archive.key);
    if (!binaries) return binaries.error();
    return (*binaries)->open(zip->object_id);
}

std::filesystem::path ArchiveStore::scratch_folder() const {
    return sdk::scratch_folder_in(registrar_.data_folder());
}

sdk::Result<std::optional<Manifest>> ArchiveStore::describe(sdk::Context& context,
                                                            sdk::BlobStore::Reader& bytes) const {
    auto zip = sdk::ZipReader::open(bytes, kArchiveLimits, scratch_folder());
    if (!zip) {
        return refused_zip(zip.error());
    }
    auto entry = zip->find(kManifestPath);
    if (!entry) return entry.error();
    if (!*entry) return std::optional<Manifest>();
    auto manifest = read_entry(context, *zip, **entry);
    if (!manifest) return manifest.error();
    return std::optional(std::move(*manifest));
}

sdk::Result<std::optional<sdk::Document>> ArchiveStore::find_replaced(
    sdk::Context& context, const sdk::CollectionName& archives, const Coordinates& coordinates) {
    sdk::Violations violations;
    check_coordinates(coordinates, violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    if (auto may = require_create(context, archives.container_key); !may) return may.error();
    auto present = find_by_coordinates(context, archives, coordinates);
    if (!present || !*present) return present;
    auto may_read = sdk::holds(context, (*present)->key, sdk::Permission::read);
    if (!may_read) return may_read.error();
    if (!*may_read) return coordinates_taken(coordinates);
    auto may = require(context, (*present)->key, sdk::Permission::update,
                       "the vault has such an archive already; UPDATE on it is needed for this");
    if (!may) return may.error();
    return present;
}

sdk::Result<sdk::Document> ArchiveStore::put(sdk::Context& context,
                                             const sdk::CollectionName& archives,
                                             NewArchive archive) const {
    auto present = find_replaced(context, archives, archive.coordinates);
    if (!present) return present.error();
    sdk::Json fields = std::move(archive.manifest.fields);
    for (const auto& [name, value] : archive.members.items())
        fields[name] = value;
    fields["group"] = archive.coordinates.group;
    fields["artifact"] = archive.coordinates.artifact;
    fields["version"] = archive.coordinates.version;
    sdk::Documents& documents = context.documents();
    auto kept = *present ? documents.update(archives, (*present)->id, std::move(fields))
                         : documents.create(archives, std::move(fields));
    if (!kept) return kept;
    auto set = binaries_.set_content(context, kept->key, content_of(archive.bytes));
    if (!set) return set.error();
    return context.documents().patch(archives, kept->id,
                                     told_members(archive.bytes, archive.manifest));
}

sdk::Result<sdk::Document> ArchiveStore::copy(sdk::Context& context, const sdk::Document& archive,
                                              const sdk::CollectionName& target) const {
    if (auto may = require_create(context, target.container_key); !may) return may.error();
    const Coordinates coordinates = coordinates_of(archive.fields);
    auto present = find_by_coordinates(context, target, coordinates);
    if (!present) return present.error();
    if (*present) return coordinates_taken(coordinates);
    sdk::Json fields = archive.fields;
    for (const char* own : {"_doc", "_system", kVaultId})
        fields.erase(own);
    sdk::Json told = sdk::Json::object();
    for (const char* member : {"contentType", "length", "size", "contentCount"}) {
        if (const auto value = fields.find(member); value != fields.end()) told[member] = *value;
    }
    auto made = context.documents().create(target, std::move(fields));
    if (!made) return made;
    if (auto copied = binaries_.copy(context, archive.key, made->key); !copied)
        return copied.error();
    return context.documents().patch(target, made->id, told);
}

}  // namespace stele::archives
