#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace stele::node_search {

/// One value of a node as text.
struct FieldText {
    /// Names of the members on the way, with dots between; places in lists do not count.
    std::string_view path;
    std::string_view text;
    /// Whether a term without a field finds it.
    bool is_in_all = true;
    /// What the text was written from.
    std::optional<double> number = {};
};

/// Whether a path lies in members that the server makes for every node. Its words have no places.
bool is_of_the_server(std::string_view path);

/// Whether the words of a path are one, with blanks between: dates of the server's
/// (`_system.created_on.iso_8601`), names of types and of nodes. Places cost more than all the
/// rest.
bool is_found_whole(std::string_view path);
/// What stands for the words of such a value in the index and in searches.
std::string as_one_word(const std::vector<std::string>& words);

/// The place of a path among those at which every node has a value. No document needs to say that
/// it has one, and terms name the place. Part of the index's format.
std::optional<std::size_t> place_of_common(std::string_view path);

/// Every text, number and truth value of a node; of what the server makes only texts, and of its
/// dates only the one of ISO 8601: parts of dates and counts are for queries.
void for_each_text(const simdjson::dom::object& node,
                   const std::function<void(const FieldText&)>& visit);

}  // namespace stele::node_search
