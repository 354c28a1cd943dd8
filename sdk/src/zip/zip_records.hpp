#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/zip.hpp>

#include "zip/zip_directory.hpp"

namespace stele::sdk::zip {

// What a writer puts between the bytes of files. Each is appended to `out`; ZIP64 forms are used
// where a number needs them, and only there.

/// `has_descriptor`: checksum and sizes are not known yet.
void append_local_head(std::string& out, const ZipEntry& entry, bool has_descriptor);
void append_descriptor(std::string& out, const ZipEntry& entry);
void append_directory_head(std::string& out, const ZipEntry& entry, bool has_descriptor);
/// The end of an archive whose directory lies there.
void append_end(std::string& out, const DirectoryPlace& place);

}  // namespace stele::sdk::zip
