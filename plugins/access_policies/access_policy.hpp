#pragma once

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/principal_directory.hpp>

#include "policy_evaluator.hpp"

namespace stele::access_policies {

/// Policies that bestow grants and revokes on assigned users, groups and teams
/// (docs/specification/interface.md 3.1; docs/specification/platform.md 5). Whoever changes,
/// assigns or unassigns one can give rights to anybody or take them, so that needs
/// MODIFY_PERMISSIONS on the platform and everything that the policy can give or take.
///
/// Thread safety: methods may run concurrently; the object has no state of its own.
class AccessPolicy final : public sdk::Resource {
public:
    /// Both must outlive it.
    AccessPolicy(const PolicyEvaluator& evaluator, sdk::PrincipalDirectory& principals)
        : evaluator_(evaluator), principals_(principals) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;

    /// POST {policy}/assign?ref= and {policy}/unassign?ref=
    sdk::Result<sdk::Reply> assign(const sdk::Call& call);
    sdk::Result<sdk::Reply> unassign(const sdk::Call& call);
    /// GET {policy}/targets : the assigned references as strings.
    sdk::Result<sdk::Reply> targets(const sdk::Call& call);
    /// POST {policies}/unassignall?ref= : by whatever reference they were assigned to the same
    /// principal. All or none; answers those of them that the caller may read.
    sdk::Result<sdk::Reply> unassign_all(const sdk::Call& call);
    /// POST {policies}/find?ref=[&scope=][&inherited=true]
    sdk::Result<sdk::Reply> find(const sdk::Call& call);
    /// POST {policies}/collect : `{references:[ref], userId}`, at most 1000, to
    /// `{references:{ref:[policy]}}`: of a principal those assigned to it, of another record those
    /// that count for the user there.
    sdk::Result<sdk::Reply> collect(const sdk::Call& call);
    sdk::Result<sdk::Reply> list_templates(const sdk::Call& call);
    sdk::Result<sdk::Reply> read_template(const sdk::Call& call);
    sdk::Result<sdk::Reply> list_system(const sdk::Call& call);
    sdk::Result<sdk::Reply> read_system(const sdk::Call& call);
    /// POST {policies}/system/{key}/assign?ref= and .../unassign?ref=
    sdk::Result<sdk::Reply> assign_system(const sdk::Call& call);
    sdk::Result<sdk::Reply> unassign_system(const sdk::Call& call);
    sdk::Result<sdk::Reply> list_conditions(const sdk::Call& call);

private:
    static sdk::Actions catalogue_actions();
    static sdk::Actions assignment_actions();
    sdk::Result<void> require_fitness(const sdk::Json& fields) const;

    const PolicyEvaluator& evaluator_;
    sdk::PrincipalDirectory& principals_;
};

}  // namespace stele::access_policies
