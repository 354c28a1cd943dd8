#pragma once

#include <functional>
#include <string>
#include <string_view>

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

/// Every text, number and truth value of a node.
void for_each_text(const sdk::Json& node, const std::function<void(const FieldText&)>& visit);

}  // namespace stele::node_search
