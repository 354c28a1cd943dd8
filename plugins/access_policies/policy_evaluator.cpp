#include "policy_evaluator.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <tuple>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>

#include "assignments.hpp"
#include "policy_catalogue.hpp"

namespace stele::access_policies {

namespace {

constexpr std::size_t kCompiled = 4096;

bool is_of_server(sdk::ErrorKind kind) {
    return kind == sdk::ErrorKind::internal || kind == sdk::ErrorKind::unavailable ||
           kind == sdk::ErrorKind::timed_out || kind == sdk::ErrorKind::storage_full;
}

void deny(std::string_view why) {
    sdk::log(
        sdk::LogLevel::warning, "access_policies",
        "policies give nothing on a record on which they cannot be evaluated: " + std::string(why));
}

/// Whether a policy of scope `project` counts for the record: one that a team has inside the
/// projects that the team's own record lies in, one that others have inside every project.
sdk::Result<bool> lies_in_project(const SubjectFacts& facts,
                                  const std::vector<sdk::RecordKey>& holders) {
    const sdk::PolicySubject& subject = facts.subject();
    auto projects = facts.projects();
    if (!projects) return projects.error();
    if (!*projects || (*projects)->empty()) return false;
    for (const sdk::RecordKey& holder : holders) {
        auto team = subject.team_record(holder);
        if (!team) return team.error();
        if (!*team) return true;
        auto of_team = subject.projects_of(**team);
        if (!of_team) return of_team.error();
        for (const auto& project : *of_team) {
            const bool is_same =
                std::any_of((*projects)->begin(), (*projects)->end(),
                            [&project](const auto& own) { return own.key == project.key; });
            if (is_same) return true;
        }
    }
    return false;
}

/// To what a policy grants and revokes, here or elsewhere, all that this one does.
template <class Moved>
void add_roles(const CompiledPolicy& policy, Moved& moved) {
    for (const Statement& statement : policy.statements) {
        std::vector<std::string>& roles =
            statement.action == StatementAction::grant ? moved.granted : moved.revoked;
        roles.insert(roles.end(), statement.roles.begin(), statement.roles.end());
    }
}

/// What leaves a project may have by the statement, had not, or loses there.
void add_outside(const CompiledPolicy& policy, const Statement& statement,
                 sdk::PolicySource::OutsideProjects& outside) {
    const auto any = [&statement](bool (Condition::*holds)() const) {
        return std::any_of(statement.conditions.begin(), statement.conditions.end(),
                           [holds](const Condition& condition) { return (condition.*holds)(); });
    };
    const auto add = [&statement](std::vector<std::string>& roles) {
        roles.insert(roles.end(), statement.roles.begin(), statement.roles.end());
    };
    const bool is_bounded = policy.is_project_scoped;
    if (statement.action == StatementAction::revoke) {
        if (is_bounded || any(&Condition::asks_for_projects)) add(outside.revoked_inside);
        return;
    }
    if (!is_bounded) add(outside.granted);
    if (!is_bounded && any(&Condition::excludes_projects)) add(outside.granted_only_there);
}

}  // namespace

std::string PolicyEvaluator::watched_space() const {
    return kSpace;
}

sdk::Result<PolicyEvaluator::Assigned> PolicyEvaluator::assigned(const sdk::Reader& reader,
                                                                 std::uint64_t platform,
                                                                 const sdk::PolicyHolder& holder,
                                                                 std::size_t limit) const {
    const std::string space = sdk::plugin_key_space(platform, kSpace);
    Assigned policies;
    const std::string all = sdk::KeyWriter(space).tag('k').key();
    const auto cursor = reader.scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
    const auto add = [&](const sdk::RecordKey& principal) {
        const std::string prefix = principal_prefix(space, principal);
        cursor->seek(prefix);
        while (cursor->is_valid() && cursor->key().starts_with(prefix) && policies.size() < limit) {
            sdk::KeyReader key(cursor->key().substr(prefix.size()));
            if (auto policy = key.text()) policies[*policy].push_back(principal);
            cursor->next();
        }
    };
    if (cursor->is_valid()) {
        add(holder.principal);
        for (const sdk::RecordKey& group : holder.groups)
            add(group);
    }
    if (auto status = cursor->status(); !status) return status.error();
    return policies;
}

sdk::Result<bool> PolicyEvaluator::has_policies(const sdk::Reader& reader, std::uint64_t platform,
                                                const sdk::PolicyHolder& holder) {
    auto policies = assigned(reader, platform, holder, 1);
    if (!policies) return policies.error();
    return !policies->empty();
}

sdk::Result<PolicyEvaluator::Policy> PolicyEvaluator::compiled(const std::string& row) {
    {
        std::lock_guard lock(mutex_);
        const auto found = by_text_.find(row);
        if (found != by_text_.end()) return found->second;
    }
    auto fields = sdk::parse_json(row);
    if (!fields) return fields.error();
    auto policy = compile_policy(*fields);
    if (!policy) return policy.error();
    policy->id = fields->value("id", std::string());
    policy->created = fields->value("created", std::string());
    auto shared = std::make_shared<const CompiledPolicy>(std::move(*policy));
    std::lock_guard lock(mutex_);
    if (by_text_.size() >= kCompiled) by_text_.clear();
    by_text_[row] = shared;
    return shared;
}

sdk::Result<std::vector<PolicyEvaluator::AssignedPolicy>> PolicyEvaluator::policies_of(
    const sdk::Reader& reader, std::uint64_t platform, const sdk::PolicyHolder& holder) {
    auto policies = assigned(reader, platform, holder, SIZE_MAX);
    if (!policies) return policies.error();
    const std::string space = sdk::plugin_key_space(platform, kSpace);
    std::vector<AssignedPolicy> found;
    for (auto& [id, holders] : *policies) {
        auto row = reader.get(policy_row(space, id));
        if (!row) return row.error();
        const std::string* built_in = *row ? nullptr : system_policy_row(id);
        if (!*row && !built_in) continue;
        auto policy = compiled(*row ? **row : *built_in);
        if (!policy) return policy.error();
        found.emplace_back(*std::move(policy), std::move(holders));
    }
    return found;
}

sdk::Result<std::vector<PolicyEvaluator::Policy>> PolicyEvaluator::counting(
    const sdk::Reader& reader, const sdk::PolicyHolder& holder, const SubjectFacts& facts) {
    auto policies = policies_of(reader, facts.subject().platform, holder);
    if (!policies) return policies.error();
    std::vector<Policy> found;
    for (auto& [policy, holders] : *policies) {
        if (policy->is_project_scoped) {
            auto counts = lies_in_project(facts, holders);
            if (!counts) return counts.error();
            if (!*counts) continue;
        }
        found.push_back(std::move(policy));
    }
    std::sort(found.begin(), found.end(), [](const Policy& a, const Policy& b) {
        return std::tie(a->order, a->created) < std::tie(b->order, b->created);
    });
    return found;
}

sdk::Result<PolicyEvaluator::Given> PolicyEvaluator::try_evaluate(
    const sdk::Reader& reader, const sdk::PolicyHolder& holder, const sdk::PolicySubject& subject,
    const std::function<sdk::PermissionSet(std::string_view)>& permissions_of) {
    const SubjectFacts facts(subject);
    auto policies = counting(reader, holder, facts);
    if (!policies) return policies.error();
    return run_statements(*policies, facts, permissions_of);
}

sdk::Result<PolicyEvaluator::Given> PolicyEvaluator::evaluate(
    const sdk::Reader& reader, const sdk::PolicyHolder& holder, const sdk::PolicySubject& subject,
    const std::function<sdk::PermissionSet(std::string_view)>& permissions_of) {
    try {
        auto given = try_evaluate(reader, holder, subject, permissions_of);
        // A store that cannot be read fails the whole request.
        if (given || is_of_server(given.error().kind)) return given;
        deny(given.error().code);
    } catch (const std::exception& failure) {
        deny(failure.what());
    }
    return Given{};
}

sdk::Result<PolicyEvaluator::Reach> PolicyEvaluator::reach(const sdk::Reader& reader,
                                                           std::uint64_t platform,
                                                           const sdk::PolicyHolder& holder) {
    auto policies = policies_of(reader, platform, holder);
    if (!policies) return policies.error();
    Reach reach;
    for (const auto& [policy, holders] : *policies) {
        if (!policy->is_project_scoped) {
            add_roles(*policy, reach);
            continue;
        }
        for (const sdk::RecordKey& assigned_to : holders) {
            Reach::InProjects& bounded = reach.in_projects.emplace_back();
            bounded.assigned_to = assigned_to;
            add_roles(*policy, bounded);
        }
    }
    return reach;
}

sdk::Result<std::vector<PolicyEvaluator::Policy>> PolicyEvaluator::all_assigned(
    const sdk::Reader& reader, std::uint64_t platform) {
    const std::string space = sdk::plugin_key_space(platform, kSpace);
    std::map<std::string, std::string> rows;
    for (const sdk::Json& built_in : system_policies()) {
        const std::string key = built_in.value("key", std::string());
        if (const std::string* row = system_policy_row(key)) rows[key] = *row;
    }
    const std::string stored = sdk::KeyWriter(space).tag('d').key();
    const auto cursor = reader.scan({stored, sdk::prefix_end(stored)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        if (auto id = sdk::KeyReader(cursor->key().substr(stored.size())).text())
            rows[*id] = cursor->value();
    }
    if (auto status = cursor->status(); !status) return status.error();
    std::vector<Policy> found;
    for (const auto& [id, row] : rows) {
        auto is_assigned = has_targets(reader, space, id);
        if (!is_assigned) return is_assigned.error();
        if (!*is_assigned) continue;
        auto policy = compiled(row);
        if (!policy) return policy.error();
        found.push_back(*std::move(policy));
    }
    return found;
}

sdk::Result<PolicyEvaluator::OutsideProjects> PolicyEvaluator::outside_projects(
    const sdk::Reader& reader, std::uint64_t platform) {
    auto policies = all_assigned(reader, platform);
    if (!policies) return policies.error();
    OutsideProjects outside;
    for (const Policy& policy : *policies) {
        for (const Statement& statement : policy->statements)
            add_outside(*policy, statement, outside);
    }
    return outside;
}

}  // namespace stele::access_policies
