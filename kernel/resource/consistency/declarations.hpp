#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::resource {

class Registry;
struct Services;

/// Makes what a store holds fit what the enabled plugins declare now: rows for fields that have
/// become unique, counts and states for families that have become data stores. Remembers per
/// platform and type what is done, so that nothing is looked at twice. Before serving begins, and
/// before anything is written; `conflict` (`document.value_duplicate`) when the records do not fit.
sdk::Result<void> apply_declarations(Services& services);

/// Says of a new platform that what it will hold fits.
void mark_declared(const Registry& registry, sdk::Transaction& transaction, std::uint64_t platform);

/// Whether the records of a type have been made data stores on a platform.
sdk::Result<bool> are_data_stores(const sdk::Reader& reader, std::uint64_t platform,
                                  const std::string& type);

}  // namespace stele::kernel::resource
