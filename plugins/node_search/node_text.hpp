#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::node_search {

/// One value of a node as text.
struct FieldText {
    /// Names of the members on the way, with dots between; places in lists do not count.
    std::string_view path;
    std::string_view text;
    /// Whether a term without a field finds it.
    bool is_in_all = true;
};

/// Whether a path lies in members that the server makes for every node. Its words have no places.
bool is_of_the_server(std::string_view path);

/// Whether a path is a date of the server's (`_system.created_on.iso_8601`): its words are one,
/// with blanks between.
bool is_date_of_the_server(std::string_view path);
/// What stands for the words of such a date in the index and in searches.
std::vector<std::string> as_one_word(const std::vector<std::string>& words);

/// Every text, number and truth value of a node; of what the server makes only texts: parts of
/// dates and counts are for queries.
void for_each_text(const sdk::Json& node, const std::function<void(const FieldText&)>& visit);

}  // namespace stele::node_search
