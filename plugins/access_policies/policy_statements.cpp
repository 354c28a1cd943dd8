#include "policy_statements.hpp"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include <stele/sdk/regex_weight.hpp>

namespace stele::access_policies {

namespace {

constexpr std::string_view kAllRoles = "all";
constexpr std::size_t kMaxStatements = 200;
constexpr std::size_t kMaxPolicyParts = 1000;

bool has_text(const sdk::Json& object, const char* name, std::string_view text) {
    const auto member = object.find(name);
    return member != object.end() && member->is_string() &&
           member->get_ref<const std::string&>() == text;
}

void add_problems(sdk::Violations& violations, const sdk::Error& error) {
    violations.insert(violations.end(), error.violations.begin(), error.violations.end());
}

std::vector<std::string> compile_roles(const sdk::Json& statement, const std::string& path,
                                       sdk::Violations& violations) {
    std::vector<std::string> keys;
    const auto roles = statement.find("roles");
    if (roles == statement.end() || !roles->is_array()) {
        violations.push_back({path + ".roles", "access_policies.statement_invalid",
                              path + ".roles must be an array of role keys"});
        return keys;
    }
    for (const sdk::Json& role : *roles) {
        if (role.is_string()) {
            keys.push_back(role.get<std::string>());
        } else {
            violations.push_back({path + ".roles", "access_policies.statement_invalid",
                                  path + ".roles must hold strings"});
        }
    }
    return keys;
}

Statement compile_statement(const sdk::Json& source, const std::string& path,
                            sdk::Violations& violations) {
    Statement statement;
    if (!source.is_object()) {
        violations.push_back(
            {path, "access_policies.statement_invalid", path + " must be an object"});
        return statement;
    }
    const bool is_revoke = has_text(source, "action", "revoke");
    if (!is_revoke && !has_text(source, "action", "grant")) {
        violations.push_back({path + ".action", "access_policies.statement_invalid",
                              path + ".action must be grant or revoke"});
    }
    statement.action = is_revoke ? StatementAction::revoke : StatementAction::grant;
    statement.roles = compile_roles(source, path, violations);
    const auto conditions = source.find("conditions");
    if (conditions == source.end() || conditions->is_null()) return statement;
    if (!conditions->is_array()) {
        violations.push_back({path + ".conditions", "access_policies.statement_invalid",
                              path + ".conditions must be an array"});
        return statement;
    }
    for (std::size_t i = 0; i < conditions->size(); ++i) {
        auto condition =
            Condition::compile((*conditions)[i], path + ".conditions." + std::to_string(i));
        if (condition) {
            statement.conditions.push_back(std::move(*condition));
        } else {
            add_problems(violations, condition.error());
        }
    }
    return statement;
}

std::int64_t order_of(const sdk::Json& fields) {
    const auto order = fields.find("order");
    if (order == fields.end()) return kDefaultOrder;
    if (order->is_number_integer()) return order->get<std::int64_t>();
    std::int64_t number = kDefaultOrder;
    if (order->is_string()) {
        const auto& text = order->get_ref<const std::string&>();
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    return number;
}

sdk::Result<bool> all_hold(const Statement& statement, const SubjectFacts& facts) {
    for (const Condition& condition : statement.conditions) {
        auto held = condition.holds(facts);
        if (!held || !*held) return held;
    }
    return true;
}

/// Whether a statement counts for a record: a revoke where it holds at any of the places that the
/// record came through, a grant where it holds at its own and, unless it names that by its id, at
/// all of the others.
sdk::Result<bool> applies(const Statement& statement, const SubjectFacts& facts) {
    if (statement.conditions.empty()) return true;
    auto places = facts.places();
    if (!places) return places.error();
    const bool is_grant = statement.action == StatementAction::grant;
    const bool names_place =
        std::any_of(statement.conditions.begin(), statement.conditions.end(),
                    [](const Condition& condition) { return condition.names_place(); });
    const std::size_t looked_at = is_grant && names_place ? 1 : *places;
    for (std::size_t place = 0; place < looked_at; ++place) {
        facts.look_at(place);
        auto held = all_hold(statement, facts);
        if (!held || *held != is_grant) return held;
    }
    return is_grant;
}

/// The given roles and permissions while statements run.
class Giving {
public:
    explicit Giving(const std::function<sdk::PermissionSet(std::string_view)>& permissions_of)
        : permissions_of_(permissions_of) {}

    void grant(const std::string& role) {
        const std::string key = role == kAllRoles ? "owner" : role;
        given_.permissions |= permissions_of_(key);
        if (std::find(given_.roles.begin(), given_.roles.end(), key) == given_.roles.end()) {
            given_.roles.push_back(key);
        }
    }

    void revoke(const std::string& role) {
        if (role == kAllRoles) {
            given_ = {};
            return;
        }
        given_.permissions -= permissions_of_(role);
        std::erase_if(given_.roles, [&](const std::string& held) {
            return held == role || !given_.permissions.contains(permissions_of_(held));
        });
    }

    sdk::PolicySource::Given take() { return std::move(given_); }

private:
    const std::function<sdk::PermissionSet(std::string_view)>& permissions_of_;
    sdk::PolicySource::Given given_;
};

/// What a policy holds, counted before anything of it is compiled: it is compiled whenever it is
/// changed, and runs whenever somebody asks for a right.
class PolicyExtent {
public:
    /// Whether it is as small as a policy must be.
    bool add(const sdk::Json& statements) {
        if (statements.size() > kMaxStatements) return false;
        for (const sdk::Json& statement : statements) {
            if (const sdk::Json* roles = list_in(statement, "roles")) parts_ += roles->size();
            if (!add_conditions(statement)) return false;
        }
        return is_within();
    }

private:
    static const sdk::Json* list_in(const sdk::Json& object, const char* name) {
        if (!object.is_object()) return nullptr;
        const auto member = object.find(name);
        return member != object.end() && member->is_array() ? &*member : nullptr;
    }

    bool is_within() const { return parts_ <= kMaxPolicyParts && weight_ <= sdk::kMaxRegexWeight; }

    bool add_conditions(const sdk::Json& holder) {
        const sdk::Json* conditions = list_in(holder, "conditions");
        if (!conditions) return true;
        parts_ += conditions->size();
        for (const sdk::Json& condition : *conditions) {
            if (!is_within()) return false;
            if (!condition.is_object()) continue;
            const auto config = condition.find("config");
            if (!add_conditions(condition)) return false;
            if (config != condition.end() && !add_config(*config)) return false;
        }
        return is_within();
    }

    bool add_config(const sdk::Json& config) {
        for (const sdk::Json& value : config) {
            if (value.is_string())
                weight_ += sdk::regex_weight(value.get_ref<const std::string&>());
        }
        return add_conditions(config);
    }

    std::size_t parts_ = 0;
    std::size_t weight_ = 0;
};

}  // namespace

sdk::Result<CompiledPolicy> compile_policy(const sdk::Json& fields) {
    CompiledPolicy policy;
    policy.order = order_of(fields);
    policy.is_project_scoped = has_text(fields, "scope", "project");
    const auto statements = fields.find("statements");
    if (statements == fields.end() || !statements->is_array()) return policy;
    if (!PolicyExtent().add(*statements)) {
        return sdk::make_error(
            {{"statements", "access_policies.policy_too_large",
              "a policy has at most " + std::to_string(kMaxStatements) + " statements, " +
                  std::to_string(kMaxPolicyParts) +
                  " roles and conditions together, and the patterns of a query"}});
    }
    sdk::Violations violations;
    for (std::size_t i = 0; i < statements->size(); ++i) {
        policy.statements.push_back(
            compile_statement((*statements)[i], "statements." + std::to_string(i), violations));
    }
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    return policy;
}

sdk::Violations unfit_conditions(const CompiledPolicy& policy,
                                 const std::vector<sdk::PolicyFamily>& families) {
    sdk::Violations violations;
    const bool has_projects =
        std::any_of(families.begin(), families.end(),
                    [](const sdk::PolicyFamily& family) { return family.is_project; });
    for (const Statement& statement : policy.statements) {
        std::vector<const sdk::PolicyFamily*> meant;
        for (const sdk::PolicyFamily& family : families) {
            const bool is_meant = std::all_of(
                statement.conditions.begin(), statement.conditions.end(),
                [&family](const Condition& condition) { return condition.may_mean(family.words); });
            if (is_meant) meant.push_back(&family);
        }
        for (const Condition& condition : statement.conditions)
            condition.check_fitness(meant, has_projects, violations);
    }
    return violations;
}

sdk::Result<sdk::PolicySource::Given> run_statements(
    const std::vector<std::shared_ptr<const CompiledPolicy>>& policies, const SubjectFacts& facts,
    const std::function<sdk::PermissionSet(std::string_view role_key)>& permissions_of) {
    Giving giving(permissions_of);
    for (const auto& policy : policies) {
        for (const Statement& statement : policy->statements) {
            auto counts = applies(statement, facts);
            if (!counts) return counts.error();
            if (!*counts) continue;
            for (const std::string& role : statement.roles) {
                if (statement.action == StatementAction::grant) {
                    giving.grant(role);
                } else {
                    giving.revoke(role);
                }
            }
        }
    }
    return giving.take();
}

}  // namespace stele::access_policies
