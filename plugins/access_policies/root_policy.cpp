#include "root_policy.hpp"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace stele::access_policies {

namespace {

constexpr std::string_view kNodeWord = "node://";
constexpr std::string_view kRootAlias = "root";

/// Roles that the principal has on the node by grants that lie on the root.
sdk::Result<std::set<std::string>> roles_from(sdk::Context& context, const sdk::RecordKey& root,
                                              const sdk::RecordKey& node,
                                              const sdk::RecordKey& principal) {
    auto origins = context.authorities().report(node, principal);
    if (!origins) return origins.error();
    std::set<std::string> roles;
    for (const sdk::GrantOrigin& origin : *origins) {
        if (origin.inherits_from.value_or(node) == root) roles.insert(origin.role_key);
    }
    return roles;
}

/// A text as it is, for a condition that takes expressions.
std::string exactly(std::string_view text) {
    return "\\Q" + std::string(text) + "\\E";
}

sdk::Json policy_of(std::string_view branch_id, const std::set<std::string>& roles) {
    sdk::Json statements = sdk::Json::array();
    if (!roles.empty()) {
        const sdk::Json in_branch{{"type", "branch"}, {"config", {{"id", exactly(branch_id)}}}};
        const sdk::Json in_tree{{"type", "path"}, {"config", {{"path", "^/.*"}}}};
        statements.push_back({{"action", "grant"},
                              {"roles", roles},
                              {"conditions", sdk::Json::array({in_branch, in_tree})}});
    }
    return {{"_doc", kRootNodeKey},
            {"key", kRootNodeKey},
            {"title", "Root Node"},
            {"description",
             "What is granted on the root node of the branch counts on every node of its tree."},
            {"system", true},
            {"order", 1000},
            {"scope", "platform"},
            {"statements", std::move(statements)}};
}

}  // namespace

sdk::Result<sdk::Json> root_node_policy(sdk::Context& context, const sdk::RecordKey& record,
                                        const sdk::RecordKey& principal, bool is_told) {
    // node://platform/repository/branch/node
    auto reference = context.reference(record);
    if (!reference) return reference.error();
    if (reference->rfind(kNodeWord, 0) != 0) return sdk::Json();
    const std::string branch = reference->substr(0, reference->rfind('/'));
    auto root = context.find_reference(branch + "/" + std::string(kRootAlias));
    if (!root && sdk::is_missing(root.error())) return sdk::Json();
    if (!root) return root.error();
    std::set<std::string> roles;
    if (is_told) {
        auto found = roles_from(context, *root, record, principal);
        if (!found) return found.error();
        roles = *std::move(found);
    }
    return policy_of(branch.substr(branch.rfind('/') + 1), roles);
}

}  // namespace stele::access_policies
