#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/content_log.hpp>

namespace stele::node_search {

/// For `stele check`: compares which versions of nodes the index has with the history, up to each
/// repository's mark, and adds a line for each repository where they differ, or that cannot be
/// compared. Changes nothing, and reads beside a server that writes the index. What the server
/// makes anew at its start is no difference: an index that is missing, or has another store's
/// history.
void check_index(sdk::ContentLog& log, const sdk::Reader& reader,
                 const std::filesystem::path& folder, std::vector<std::string>& differences);

}  // namespace stele::node_search
