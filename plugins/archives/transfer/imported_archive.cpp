#include "transfer/imported_archive.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "reading/locked_bytes.hpp"
#include "reading/second_look.hpp"
#include "transfer/archive_source.hpp"
#include "transfer/generation_one_source.hpp"

namespace stele::archives {

namespace {

constexpr char kPackage[] = "package";
/// Each is an open file while the import runs.
constexpr std::size_t kMaxParts = 200;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

sdk::Error unfit(std::string problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.part_unfit", std::move(problem));
}

std::string name_of(const Coordinates& coordinates) {
    return fmt::format("{}-{}-{}", coordinates.group, coordinates.artifact, coordinates.version);
}

sdk::Error gone(sdk::Error error, const Coordinates& coordinates) {
    error.message =
        fmt::format("the bytes of the archive {} are no more on the server", name_of(coordinates));
    return error;
}

/// An archive that whoever acts may READ.
sdk::Result<sdk::Document> find_archive(sdk::Context& context, const std::string& vault,
                                        const Coordinates& coordinates) {
    auto archives = ArchiveStore::of_vault(context, vault);
    if (!archives) return archives.error();
    auto archive = ArchiveStore::find(context, *archives, coordinates);
    if (!archive) return archive.error();
    if (*archive) return std::move(**archive);
    return sdk::make_error(sdk::ErrorKind::not_found, "archives.unknown",
                           "there is no archive " + name_of(coordinates) + " in the vault");
}

sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> open_bytes(const TransferServices& services,
                                                                sdk::Job& job,
                                                                const std::string& vault,
                                                                const Coordinates& coordinates) {
    std::unique_ptr<sdk::BlobStore::Reader> bytes;
    const auto open_once = [&](sdk::Context& context) -> sdk::Result<void> {
        if (auto left = context.go_on(); !left) return left;
        auto archive = find_archive(context, vault, coordinates);
        if (!archive) return archive.error();
        auto reader = services.archives.open(context, *archive);
        if (!reader && is_binary_gone(reader.error())) return gone(reader.error(), coordinates);
        if (!reader) return reader.error();
        bytes = *std::move(reader);
        return {};
    };
    auto opened = look_twice(
        [&] { return services.operations.read_as(job.platform(), job.run_as(), open_once); });
    if (!opened) return opened.error();
    return bytes;
}

/// Whether it says that an archive is not what it should be, as damaged bytes look, too.
bool is_of_bytes(const sdk::Error& error) {
    constexpr std::array<std::string_view, 7> kCodes{
        "archives.digest_differs",   "archives.file_unlisted",    "archives.manifest_malformed",
        "archives.manifest_missing", "archives.record_malformed", "archives.seal_broken",
        "archives.seal_malformed"};
    const bool is_of_disk =
        error.kind == sdk::ErrorKind::storage_full || error.kind == sdk::ErrorKind::unavailable;
    return (error.code.starts_with("zip.") && !is_of_disk) ||
           std::find(kCodes.begin(), kCodes.end(), error.code) != kCodes.end();
}

/// What stands in place of an error that an archive has caused, where its bytes are no more what
/// was stored: to read them from the first to the last is to compare them with their name.
sdk::Error judged(const TransferServices& services, sdk::Job& job, const std::string& vault,
                  const Coordinates& coordinates, sdk::Error error) {
    if (!is_of_bytes(error)) return error;
    // Another reader, which has handed out nothing of them yet.
    auto bytes = open_bytes(services, job, vault, coordinates);
    if (!bytes) return error;
    std::string piece;
    for (std::uint64_t offset = 0; offset < (*bytes)->size(); offset += piece.size()) {
        if (job.must_stop()) return error;
        auto read = (*bytes)->read(offset, kPieceBytes, piece);
        if (!read && read.error().code == "store.damaged") {
            sdk::Error damaged = read.error();
            damaged.message = fmt::format(
                "the bytes of the archive {} are damaged on the server: they are no more what was "
                "stored",
                name_of(coordinates));
            return damaged;
        }
        if (!read || piece.empty()) return error;
    }
    return error;
}

/// Before there is a context, which asks by itself.
sdk::Result<void> go_on(const sdk::Job& job) {
    if (!job.must_stop()) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "archives.transfer_stopped",
                           "the job was stopped");
}

}  // namespace

sdk::Result<ImportedArchive> ImportedArchive::open(const TransferServices& services,
                                                   sdk::Job& job) {
    const sdk::Json& input = job.input();
    ImportedArchive archive(sdk::text_member(input, "vaultId"), services.scratch_folder(),
                            [&job] { return go_on(job); });
    auto manifest = archive.add(
        services, job,
        {sdk::text_member(input, "archiveGroup"), sdk::text_member(input, "archiveArtifact"),
         sdk::text_member(input, "archiveVersion")});
    if (!manifest) return manifest.error();
    archive.manifest_ = *std::move(manifest);
    const bool is_index = !archive.manifest_.model.empty() && archive.manifest_.type == kPackage;
    if (!is_index) return archive;
    const sdk::Json parts = archive.manifest_.parts;
    if (!parts.is_array() || parts.empty())
        return unfit("the archive is a package that names no parts");
    if (parts.size() > kMaxParts)
        return unfit(fmt::format("the package names more than {} parts", kMaxParts));
    for (const sdk::Json& named : parts) {
        if (auto added = archive.add_part(services, job, named); !added) return added.error();
    }
    return archive;
}

sdk::Result<ArchiveManifest> ImportedArchive::add(const TransferServices& services, sdk::Job& job,
                                                  const Coordinates& coordinates) {
    auto opened = open_bytes(services, job, vault_, coordinates);
    if (!opened) return opened.error();
    // Records are read ahead while files are brought (`ReadAhead`).
    auto bytes = std::make_unique<LockedBytes>(*std::move(opened));
    auto zip = sdk::ZipReader::open(*bytes, kArchiveLimits, services.scratch_folder());
    if (!zip) return judged(services, job, vault_, coordinates, zip.error());
    std::uint64_t size = 0;
    const auto compared = [&](std::uint64_t done, std::uint64_t of) {
        size = of;
        return job.progress({.bytes = bytes_ + done, .total_bytes = bytes_ + of});
    };
    auto manifest = verify_manifest(*zip, step_, compared);
    if (!manifest) return judged(services, job, vault_, coordinates, manifest.error());
    bytes_ += size;
    opened_.push_back({std::move(bytes), std::make_unique<sdk::ZipReader>(*std::move(zip))});
    files_.add(*opened_.back().zip);
    coordinates_.push_back(coordinates);
    return manifest;
}

sdk::Result<void> ImportedArchive::require_readable(sdk::Context& context) const {
    for (const Coordinates& coordinates : coordinates_) {
        auto archive = find_archive(context, vault_, coordinates);
        if (!archive) return archive.error();
    }
    return {};
}

sdk::Error ImportedArchive::blame(const TransferServices& services, sdk::Job& job,
                                  sdk::Error error) const {
    for (const Coordinates& coordinates : coordinates_) {
        error = judged(services, job, vault_, coordinates, std::move(error));
        if (!is_of_bytes(error)) break;
    }
    return error;
}

sdk::Result<void> ImportedArchive::add_part(const TransferServices& services, sdk::Job& job,
                                            const sdk::Json& named) {
    const Coordinates coordinates{sdk::text_member(named, "group"),
                                  sdk::text_member(named, "artifact"),
                                  sdk::text_member(named, "version")};
    const std::string name = name_of(coordinates);
    auto manifest = add(services, job, coordinates);
    if (!manifest && manifest.error().code == "archives.unknown") {
        return sdk::make_error(sdk::ErrorKind::not_found, "archives.part_missing",
                               "the vault has no part " + name + " of the package");
    }
    if (!manifest) {
        sdk::Error error = manifest.error();
        error.message = name + ": " + error.message;
        return error;
    }
    if (manifest->model.empty()) return unfit(name + " is no part: its manifest has no model");
    if (manifest->type == kPackage) return unfit(name + " is no part, but a package itself");
    const bool says_nothing = !manifest_.sources.is_array() || manifest_.sources.empty();
    if (says_nothing) manifest_.sources = manifest->sources;
    return {};
}

sdk::Result<void> ImportedArchive::unseal(std::string_view passphrase) {
    // Of several zips nobody has sealed all.
    const sdk::Json told = opened_.size() == 1 ? manifest_.seal : sdk::Json();
    auto seal = ArchiveSeal::of(passphrase, told);
    if (!seal) return seal.error();
    if (auto same = seal->check(told, manifest_.content_digest); !same) return same;
    seal_ = std::make_unique<ArchiveSeal>(*std::move(seal));
    return {};
}

sdk::Result<std::unique_ptr<TransferSource>> ImportedArchive::source(
    const TransferServices& services, std::string_view target_type) const {
    if (is_generation_one()) {
        auto source = GenerationOneSource::open(files_, manifest_, target_type);
        if (!source) return source.error();
        return std::unique_ptr<TransferSource>(*std::move(source));
    }
    auto source = ArchiveSource::open(services.families, files_, manifest_, seal_.get());
    if (!source) return source.error();
    return std::unique_ptr<TransferSource>(*std::move(source));
}

}  // namespace stele::archives
