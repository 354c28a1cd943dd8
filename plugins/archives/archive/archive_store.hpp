#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/record_binaries.hpp>
#include <stele/sdk/zip.hpp>

#include "coordinates.hpp"
#include "manifest.hpp"

namespace stele::archives {

inline constexpr char kArchiveType[] = "archive";
inline constexpr char kArchiveContentType[] = "application/zip";

/// What an archive may hold, whoever sends it.
inline constexpr sdk::ZipLimits kArchiveLimits{.entries = 10'000'000,
                                               .expansion = 200,
                                               .least_bytes = std::uint64_t{1} << 30,
                                               .most_bytes = std::uint64_t{1} << 40};

/// An archive on its way into a vault.
struct NewArchive {
    Coordinates coordinates;
    /// The zip, in the binaries of the vault already.
    sdk::StoredBytes bytes;
    Manifest manifest;
    /// What the sender says besides: `type`, `title`, `description`, `published`. Comes before the
    /// manifest.
    sdk::Json members;

    NewArchive();
};

/// The archives of vaults, for whoever acts in the given context: inside its transaction, by its
/// rights. Any thread.
class ArchiveStore {
public:
    /// Both must outlive it.
    ArchiveStore(sdk::RecordBinaries& binaries, sdk::Registrar& registrar)
        : binaries_(binaries), registrar_(registrar) {}

    /// For files without names; made when it is missing.
    std::filesystem::path scratch_folder() const;

    /// The collection of a vault's archives, by the vault's id or alias; `not_found`
    /// (`archives.vault_unknown`) also for one that may not be read.
    static sdk::Result<sdk::CollectionName> of_vault(sdk::Context& context, std::string_view vault);

    /// The archive of the coordinates, if there is one that may be read.
    static sdk::Result<std::optional<sdk::Document>> find(sdk::Context& context,
                                                          const sdk::CollectionName& archives,
                                                          const Coordinates& coordinates);

    /// Its zip, as an attachment that has the archive's file name.
    sdk::Result<sdk::Attachment> content(sdk::Context& context, const sdk::Document& archive) const;
    /// The bytes of the zip. The reader may outlive the context.
    sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> open(sdk::Context& context,
                                                              const sdk::Document& archive) const;

    /// Reads what a zip says of itself. `invalid` where it is none (`archives.malformed`), holds
    /// more than `kArchiveLimits` (`archives.too_large`), or is refused by `sdk::ZipReader`. A
    /// manifest that cannot be read is `invalid`
    /// (`archives.manifest_malformed`); nothing where the zip has none.
    sdk::Result<std::optional<Manifest>> describe(sdk::Context& context,
                                                  sdk::BlobStore::Reader& bytes) const;

    /// The archive that `put` would replace. Fails as `put` does before it writes.
    static sdk::Result<std::optional<sdk::Document>> find_replaced(
        sdk::Context& context, const sdk::CollectionName& archives, const Coordinates& coordinates);

    /// Makes the archive, or puts it in the place of the one of the same coordinates, which keeps
    /// its id, its rights, its attachments and, where `members` does not say, `published`. Asks for
    /// CREATE_SUBOBJECTS on the vault, and for UPDATE on the archive that is replaced: `forbidden`;
    /// where that one may not even be read `conflict` (`archives.coordinates_taken`). Otherwise
    /// fails like writes do; `storage_full` where the vault has no room.
    sdk::Result<sdk::Document> put(sdk::Context& context, const sdk::CollectionName& archives,
                                   NewArchive archive) const;

    /// Copies an archive, its zip and its attachments into another vault. Asks for
    /// CREATE_SUBOBJECTS there; `conflict` (`archives.coordinates_taken`) where the coordinates are
    /// in use.
    sdk::Result<sdk::Document> copy(sdk::Context& context, const sdk::Document& archive,
                                    const sdk::CollectionName& target) const;

private:
    sdk::RecordBinaries& binaries_;
    sdk::Registrar& registrar_;
};

/// The coordinates that a record says.
Coordinates coordinates_of(const sdk::Json& fields);

/// The archive of the coordinates, whoever may read it.
sdk::Result<std::optional<sdk::Document>> find_by_coordinates(sdk::Context& context,
                                                              const sdk::CollectionName& archives,
                                                              const Coordinates& coordinates);

/// `conflict` (`archives.coordinates_taken`).
sdk::Error coordinates_taken(const Coordinates& coordinates);

}  // namespace stele::archives
