#pragma once

#include <cstddef>
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

/// What one node puts into the vocabulary, which all searches of its repository share: different
/// numbers and dates of one field, and different words of all that it says. A megabyte of prose,
/// as much as is read of attachments, has less than ten thousand; lists of measurements are no
/// text. What is beyond is not found (docs/decisions/0133-what-clients-choose-is-not-repeated.md).
inline constexpr std::size_t kMaxValuesOfField = 1000;
inline constexpr std::size_t kMaxWordsOfNode = 20'000;

/// The document of a version that shows from its revision on.
Xapian::Document make_document(const Terms& terms, const Candidate& candidate,
                               const simdjson::dom::object& node, std::string_view attached);

}  // namespace stele::node_search
