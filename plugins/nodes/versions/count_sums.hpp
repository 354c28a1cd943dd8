#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

#include "version_space.hpp"

namespace stele::nodes {

/// What a changeset does to counts, and what its writer says of it.
struct ChangeRecord {
    std::map<std::string, std::int64_t, std::less<>> counts;
    std::string note;

    std::string encode() const;
    /// `internal` (`branch.changes_broken`) when the bytes are no such record.
    static sdk::Result<ChangeRecord> decode(std::string_view bytes);
};

/// A count as a view shows it: the sum of what its changesets did.
sdk::Result<std::int64_t> sum_of(const sdk::Reader& reader, const VersionSpace& space,
                                 const View& view, std::string_view key);

}  // namespace stele::nodes
