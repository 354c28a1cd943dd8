#include "reference_operations.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

namespace stele::platform {

namespace {

constexpr std::size_t kMostEntries = 1000;

using EntryWork = std::function<sdk::Result<void>(sdk::Context&, sdk::Json& entry)>;

/// Works on a copy of each entry of the body and answers them.
sdk::Result<sdk::Reply> for_each_entry(const sdk::Call& call, const EntryWork& work) {
    const auto given = call.body().find("entries");
    if (given == call.body().end() || !given->is_array()) {
        return sdk::invalid_parameter("entries", "must be an array");
    }
    if (given->size() > kMostEntries) {
        return sdk::invalid_parameter("entries", "must hold at most 1000 entries");
    }
    sdk::Json entries = *given;
    for (sdk::Json& entry : entries) {
        if (!entry.is_object()) return sdk::invalid_parameter("entries", "must hold objects");
        if (auto done = work(call.context(), entry); !done) return done.error();
    }
    return sdk::Reply::json({{"entries", std::move(entries)}});
}

/// Whether a failure says that a reference or principal leads nowhere; a bulk operation answers
/// this in the entry concerned.
bool leads_nowhere(const sdk::Error& error) {
    return error.kind == sdk::ErrorKind::not_found || error.kind == sdk::ErrorKind::invalid;
}

/// The key of a referenced record; nothing when there is none.
sdk::Result<std::optional<sdk::RecordKey>> find_record(sdk::Context& context,
                                                       const std::string& reference) {
    auto key = context.find_reference(reference);
    if (key) return std::optional<sdk::RecordKey>(*std::move(key));
    if (leads_nowhere(key.error())) return std::optional<sdk::RecordKey>();
    return key.error();
}

sdk::Result<void> read_entry(sdk::Context& context, sdk::Json& entry) {
    entry["entry"] = nullptr;
    auto found = context.read_reference(sdk::text_member(entry, "ref"));
    if (!found && leads_nowhere(found.error())) return {};
    if (!found) return found.error();
    entry["entry"] = *std::move(found);
    return {};
}

/// Built-in roles in their order, as far as the principal's rights include them, then custom ones.
sdk::Result<sdk::Json> roles_held(sdk::Context& context, const sdk::RecordKey& principal,
                                  const sdk::RecordKey& record) {
    sdk::Json roles = sdk::Json::array();
    for (const sdk::BuiltInRole& role : sdk::built_in_roles()) {
        auto held = context.authorities().has_role(principal, record, role.key);
        if (!held) return held.error();
        if (*held) roles.push_back(role.key);
    }
    auto origins = context.authorities().report(record, principal);
    if (!origins) return origins.error();
    std::set<std::string> custom;
    for (const sdk::GrantOrigin& origin : *origins) {
        if (!sdk::find_built_in_role(origin.role_key)) custom.insert(origin.role_key);
    }
    for (const std::string& role : custom)
        roles.push_back(role);
    return roles;
}

}  // namespace

/// The principal and the record of an entry, as far as both are there.
struct ReferenceOperations::Subject {
    std::optional<sdk::RecordKey> principal;
    std::optional<sdk::RecordKey> record;

    bool is_known() const { return principal && record; }
};

sdk::Result<ReferenceOperations::Subject> ReferenceOperations::subject_of(
    sdk::Context& context, const sdk::Json& entry) const {
    Subject subject;
    auto record = find_record(context, sdk::text_member(entry, "permissioned"));
    if (!record) return record.error();
    subject.record = *std::move(record);
    if (subject.record) {
        // What the caller may not know of answers like what does not exist.
        auto may_know = sdk::holds(context, *subject.record, sdk::Permission::connect);
        if (!may_know) return may_know.error();
        if (!*may_know) subject.record.reset();
    }
    auto principal = principals_.find(context, sdk::text_member(entry, "principalId"));
    if (principal) {
        subject.principal = std::move(principal->key);
    } else if (!leads_nowhere(principal.error())) {
        return principal.error();
    }
    return subject;
}

sdk::Result<sdk::Reply> ReferenceOperations::read(const sdk::Call& call) const {
    return for_each_entry(call, &read_entry);
}

sdk::Result<sdk::Reply> ReferenceOperations::look_up(const sdk::Call& call) const {
    return for_each_entry(call, [this](sdk::Context& context, sdk::Json& entry) {
        return look_up_entry(context, entry);
    });
}

sdk::Result<void> ReferenceOperations::look_up_entry(sdk::Context& context,
                                                     sdk::Json& entry) const {
    entry["authorities"] = sdk::Json::array();
    entry["permissions"] = sdk::Json::array();
    auto subject = subject_of(context, entry);
    if (!subject) return subject.error();
    if (!subject->is_known()) return {};
    auto roles = roles_held(context, *subject->principal, *subject->record);
    if (!roles) return roles.error();
    auto held = context.authorities().permissions(*subject->principal, *subject->record);
    if (!held) return held.error();
    entry["authorities"] = *std::move(roles);
    entry["permissions"] = sdk::permission_names(*held);
    return {};
}

sdk::Result<sdk::Reply> ReferenceOperations::check(const sdk::Call& call) const {
    return for_each_entry(call, [this](sdk::Context& context, sdk::Json& entry) {
        return check_entry(context, entry);
    });
}

sdk::Result<void> ReferenceOperations::check_entry(sdk::Context& context, sdk::Json& entry) const {
    const std::string permission_id = sdk::text_member(entry, "permissionId");
    const std::string authority_id = sdk::text_member(entry, "authorityId");
    if (permission_id.empty() && authority_id.empty()) {
        return sdk::invalid_parameter("entries", "must each have a permissionId or an authorityId");
    }
    auto subject = subject_of(context, entry);
    if (!subject) return subject.error();
    if (!permission_id.empty()) {
        entry["hasPermission"] = false;
        const auto permission = sdk::find_permission(permission_id);
        if (subject->is_known() && permission) {
            auto held = context.authorities().permissions(*subject->principal, *subject->record);
            if (!held) return held.error();
            entry["hasPermission"] = held->has(*permission);
        }
    }
    if (!authority_id.empty()) {
        entry["hasAuthority"] = false;
        if (subject->is_known()) {
            auto held = context.authorities().has_role(*subject->principal, *subject->record,
                                                       sdk::lower_case(authority_id));
            if (!held && !leads_nowhere(held.error())) return held.error();
            entry["hasAuthority"] = held && *held;
        }
    }
    return {};
}

}  // namespace stele::platform
