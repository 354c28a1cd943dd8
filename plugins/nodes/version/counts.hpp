#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

#include "version_cache.hpp"
#include "version_space.hpp"

namespace stele::nodes {

/// What a changeset does to counts, and what its writer says of it.
struct ChangeRecord {
    Counts counts;
    std::string note;

    std::string encode() const;
    /// `internal` (`nodes.branch_changes_broken`) when the bytes are no such record.
    static sdk::Result<ChangeRecord> decode(std::string_view bytes);
};

/// Those that a line shows at its tip, of a range of keys; an empty end: to the last.
sdk::Result<Counts> tip_counts(const sdk::Reader& reader, const VersionSpace& space, Line line,
                               const sdk::KeyRange& range);

/// The counts that a line shows up to the end of a link, `newest` being the reader's last revision:
/// those of its tip without what later changesets did. Those of the past are remembered.
/// `internal` (`nodes.branch_changes_unfinished`) for the past of a line that the reader, a
/// transaction, has begun to write to.
sdk::Result<std::shared_ptr<const Counts>> counts_at(const sdk::Reader& reader,
                                                     const VersionSpace& space, const Link& link,
                                                     Revision newest);

}  // namespace stele::nodes
