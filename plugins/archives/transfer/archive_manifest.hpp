#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/zip.hpp>

#include "archive/coordinates.hpp"
#include "transfer/archive_files.hpp"

namespace stele::archives {

/// What an import goes by of an archive's manifest; the entries of `contents` were compared with
/// the files and forgotten.
struct ArchiveManifest {
    /// Empty in archives that were laid out by hand (docs/specification/merge_and_transfer.md 5.1).
    std::string model;
    /// What it holds, as it says itself.
    std::string type;
    Coordinates coordinates;
    bool is_tip_only = false;
    /// Arrays of `{typeId, id, key}`, one for each subject.
    sdk::Json sources;
    /// Of an archive that only names others: `{group, artifact, version}` each.
    sdk::Json parts;
    sdk::Json includes;
    /// Every file but the manifest has a digest there, and has it.
    bool has_digests = false;
    /// How secrets are sealed; null where none are.
    sdk::Json seal;
    /// `ContentDigest` of the files that it tells of.
    std::string content_digest;

    ArchiveManifest();
};

/// `invalid` (`archives.manifest_missing`).
sdk::Error no_manifest();

/// Reads the manifest piece by piece and, where it tells the SHA-256 of files, reads these and
/// compares: all of the archive, before anything is made of it. `invalid`:
/// `archive.manifest_missing`, `archive.manifest_malformed`, `archive.digest_differs` (naming the
/// file), `archive.file_unlisted`. `step` is asked for each piece that is read,
/// and `compared` told how many bytes of files have been, of how many.
using Compared = std::function<sdk::Result<void>(std::uint64_t bytes, std::uint64_t of)>;
sdk::Result<ArchiveManifest> verify_manifest(const sdk::ZipReader& zip, const Step& step,
                                             const Compared& compared = {});

}  // namespace stele::archives
