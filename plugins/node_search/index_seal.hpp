#pragma once

#include <filesystem>
#include <string>

#include <stele/sdk/result.hpp>

namespace stele::node_search {

/// Xapian's files have no checksums. An index that was closed in good order has a file with the
/// digests of the others, so that a byte that changed since is noticed before it is searched.

/// After Xapian has closed. Failures: `unavailable` (`node_search.index_unavailable`).
sdk::Result<void> write_index_seal(const std::filesystem::path& folder);

/// The name of the first file that is not what it was; empty when none is, or there is no seal:
/// then the index was not closed in good order, or is open.
std::string broken_index_seal(const std::filesystem::path& folder);

/// Before Xapian opens the folder to write.
sdk::Result<void> remove_index_seal(const std::filesystem::path& folder);

}  // namespace stele::node_search
