#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "condition.hpp"

namespace stele::access_policies {

enum class StatementAction { grant, revoke };

struct Statement {
    StatementAction action = StatementAction::grant;
    std::vector<std::string> roles;
    std::vector<Condition> conditions;
};

/// Statements order a missing `order` counts as (docs/specification/rulings.md).
inline constexpr std::int64_t kDefaultOrder = 100'000;

/// What the evaluation needs of a policy. Immutable; any thread.
struct CompiledPolicy {
    std::string id;
    std::int64_t order = kDefaultOrder;
    /// Creation sequence, the second key of the order.
    std::string created;
    bool is_project_scoped = false;
    std::vector<Statement> statements;
};

/// Compiles `order`, `scope` and `statements` of a policy's fields. All problems are reported, each
/// with its path.
sdk::Result<CompiledPolicy> compile_policy(const sdk::Json& fields);

/// Runs the statements of policies, already in order, over a record: a grant adds its roles, a
/// revoke takes the permissions of its roles away from what policies gave so far
/// (docs/specification/platform.md 5.3).
sdk::Result<sdk::PolicySource::Given> run_statements(
    const std::vector<std::shared_ptr<const CompiledPolicy>>& policies,
    const sdk::PolicySubject& subject,
    const std::function<sdk::PermissionSet(std::string_view role_key)>& permissions_of);

}  // namespace stele::access_policies
