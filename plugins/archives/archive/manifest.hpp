#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "coordinates.hpp"

namespace stele::archives {

/// In the root of the zip.
inline constexpr char kManifestPath[] = "manifest.json";

/// What an archive's manifest says that its record tells, too.
struct Manifest {
    /// The members of `manifest_members()` that are there, are of a fitting kind and not longer
    /// than 64 KiB each, as JSON text.
    sdk::Json fields;
    /// How many entries `contents` has, however long it is; nothing where there is none.
    std::optional<std::uint64_t> content_count;

    Manifest();
    Coordinates coordinates() const;
};

/// Reads a manifest piece by piece: a long one takes no more memory than a short one. `invalid`
/// (`archives.manifest_malformed`) when it is no JSON object, nests deeper than 90 levels or has a
/// text longer than 1 MiB; what `read` fails with is passed on.
sdk::Result<Manifest> read_manifest(const sdk::PieceSource& read);
/// The same of one that is at hand.
sdk::Result<Manifest> read_manifest(const sdk::Json& manifest);

}  // namespace stele::archives
