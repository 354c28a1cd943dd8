#pragma once

#include <optional>

#include <xapian.h>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "candidates.hpp"
#include "terms.hpp"

namespace stele::node_search {

/// The node of a version; nothing for what searches do not find: associations, and nodes whose
/// `f:indexable` is not `enabled`.
sdk::Result<std::optional<sdk::Json>> read_searched_node(const sdk::ContentVersion& version);

/// Under this path lies what the attachments of a node say.
inline constexpr char kAttachedPath[] = "_attachments";

/// The document of a version that shows from its revision on.
Xapian::Document make_document(const Terms& terms, const Candidate& candidate,
                               const sdk::Json& node, std::string_view attached);

}  // namespace stele::node_search
