#include "access_policy.hpp"

#include <initializer_list>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>

#include "assignments.hpp"
#include "policy_catalogue.hpp"
#include "policy_search.hpp"
#include "policy_statements.hpp"
#include "root_policy.hpp"

namespace stele::access_policies {

namespace {

/// The same policies may be collected for each of many references.
constexpr std::size_t kMaxCollectedBytes = std::size_t{64} * 1024 * 1024;

/// What the statements of a policy can give or take at most: who removes a revoke gives back what
/// it took. What a custom role holds depends on where it is defined, so it counts as everything.
sdk::PermissionSet most_moved(const sdk::Json& fields) {
    sdk::PermissionSet most;
    if (fields.is_null()) return most;
    auto policy = compile_policy(fields);
    if (!policy) return sdk::PermissionSet::all();
    for (const Statement& statement : policy->statements) {
        for (const std::string& key : statement.roles) {
            const sdk::BuiltInRole* role = sdk::find_built_in_role(key);
            most |= role ? role->permissions : sdk::PermissionSet::all();
        }
    }
    return most;
}

/// Nobody gives or takes more than it has: whoever changes, assigns or unassigns a policy may
/// manage permissions on the platform and holds what the policy can give or take, on the platform
/// and on everything inside it, as its conditions may hold anywhere.
sdk::Result<void> require_administration(sdk::Context& context, const sdk::Json& fields) {
    constexpr const char* kCode = "access_policies.administration_needed";
    const sdk::RecordKey& root = context.platform().root;
    auto may = sdk::holds(context, root, sdk::Permission::modify_permissions);
    if (!may) return may.error();
    if (*may) {
        return sdk::require_inside(context, root, most_moved(fields), kCode,
                                   "everything that the policy can give or take is needed for "
                                   "this, on the platform and on all that is inside it");
    }
    return sdk::make_error(sdk::ErrorKind::forbidden, kCode,
                           "MODIFY_PERMISSIONS on the platform is needed for this");
}

sdk::Result<sdk::Reply> entry_reply(const sdk::Json& entries, std::string_view key) {
    const sdk::Json* entry = find_entry(entries, key);
    if (entry) return sdk::Reply::json(*entry);
    return sdk::make_error(sdk::ErrorKind::not_found, "access_policies.entry_unknown",
                           "there is no entry " + std::string(key));
}

}  // namespace

namespace {

constexpr char kType[] = "accessPolicy";
const std::vector<sdk::Parameter> kReference{{"ref", true}};

sdk::Shape policies() {
    return sdk::shape::array(sdk::shape::record(kType));
}

sdk::Shape policy_template() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"key", text()},
                               {"title", text()},
                               optional("description", text()),
                               optional("scope", text()),
                               {"statements", sdk::shape::array(sdk::shape::object())}});
}

sdk::Shape condition_type() {
    using sdk::shape::array;
    using sdk::shape::text;
    return sdk::shape::object({{"key", text()},
                               {"title", text()},
                               {"config", array(text())},
                               sdk::shape::optional("aliases", array(text()))});
}

/// A list of what is the same on every platform, for everybody on it.
sdk::Action list_of_entries(const char* name, decltype(sdk::Action::run) run,
                            const sdk::Shape& entry) {
    return {.name = name,
            .method = "GET",
            .scope = sdk::ActionScope::collection,
            .permission = sdk::Permission::connect,
            .run = std::move(run),
            .paged = true,
            .answers = sdk::shape::page(entry)};
}

}  // namespace

sdk::Actions AccessPolicy::catalogue_actions() {
    using enum sdk::ActionScope;
    using sdk::action;
    constexpr auto kConnect = sdk::Permission::connect;
    const sdk::Shape policy = sdk::shape::record(kType);
    return {
        list_of_entries("templates", action<&AccessPolicy::list_templates>(), policy_template()),
        {.name = "templates/{templateKey}",
         .method = "GET",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::read_template>(),
         .answers = policy_template()},
        list_of_entries("system", action<&AccessPolicy::list_system>(), policy),
        {.name = "system/{key}",
         .method = "GET",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::read_system>(),
         .answers = policy},
        {.name = "system/{key}/assign",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::assign_system>(),
         .parameters = kReference,
         .answers = sdk::shape::changed()},
        {.name = "system/{key}/unassign",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::unassign_system>(),
         .parameters = kReference,
         .urgent = true,
         .answers = sdk::shape::changed()},
        list_of_entries("conditions", action<&AccessPolicy::list_conditions>(), condition_type()),
    };
}

/// What leads from policies to those they are for, and back.
sdk::Actions AccessPolicy::assignment_actions() {
    using enum sdk::ActionScope;
    using sdk::action;
    using sdk::shape::array;
    using sdk::shape::object;
    using sdk::shape::text;
    constexpr auto kConnect = sdk::Permission::connect;
    const sdk::Shape page = sdk::shape::page(sdk::shape::record(kType));
    return {
        {.name = "assign",
         .run = action<&AccessPolicy::assign>(),
         .parameters = kReference,
         .answers = sdk::shape::changed()},
        {.name = "unassign",
         .run = action<&AccessPolicy::unassign>(),
         .parameters = kReference,
         .urgent = true,
         .answers = sdk::shape::changed()},
        {.name = "targets",
         .method = "GET",
         .run = action<&AccessPolicy::targets>(),
         .paged = true,
         .answers = sdk::shape::page(text())},
        {.name = "unassignall",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::unassign_all>(),
         .parameters = kReference,
         .urgent = true,
         .answers = page},
        {.name = "find",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::find>(),
         .parameters = {{"ref", true},
                        {"scope", false, sdk::FieldKind::text, {"platform", "project"}},
                        {"inherited", false, sdk::FieldKind::boolean}},
         .paged = true,
         .answers = page},
        {.name = "collect",
         .scope = collection,
         .permission = kConnect,
         .run = action<&AccessPolicy::collect>(),
         .parameters = {{"userId"}},
         .slow = true,
         .takes = object({{"references", array(text())}, sdk::shape::optional("userId", text())}),
         .answers = object({{"references", sdk::shape::map(policies())}})},
    };
}

sdk::ResourceDescriptor AccessPolicy::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "key", .kind = text},
        // A text in the interface, and read back as it was stored by who wrote it so.
        {.name = "order", .kind = text, .numeric_text = true},
        {.name = "scope", .kind = text, .one_of = {"platform", "project"}},
        {.name = "system", .kind = boolean, .read_only = true},
        {.name = "statements", .kind = array, .items = object},
    };
    sdk::Actions actions = assignment_actions();
    const sdk::Actions of_catalogue = catalogue_actions();
    actions.insert(actions.end(), of_catalogue.begin(), of_catalogue.end());
    sdk::ResourceDescriptor descriptor;
    descriptor.type = kType;
    descriptor.path = "access/policies";
    descriptor.placeholder = "accessPolicyId";
    descriptor.title = "access policies";
    descriptor.fields = fields;
    // Conditions are compiled, and who is named is looked for among all targets.
    for (sdk::Action& each : actions)
        each.slow = each.slow || each.method != "GET";
    descriptor.slow_writes = true;
    descriptor.actions = std::move(actions);
    return descriptor;
}

sdk::Result<void> AccessPolicy::prepare(sdk::Change& change, sdk::Context& context) {
    for (const sdk::Document* policy :
         std::initializer_list<const sdk::Document*>{change.before, change.after}) {
        if (!policy) continue;
        auto allowed = require_administration(context, policy->fields);
        if (!allowed) return allowed;
    }
    if (change.kind != sdk::ChangeKind::remove) return {};
    return Assignments(context).remove_policy(change.before->id);
}

void AccessPolicy::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (!change.after) return;
    if (find_entry(system_policies(), change.after->id) || change.after->id == kRootNodeKey) {
        violations.push_back(
            {"_doc", "access_policies.key_reserved", change.after->id + " is a system policy"});
    }
    auto fit = require_fitness(change.after->fields);
    if (fit) return;
    const sdk::Violations& found = fit.error().violations;
    violations.insert(violations.end(), found.begin(), found.end());
}

sdk::Result<void> AccessPolicy::require_fitness(const sdk::Json& fields) const {
    auto policy = compile_policy(fields);
    if (!policy) return policy.error();
    auto unfit = unfit_conditions(*policy, evaluator_.families());
    if (!unfit.empty()) return sdk::make_error(std::move(unfit));
    return {};
}

sdk::Result<void> AccessPolicy::stored(const sdk::Change& change, sdk::Context& context) {
    if (!change.after) return {};
    Assignments(context).store_policy(*change.after);
    return change.before ? context.authorities().withdraw_decisions() : sdk::Result<void>();
}

sdk::Result<sdk::Reply> AccessPolicy::assign(const sdk::Call& call) {
    if (auto allowed = require_administration(call.context(), call.record().fields); !allowed) {
        return allowed.error();
    }
    // What it asks for may have gone with a plugin since it was saved.
    if (auto fit = require_fitness(call.record().fields); !fit) return fit.error();
    auto reference = call.required_parameter("ref");
    if (!reference) return reference.error();
    auto assigned = Assignments(call.context()).assign(call.record().id, *reference);
    if (!assigned) return assigned.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> AccessPolicy::unassign(const sdk::Call& call) {
    if (auto allowed = require_administration(call.context(), call.record().fields); !allowed) {
        return allowed.error();
    }
    auto reference = call.required_parameter("ref");
    if (!reference) return reference.error();
    auto unassigned = Assignments(call.context()).unassign(call.record().id, *reference);
    if (!unassigned) return unassigned.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> AccessPolicy::targets(const sdk::Call& call) {
    auto references = Assignments(call.context()).targets_of(call.record().id);
    if (!references) return references.error();
    return sdk::Reply::page_of(sdk::Json(*references), call.page());
}

sdk::Result<sdk::Reply> AccessPolicy::unassign_all(const sdk::Call& call) {
    sdk::Context& context = call.context();
    if (auto allowed = require_administration(context, {}); !allowed) return allowed.error();
    auto reference = call.required_parameter("ref");
    if (!reference) return reference.error();
    if (auto checked = check_reference(*reference); !checked) return checked.error();
    PolicySearch search(call);
    auto ids = search.assigned_to(*reference, false);
    if (!ids) return ids.error();
    auto rows = search.readable(*ids, {});
    if (!rows) return rows.error();
    Assignments assignments(context);
    for (const std::string& id : *ids) {
        auto fields = search.fields_of(id);
        if (!fields) return fields.error();
        auto allowed = require_administration(context, *fields);
        if (!allowed) return allowed.error();
        auto done = assignments.unassign_target(id, *reference);
        if (!done) return done.error();
    }
    return sdk::Reply::page(*rows, rows->size(), 0);
}

sdk::Result<sdk::Reply> AccessPolicy::find(const sdk::Call& call) {
    auto reference = call.required_parameter("ref");
    if (!reference) return reference.error();
    auto inherited = call.flag("inherited");
    if (!inherited) return inherited.error();
    PolicySearch search(call);
    auto ids = search.assigned_to(*reference, inherited->value_or(false));
    if (!ids) return ids.error();
    auto rows = search.readable(*ids, call.parameter("scope").value_or(""));
    if (!rows) return rows.error();
    return sdk::Reply::page_of(*rows, call.page());
}

sdk::Result<sdk::Reply> AccessPolicy::collect(const sdk::Call& call) {
    const auto references = call.body().find("references");
    if (references == call.body().end() || !references->is_array()) {
        return sdk::invalid_parameter("references", "must be an array of references");
    }
    PolicySearch search(call);
    std::optional<sdk::RecordKey> user;
    if (const auto id = call.parameter("userId"); id && !id->empty()) {
        auto found = principals_.find(call.context(), *id);
        if (!found && !sdk::is_missing(found.error())) return found.error();
        if (!found) return sdk::invalid_parameter("userId", "names no user");
        user = found->key;
    }
    sdk::Json collected = sdk::Json::object();
    std::size_t bytes = 0;
    for (const sdk::Json& reference : *references) {
        if (!reference.is_string()) {
            return sdk::invalid_parameter("references", "must hold strings");
        }
        const auto& text = reference.get_ref<const std::string&>();
        auto ids = search.collected(principals_, text, user);
        if (!ids) return ids.error();
        auto rows = search.readable(*ids, {});
        if (!rows) return rows.error();
        auto added = search.add_built_in(principals_, text, user, *rows);
        if (!added) return added.error();
        bytes += sdk::dump_json(*rows).size();
        if (bytes > kMaxCollectedBytes) {
            return sdk::make_error(sdk::ErrorKind::too_large,
                                   "access_policies.collection_too_large",
                                   "the policies together are larger than 64 MiB; ask for fewer");
        }
        collected[text] = std::move(*rows);
    }
    return sdk::Reply::json({{"references", collected}});
}

namespace {

/// The system policy of a call's path, for whoever may assign it.
sdk::Result<std::string> assignable_system_policy(const sdk::Call& call) {
    const std::string key(call.path("key"));
    const sdk::Json* policy = find_entry(system_policies(), key);
    if (!policy) {
        return sdk::make_error(sdk::ErrorKind::not_found, "access_policies.entry_unknown",
                               "there is no entry " + key);
    }
    if (auto allowed = require_administration(call.context(), *policy); !allowed)
        return allowed.error();
    return key;
}

}  // namespace

sdk::Result<sdk::Reply> AccessPolicy::assign_system(const sdk::Call& call) {
    auto key = assignable_system_policy(call);
    if (!key) return key.error();
    auto reference = call.required_parameter("ref");
    if (!reference) return reference.error();
    auto assigned = Assignments(call.context()).assign(*key, *reference);
    if (!assigned) return assigned.error();
    return sdk::Reply::status({{"_doc", *key}});
}

sdk::Result<sdk::Reply> AccessPolicy::unassign_system(const sdk::Call& call) {
    auto key = assignable_system_policy(call);
    if (!key) return key.error();
    auto reference = call.required_parameter("ref");
    if (!reference) return reference.error();
    // Projects' teams have them from the server, by a reference that the caller need not know.
    auto unassigned = Assignments(call.context()).unassign_target(*key, *reference);
    if (!unassigned) return unassigned.error();
    return sdk::Reply::status({{"_doc", *key}});
}

sdk::Result<sdk::Reply> AccessPolicy::list_templates(const sdk::Call& call) {
    return sdk::Reply::page_of(policy_templates(), call.page());
}

sdk::Result<sdk::Reply> AccessPolicy::read_template(const sdk::Call& call) {
    return entry_reply(policy_templates(), call.path("templateKey"));
}

sdk::Result<sdk::Reply> AccessPolicy::list_system(const sdk::Call& call) {
    return sdk::Reply::page_of(system_policies(), call.page());
}

sdk::Result<sdk::Reply> AccessPolicy::read_system(const sdk::Call& call) {
    return entry_reply(system_policies(), call.path("key"));
}

sdk::Result<sdk::Reply> AccessPolicy::list_conditions(const sdk::Call& call) {
    return sdk::Reply::page_of(condition_types(), call.page());
}

}  // namespace stele::access_policies
