#include "policy_evaluator.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "assignments.hpp"

namespace stele::access_policies {

namespace {

constexpr std::size_t kCompiled = 4096;

}  // namespace

std::string PolicyEvaluator::watched_space() const {
    return kSpace;
}

sdk::Result<std::vector<std::string>> PolicyEvaluator::assigned(const sdk::Reader& reader,
                                                                std::uint64_t platform,
                                                                const sdk::PolicyHolder& holder,
                                                                std::size_t limit) const {
    const std::string space = sdk::plugin_key_space(platform, kSpace);
    std::set<std::string> policies;
    const std::string all = sdk::KeyWriter(space).tag('k').key();
    const auto cursor = reader.scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
    const auto add = [&](const sdk::RecordKey& principal) {
        const std::string prefix = principal_prefix(space, principal);
        cursor->seek(prefix);
        while (cursor->is_valid() && cursor->key().starts_with(prefix) && policies.size() < limit) {
            sdk::KeyReader key(cursor->key().substr(prefix.size()));
            if (auto policy = key.text()) policies.insert(std::move(*policy));
            cursor->next();
        }
    };
    if (cursor->is_valid()) {
        add(holder.principal);
        for (const sdk::RecordKey& group : holder.groups)
            add(group);
    }
    if (auto status = cursor->status(); !status) return status.error();
    return std::vector<std::string>(policies.begin(), policies.end());
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

sdk::Result<std::vector<PolicyEvaluator::Policy>> PolicyEvaluator::policies_of(
    const sdk::Reader& reader, std::uint64_t platform, const sdk::PolicyHolder& holder) {
    auto ids = assigned(reader, platform, holder, SIZE_MAX);
    if (!ids) return ids.error();
    const std::string space = sdk::plugin_key_space(platform, kSpace);
    std::vector<Policy> policies;
    for (const std::string& id : *ids) {
        auto row = reader.get(policy_row(space, id));
        if (!row) return row.error();
        if (!*row) continue;
        auto policy = compiled(**row);
        if (!policy) return policy.error();
        policies.push_back(std::move(*policy));
    }
    return policies;
}

sdk::Result<PolicyEvaluator::Given> PolicyEvaluator::evaluate(
    const sdk::Reader& reader, const sdk::PolicyHolder& holder, const sdk::PolicySubject& subject,
    const std::function<sdk::PermissionSet(std::string_view)>& permissions_of) {
    auto policies = policies_of(reader, subject.platform, holder);
    if (!policies) return policies.error();
    // A project-scoped policy counts inside its project's stack; no plugin offers one yet.
    std::erase_if(*policies, [](const Policy& policy) { return policy->is_project_scoped; });
    std::sort(policies->begin(), policies->end(), [](const Policy& a, const Policy& b) {
        return std::tie(a->order, a->created) < std::tie(b->order, b->created);
    });
    return run_statements(*policies, subject, permissions_of);
}

/// Those of projects, too: whatever they may come to reach.
sdk::Result<PolicyEvaluator::Reach> PolicyEvaluator::reach(const sdk::Reader& reader,
                                                           std::uint64_t platform,
                                                           const sdk::PolicyHolder& holder) {
    auto policies = policies_of(reader, platform, holder);
    if (!policies) return policies.error();
    Reach reach;
    for (const Policy& policy : *policies) {
        for (const Statement& statement : policy->statements) {
            std::vector<std::string>& roles =
                statement.action == StatementAction::grant ? reach.granted : reach.revoked;
            roles.insert(roles.end(), statement.roles.begin(), statement.roles.end());
        }
    }
    return reach;
}

}  // namespace stele::access_policies
