#pragma once

#include <functional>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::authority {

/// Records from which another one inherits (`AuthorityStore::inherit`), in the order of their keys.
sdk::Result<std::vector<sdk::RecordKey>> sources_of(const sdk::Reader& reader,
                                                    const sdk::RecordKey& record);

/// Records that inherit from this one, in the order of their keys.
sdk::Result<std::vector<sdk::RecordKey>> heirs_of(const sdk::Reader& reader,
                                                  const sdk::RecordKey& source);

/// Visits the records with the prefix that inherit, with what each inherits from.
using VisitHeir =
    std::function<sdk::Result<void>(const sdk::RecordKey& record, const sdk::RecordKey& source)>;
sdk::Result<void> each_heir(const sdk::Reader& reader, std::uint64_t platform,
                            std::string_view record_key_prefix, const VisitHeir& visit);

/// Forgets what a removed record inherited from, and what inherited from it. True when there was
/// anything.
sdk::Result<bool> forget_inheritance(sdk::Transaction& transaction, const sdk::RecordKey& record);

}  // namespace stele::kernel::authority
