#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::access_policies {

/// Id and key of the policy below; no record of a policy may be called so.
inline constexpr char kRootNodeKey[] = "root-node";

/// What the grants of a principal on the root node of a branch mean for the other nodes of its
/// tree, written down as a policy (docs/specification/platform.md 5.5): what `collect` adds for a
/// node. Not stored, never assigned and not evaluated, as the grants count anyway. Null for
/// records of other families. `is_told` false leaves the roles out.
sdk::Result<sdk::Json> root_node_policy(sdk::Context& context, const sdk::RecordKey& record,
                                        const sdk::RecordKey& principal, bool is_told);

}  // namespace stele::access_policies
