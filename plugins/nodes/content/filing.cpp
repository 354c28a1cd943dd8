#include "content/filing.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

sdk::Result<void> check_rights(const BranchContent& content, const sdk::Document& folder,
                               const sdk::Document& node) {
    sdk::Context& context = content.context();
    if (context.session().is_system) return {};
    for (const sdk::Permission needed : {sdk::Permission::update, sdk::Permission::remove}) {
        if (auto may = content.require(node, needed); !may) return may;
    }
    auto on_folder = context.authorities().permissions(context.principal().key, folder.key);
    if (!on_folder) return on_folder.error();
    auto on_node = context.authorities().permissions(context.principal().key, node.key);
    if (!on_node) return on_node.error();
    if (on_node->contains(*on_folder)) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("whoever files node {} must hold every permission on it that they hold on {}",
                    node.id, folder.id));
}

sdk::Result<void> check_acyclic(const BranchContent& content, const sdk::Document& folder,
                                const sdk::Document& node, std::string_view type) {
    bool is_cyclic = folder.id == node.id;
    if (!is_cyclic && type == association::kChild) {
        auto above = content.ancestors(folder.id);
        if (!above) return above.error();
        is_cyclic = std::find(above->begin(), above->end(), node.id) != above->end();
    }
    if (!is_cyclic) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "node.association_cyclic",
                           fmt::format("node {} cannot contain itself", node.id));
}

}  // namespace

bool is_containment(std::string_view type) {
    return type == association::kChild || type == association::kOwned;
}

sdk::Result<void> require_filing(const BranchContent& content, const sdk::Document& folder,
                                 const sdk::Document& node, std::string_view type) {
    if (auto checked = check_rights(content, folder, node); !checked) return checked;
    return check_acyclic(content, folder, node, type);
}

}  // namespace stele::nodes
