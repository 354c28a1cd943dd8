#pragma once

#include <optional>

#include <simdjson.h>
#include <xapian.h>

#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "candidates.hpp"
#include "terms.hpp"

namespace stele::node_search {

/// The node of a version; nothing for what searches do not find: associations, and nodes whose
/// `f:indexable` is not `enabled`. It lives until the parser reads the next one.
sdk::Result<std::optional<simdjson::dom::object>> read_searched_node(
    simdjson::dom::parser& parser, const sdk::ContentVersion& version);

/// Under this path lies what the attachments of a node say.
inline constexpr char kAttachedPath[] = "_attachments";

/// The document of a version that shows from its revision on.
Xapian::Document make_document(const Terms& terms, const Candidate& candidate,
                               const simdjson::dom::object& node, std::string_view attached);

}  // namespace stele::node_search
