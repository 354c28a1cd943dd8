#include "reference_operations.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/json_patch.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

namespace stele::platform {

namespace {

constexpr char kSource[] = "source";

using EntryWork = std::function<sdk::Result<void>(sdk::Context&, sdk::Json& entry)>;

/// Works on a copy of each entry of the body and answers them.
sdk::Result<sdk::Reply> for_each_entry(const sdk::Call& call, const EntryWork& work) {
    const auto given = call.body().find("entries");
    if (given == call.body().end() || !given->is_array()) {
        return sdk::invalid_parameter("entries", "must be an array");
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

/// What a record says; not to be read is as missing as not there.
sdk::Result<sdk::Json> content_of_parameter(const sdk::Call& call, const char* name) {
    auto reference = call.required_parameter(name);
    if (!reference) return reference.error();
    auto record = call.context().read_reference(*reference);
    if (!record && record.error().kind == sdk::ErrorKind::invalid)
        return sdk::invalid_parameter(name, "must be a reference");
    if (!record) return record;
    for (const char* of_server : {"_doc", "_system"})
        record->erase(of_server);
    return record;
}

/// As it is, in one of the members that patches of nodes have, or as `/ref/diff` answers it.
const sdk::Json* operations_of(const sdk::Json& body) {
    if (const sdk::Json* const operations = sdk::patch_operations(body)) return operations;
    const auto diff = body.find("diff");
    return diff != body.end() && diff->is_array() ? &*diff : nullptr;
}

/// A record may have many MiB, and each entry may name the same one.
constexpr std::size_t kMaxReadBytes = std::size_t{64} * 1024 * 1024;

/// `read` is what the entries before it have taken.
sdk::Result<void> read_entry(sdk::Context& context, sdk::Json& entry, std::size_t& read) {
    entry["entry"] = nullptr;
    auto found = context.read_reference(sdk::text_member(entry, "ref"));
    if (!found && leads_nowhere(found.error())) return {};
    if (!found) return found.error();
    read += sdk::dump_json(*found).size();
    if (read > kMaxReadBytes) {
        return sdk::make_error(sdk::ErrorKind::too_large, "platform.entries_too_large",
                               "the records together are larger than 64 MiB; ask for fewer");
    }
    entry["entry"] = *std::move(found);
    return {};
}

}  // namespace

/// The principal and the record of an entry, as far as both are there, or what lies in a record.
struct ReferenceOperations::Subject {
    std::optional<sdk::Principal> principal;
    std::optional<sdk::RecordKey> record;
    /// Of what is no record.
    std::string reference;

    bool is_known() const { return principal && (record || !reference.empty()); }
};

sdk::Result<ReferenceOperations::Subject> ReferenceOperations::subject_of(
    sdk::Context& context, const sdk::Json& entry) const {
    Subject subject;
    const std::string reference = sdk::text_member(entry, "permissioned");
    auto record = find_record(context, reference);
    if (!record) return record.error();
    subject.record = *std::move(record);
    // What the caller may not know of answers like what does not exist.
    if (subject.record) {
        auto may_know = sdk::holds(context, *subject.record, sdk::Permission::connect);
        if (!may_know) return may_know.error();
        if (!*may_know) subject.record.reset();
    } else {
        auto known = inner_rights_.inner_permissions(context, context.principal(), reference);
        if (!known) return known.error();
        if (known->has(sdk::Permission::connect)) subject.reference = reference;
    }
    auto principal = principals_.find(context, sdk::text_member(entry, "principalId"));
    if (principal && principal->key != context.principal().key) {
        // Anybody may be the guest, which is told of its own rights only.
        auto guest = principals_.is_guest(context, context.principal());
        if (!guest) return guest.error();
        if (*guest) return subject;
    }
    if (principal) {
        subject.principal = *std::move(principal);
    } else if (!leads_nowhere(principal.error())) {
        return principal.error();
    }
    return subject;
}

sdk::Result<sdk::PermissionSet> ReferenceOperations::permissions_of(sdk::Context& context,
                                                                    const Subject& subject) const {
    if (subject.record)
        return context.authorities().permissions(subject.principal->key, *subject.record);
    return inner_rights_.inner_permissions(context, *subject.principal, subject.reference);
}

sdk::Result<bool> ReferenceOperations::has_role(sdk::Context& context, const Subject& subject,
                                                std::string_view role_key) const {
    if (subject.record)
        return context.authorities().has_role(subject.principal->key, *subject.record, role_key);
    const sdk::BuiltInRole* const role = sdk::find_built_in_role(role_key);
    auto held = permissions_of(context, subject);
    if (!held) return held.error();
    return role && held->contains(role->permissions);
}

/// Built-in roles in their order, as far as the principal's rights include them, then custom ones.
sdk::Result<sdk::Json> ReferenceOperations::roles_of(sdk::Context& context,
                                                     const Subject& subject) const {
    sdk::Json roles = sdk::Json::array();
    for (const sdk::BuiltInRole& role : sdk::built_in_roles()) {
        auto held = has_role(context, subject, role.key);
        if (!held) return held.error();
        if (*held) roles.push_back(role.key);
    }
    if (!subject.record) return roles;
    auto origins = context.authorities().report(*subject.record, subject.principal->key);
    if (!origins) return origins.error();
    std::set<std::string> custom;
    for (const sdk::GrantOrigin& origin : *origins) {
        if (!sdk::find_built_in_role(origin.role_key)) custom.insert(origin.role_key);
    }
    for (const std::string& role : custom)
        roles.push_back(role);
    return roles;
}

sdk::Result<sdk::Reply> ReferenceOperations::read(const sdk::Call& call) const {
    std::size_t read = 0;
    return for_each_entry(call, [&read](sdk::Context& context, sdk::Json& entry) {
        return read_entry(context, entry, read);
    });
}

sdk::Result<sdk::Reply> ReferenceOperations::difference(const sdk::Call& call) const {
    auto source = content_of_parameter(call, kSource);
    if (!source) return source.error();
    auto target = content_of_parameter(call, "target");
    if (!target) return target.error();
    auto patch = sdk::json_difference(*source, *target);
    if (!patch) return patch.error();
    return sdk::Reply::json({{"diff", *std::move(patch)}});
}

sdk::Result<sdk::Reply> ReferenceOperations::merge(const sdk::Call& call) const {
    auto source = content_of_parameter(call, kSource);
    if (!source) return source.error();
    const std::string reference = call.parameter(kSource).value_or("");
    auto record = find_record(call.context(), reference);
    if (!record) return record.error();
    if (!*record) return sdk::invalid_parameter(kSource, "names what is never changed");
    const sdk::Json* const operations = operations_of(call.body());
    if (!operations) return sdk::invalid_parameter("body", "must be a JSON Patch, an array");
    auto after = sdk::patched(*source, *operations);
    if (!after) return after.error();
    if (!after->is_object()) return sdk::invalid_parameter("body", "must leave an object");
    return families_.update(call, kSource, reference, *std::move(after));
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
    auto roles = roles_of(context, *subject);
    if (!roles) return roles.error();
    auto held = permissions_of(context, *subject);
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
            auto held = permissions_of(context, *subject);
            if (!held) return held.error();
            entry["hasPermission"] = held->has(*permission);
        }
    }
    if (!authority_id.empty()) {
        entry["hasAuthority"] = false;
        if (subject->is_known()) {
            auto held = has_role(context, *subject, sdk::lower_case(authority_id));
            if (!held && !leads_nowhere(held.error())) return held.error();
            entry["hasAuthority"] = held && *held;
        }
    }
    return {};
}

}  // namespace stele::platform
