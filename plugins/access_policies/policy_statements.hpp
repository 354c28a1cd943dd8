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
/// The conditions of a policy that ask for what none of the records has that its statement is
/// about.
sdk::Violations unfit_conditions(const CompiledPolicy& policy,
                                 const std::vector<sdk::PolicyFamily>& families);

/// Runs the statements of policies, already in order, over a record: a grant adds its roles, a
/// revoke takes the permissions of its roles away from what policies gave so far. A
/// failure gives nothing.
///
/// What came from other places is subject to what holds there: a grant counts where it holds at
/// all of them, or names the record's own by its id; a revoke counts where it holds at any.
sdk::Result<sdk::PolicySource::Given> run_statements(
    const std::vector<std::shared_ptr<const CompiledPolicy>>& policies, const SubjectFacts& facts,
    const std::function<sdk::PermissionSet(std::string_view role_key)>& permissions_of);

}  // namespace stele::access_policies
