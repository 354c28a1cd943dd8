#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/services/content_log.hpp>

#include "attachment/attachments.hpp"

namespace stele::nodes {

/// Files of a repository beside its branches (docs/specification/nodes.md 3), by name: no versions,
/// each an attachment whose id is its name. Rows below a key space of the platform:
///
///   nodes.file   repository number name -> `Attachment::to_json`
///
/// Nothing where there is none of that name.
sdk::Result<std::optional<Attachment>> find_file(const sdk::Reader& reader,
                                                 const sdk::ContentSpace& space,
                                                 std::string_view name);
void put_file(sdk::Transaction& transaction, const sdk::ContentSpace& space,
              const Attachment& file);
void remove_file(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                 std::string_view name);
/// By their names.
sdk::Result<void> for_each_file(const sdk::Reader& reader, const sdk::ContentSpace& space,
                                const std::function<void(const Attachment& file)>& visit);
/// Prefix of the rows of a repository.
std::string file_rows(const sdk::ContentSpace& space);

}  // namespace stele::nodes
