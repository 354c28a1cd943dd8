#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/zip.hpp>

#include "sealing/archive_seal.hpp"
#include "transfer/archive_files.hpp"
#include "transfer/archive_manifest.hpp"
#include "transfer/transfer_services.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// The archive that an import is of, opened and verified; of one that only names others, its parts
/// in the same vault, which are one then. One thread.
class ImportedArchive {
public:
    /// As whoever started the job, which outlives it, may read archives; a job that must stop ends
    /// what it does, too (`unavailable`). `not_found` (`archives.unknown`,
    /// `archives.part_missing` naming it), `invalid` (`archives.part_unfit`), and what
    /// `verify_manifest` and `sdk::ZipReader` refuse.
    static sdk::Result<ImportedArchive> open(const TransferServices& services, sdk::Job& job);

    /// From now on its secrets come along. `invalid`: what `ArchiveSeal` refuses.
    sdk::Result<void> unseal(std::string_view passphrase);

    /// Whoever acts in the context may still READ it and its parts. `not_found`
    /// (`archives.unknown`).
    sdk::Result<void> require_readable(sdk::Context& context) const;

    /// Of its files that were compared with what its manifest says of them.
    std::uint64_t bytes() const { return bytes_; }
    /// It was laid out by hand and has no ids.
    bool is_generation_one() const { return manifest_.model.empty(); }
    /// What is in it, for an import into a record of a type. The archive outlives it.
    sdk::Result<std::unique_ptr<TransferSource>> source(const TransferServices& services,
                                                        std::string_view target_type) const;

    /// What stands in place of an error of whoever reads it: where its stored bytes have changed
    /// since, the archive was not at fault. `internal` (`store.damaged`). Reads all of them.
    sdk::Error blame(const TransferServices& services, sdk::Job& job, sdk::Error error) const;

private:
    ImportedArchive(std::string vault, std::filesystem::path scratch, const Step& step)
        : vault_(std::move(vault)), step_(step), files_(std::move(scratch), step) {}

    struct Opened {
        std::unique_ptr<sdk::BlobStore::Reader> bytes;
        std::unique_ptr<sdk::ZipReader> zip;
    };

    sdk::Result<ArchiveManifest> add(const TransferServices& services, sdk::Job& job,
                                     const Coordinates& coordinates);
    sdk::Result<void> add_part(const TransferServices& services, sdk::Job& job,
                               const sdk::Json& named);

    std::string vault_;
    Step step_;
    std::vector<Coordinates> coordinates_;
    std::vector<Opened> opened_;
    ArchiveFiles files_;
    std::uint64_t bytes_ = 0;
    ArchiveManifest manifest_;
    std::unique_ptr<ArchiveSeal> seal_;
};

}  // namespace stele::archives
