#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

struct StoreTable {
    std::uint64_t level = 0;
    std::uint64_t size = 0;
    std::string first;  ///< its first key
    std::string last;   ///< its last key
};

/// By their numbers, the newest last.
using StoreTables = std::map<std::uint64_t, StoreTable>;

/// The files that a LevelDB store consists of, as its manifest says.
struct StoreManifest {
    std::string name;  ///< of the manifest's own file
    StoreTables tables;
    std::uint64_t first_log = 0;  ///< logs before it are of no use
};

/// Names of files by their numbers.
std::string table_name(std::uint64_t number);
std::string log_name(std::uint64_t number);

/// The whole file; `internal` (`store.damaged`) when it cannot be read.
sdk::Result<std::string> read_store_file(const std::filesystem::path& file);

/// What `CURRENT` names, without reading it; `internal` (`store.damaged`).
sdk::Result<std::string> present_manifest(const std::filesystem::path& folder);

/// `internal` (`store.damaged`), with file and offset.
sdk::Result<StoreManifest> read_manifest(const std::filesystem::path& folder);

/// Whether the log that the manifest names is there: LevelDB makes it before it names it, and what
/// was acknowledged last lies in it. `internal` (`store.damaged`).
sdk::Result<void> check_log_is_there(const std::filesystem::path& folder,
                                     const StoreManifest& manifest);

/// That something in a file of the store is not what was written.
sdk::Error damaged_file(const std::filesystem::path& file, const std::string& what);

}  // namespace stele::kernel::storage
