#pragma once

#include <stele/sdk/call.hpp>

#include "archive_store.hpp"

namespace stele::archives {

/// Takes the zip of an upload to `{A}` (docs/specification/platform.md 13.2) into the vault's
/// binaries and reads what it, its name and the call's parameters say. Nothing refers to the bytes
/// yet; what `ArchiveStore::put` would refuse is refused before they are there. `invalid` for what
/// is no zip, for forms without the one file, and
/// (`archives.coordinate_missing`) naming what nothing says.
sdk::Result<NewArchive> receive_archive(const sdk::Call& call, const ArchiveStore& store);

}  // namespace stele::archives
