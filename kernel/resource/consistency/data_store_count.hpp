#pragma once

#include <map>
#include <string>
#include <vector>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/content_sizes.hpp>

#include "kernel/resource/record/records.hpp"

namespace stele::kernel::resource {

struct Services;

/// What each data store of a platform holds, by looking at every record. Stores that hold nothing
/// are not in it. Records in spaces are not counted: one of them may show in many collections, and
/// only the plugin knows what it keeps of them.
sdk::Result<std::map<sdk::RecordKey, sdk::DataStoreSize>> count_data_stores(
    Records& records, const sdk::Reader& reader, std::uint64_t platform);

/// Keys of the records of a family at the platform's level.
sdk::Result<std::vector<sdk::RecordKey>> keys_of_family(Records& records, const sdk::Reader& reader,
                                                        const sdk::PlatformScope& platform,
                                                        const RegisteredResource& resource);

/// Compares what is kept of the data stores of a platform with what is in them; one line per
/// difference, and per store that cannot be read.
void check_data_stores(Records& records, sdk::ContentSizes* content_sizes,
                       const sdk::Reader& reader, const sdk::PlatformScope& platform,
                       std::vector<std::string>& differences);

/// Everything that `stele check` compares: records with indexes and counts, data stores with what
/// is in them, collections with the records that contain them, teams with their records and groups.
/// What cannot be read is told of like a difference, and the rest checked nevertheless.
std::vector<std::string> check_store(Services& services);

/// Records of removed containers and platforms that are still to be erased; no difference, but
/// worth a line.
sdk::Result<std::uint64_t> count_removed(sdk::Engine& engine, storage::DocumentStore& documents,
                                         Platforms& platforms);

}  // namespace stele::kernel::resource
