#include "transfer/policy_assignments.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "paths/locations.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kAllRows[] = "-1";

bool has_policy(const sdk::Json& policies, const std::string& id) {
    return std::any_of(policies.begin(), policies.end(), [&id](const sdk::Json& policy) {
        return sdk::text_member(policy, "_doc") == id;
    });
}

}  // namespace

std::string team_reference(const std::string& record, const std::string& key) {
    ReferenceParts parts = reference_parts(record);
    parts.ids.insert(parts.ids.begin(), parts.word);
    parts.ids.push_back(key);
    parts.word = "team";
    return parts.text();
}

sdk::Result<sdk::Json> PolicyAssignments::assigned_to(const std::string& reference) const {
    const sdk::InnerOperation find{
        .method = "POST", .path = "/find", .parameters = {{"ref", reference}, {"limit", kAllRows}}};
    if (!services_.operations.is_offered(kAccessPolicy, false, find)) return sdk::Json::array();
    auto page = json_of(services_.operations.on_collection(context_, kAccessPolicy,
                                                           context_.platform().root, find));
    if (!page && is_out_of_sight(page.error())) return sdk::Json::array();
    if (!page) return page.error();
    return page->value("rows", sdk::Json::array());
}

sdk::Result<bool> PolicyAssignments::is_assigned(const std::string& policy,
                                                 const std::string& reference) const {
    auto policies = assigned_to(reference);
    if (!policies) return policies.error();
    return has_policy(*policies, policy);
}

sdk::Result<std::vector<sdk::Principal>> PolicyAssignments::targets_of(const sdk::RecordKey& policy,
                                                                       bool& hides_some) const {
    auto page = json_of(services_.operations.on_record(
        context_, policy, {.path = "/targets", .parameters = {{"limit", kAllRows}}}));
    if (!page) return page.error();
    auto record = context_.documents().read(policy);
    if (!record) return record.error();
    std::vector<sdk::Principal> targets;
    for (const sdk::Json& row : page->value("rows", sdk::Json::array())) {
        const std::string told = row.is_string() ? row.get<std::string>() : std::string();
        auto key = context_.find_reference(told);
        if (!key) {
            if (sdk::is_missing(key.error()) || key.error().kind == sdk::ErrorKind::invalid)
                continue;
            return key.error();
        }
        auto principal = services_.principals.describe(context_, *key);
        if (!principal && sdk::is_missing(principal.error())) continue;
        if (!principal) return principal.error();
        const bool is_known =
            std::any_of(targets.begin(), targets.end(),
                        [&key](const sdk::Principal& one) { return one.key == *key; });
        if (is_known) continue;
        auto team = services_.teams.team_of(context_, *key);
        if (!team) return team.error();
        auto may = sdk::holds(context_, *team ? (*team)->record : *key, sdk::Permission::read);
        if (!may) return may.error();
        if (!*may) {
            hides_some = true;
            continue;
        }
        // A name may mean somebody else by now than when the policy was assigned by it.
        auto reference = context_.reference(*key);
        if (!reference) return reference.error();
        if (!sdk::equals_ignoring_case(*reference, told)) {
            auto is_meant = is_assigned(record->id, *reference);
            if (!is_meant) return is_meant.error();
            if (!*is_meant) continue;
        }
        targets.push_back(*std::move(principal));
    }
    return targets;
}

sdk::Result<sdk::Json> PolicyAssignments::system_policies_of(const std::string& reference) const {
    auto policies = assigned_to(reference);
    if (!policies) return policies.error();
    sdk::Json keys = sdk::Json::array();
    for (const sdk::Json& policy : *policies) {
        if (sdk::flag_member(policy, "system", false))
            keys.push_back(sdk::text_member(policy, "_doc"));
    }
    return keys;
}

sdk::Result<void> PolicyAssignments::assign(const sdk::RecordKey& policy,
                                            const std::string& reference) const {
    auto record = context_.documents().read(policy);
    if (!record) return record.error();
    auto is_there = is_assigned(record->id, reference);
    if (!is_there) return is_there.error();
    if (*is_there) return {};
    auto assigned = json_of(services_.operations.on_record(
        context_, policy,
        {.method = "POST", .path = "/assign", .parameters = {{"ref", reference}}}));
    return assigned ? sdk::Result<void>() : assigned.error();
}

sdk::Result<void> PolicyAssignments::assign_system(const std::string& policy,
                                                   const std::string& reference) const {
    auto is_there = is_assigned(policy, reference);
    if (!is_there) return is_there.error();
    if (*is_there) return {};
    auto assigned = json_of(
        services_.operations.on_collection(context_, kAccessPolicy, context_.platform().root,
                                           {.method = "POST",
                                            .path = "/system/{key}/assign",
                                            .values = {policy},
                                            .parameters = {{"ref", reference}}}));
    return assigned ? sdk::Result<void>() : assigned.error();
}

}  // namespace stele::archives
