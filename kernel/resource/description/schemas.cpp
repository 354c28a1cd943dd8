#include "kernel/resource/description/schemas.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::kernel::resource {

namespace {

using sdk::Json;
using sdk::shape::array;
using sdk::shape::boolean;
using sdk::shape::integer;
using sdk::shape::map;
using sdk::shape::null_or;
using sdk::shape::object;
using sdk::shape::optional;
using sdk::shape::text;
using sdk::shape::time;

const char* json_type(sdk::FieldKind kind) {
    using enum sdk::FieldKind;
    switch (kind) {
        case text:
            return "string";
        case integer:
            return "integer";
        case number:
            return "number";
        case boolean:
            return "boolean";
        case array:
            return "array";
        case object:
        case timestamp:
            return "object";
        case any:
            return nullptr;
    }
    return nullptr;
}

/// The types that a value may have; none: any. `is_sent`: by a client.
std::vector<const char*> types_of(const sdk::Field& field, bool is_sent) {
    using enum sdk::FieldKind;
    const char* type = json_type(field.kind);
    if (!type) return {};
    std::vector<const char*> types{type};
    // In a field that is a number, a number in a text becomes one.
    if (field.numeric_text && field.kind == text) types.push_back("integer");
    if (field.numeric_text && field.kind != text && is_sent) types.push_back("string");
    if (field.kind == timestamp && is_sent) types.push_back("number");
    // Clients may write null into what is theirs, where nothing is required.
    if (!field.required && !field.read_only) types.push_back("null");
    return types;
}

Json field_schema(const sdk::Field& field, bool is_sent) {
    Json schema = Json::object();
    const std::vector<const char*> types = types_of(field, is_sent);
    if (!types.empty()) schema["type"] = types.size() == 1 ? Json(types.front()) : Json(types);
    if (field.kind == sdk::FieldKind::array) {
        const char* items = json_type(field.items);
        schema["items"] = items ? Json{{"type", items}} : Json::object();
    }
    if (!field.one_of.empty()) {
        schema["enum"] = field.one_of;
        if (!field.required && !field.read_only) schema["enum"].push_back(nullptr);
    }
    if (field.read_only) schema["readOnly"] = true;
    if (auto value = sdk::parse_json(field.default_json); !field.default_json.empty() && value) {
        schema["default"] = *value;
    }
    return schema;
}

/// A record as it is read: secrets are never told.
Json record_schema(const sdk::ResourceDescriptor& descriptor) {
    const Json said_by_server = {{"type", "string"}, {"readOnly", true}};
    Json properties = {{"_doc", {{"type", "string"}}},
                       {"platformId", said_by_server},
                       {"_system", schema_of(sdk::shape::record("System"))}};
    if (!descriptor.container_member.empty())
        properties[descriptor.container_member] = said_by_server;
    for (const sdk::Field& field : descriptor.fields) {
        if (!field.secret) properties[field.name] = field_schema(field, false);
    }
    return {{"type", "object"},
            {"properties", properties},
            {"required", {"_doc"}},
            {"additionalProperties", true}};
}

/// A record as a client writes it.
Json body_schema(const sdk::ResourceDescriptor& descriptor) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const sdk::Field& field : descriptor.fields) {
        if (field.read_only) continue;
        properties[field.name] = field_schema(field, true);
        // Generators take what has a default for something that must be there.
        properties[field.name].erase("default");
        if (field.secret) properties[field.name]["writeOnly"] = true;
        if (field.required) required.push_back(field.name);
    }
    Json schema = {{"type", "object"}, {"properties", properties}};
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = true;
    return schema;
}

sdk::Shape timestamp() {
    return object({{"timestamp", text()},
                   {"year", integer()},
                   {"month", integer()},
                   {"day_of_month", integer()},
                   {"hour", integer()},
                   {"minute", integer()},
                   {"second", integer()},
                   {"millisecond", integer()},
                   {"ms", integer()},
                   {"iso_8601", text()}});
}

/// What the server tells of a record's making and changes.
sdk::Shape system() {
    return object({optional("created_on", time()), optional("created_by", text()),
                   optional("created_by_principal_id", text()),
                   optional("created_by_principal_domain_id", text()),
                   optional("modified_on", time()), optional("modified_by", text()),
                   optional("modified_by_principal_id", text()),
                   optional("modified_by_principal_domain_id", text())});
}

sdk::Shape error() {
    const sdk::Shape violation = object({{"path", text()}, {"code", text()}, {"message", text()}});
    return object({{"ok", boolean()},
                   {"error", sdk::shape::either({boolean(), text()})},
                   {"status", integer()},
                   {"message", text()},
                   {"code", text()},
                   optional("error_description", text()),
                   optional("requestId", text()),
                   optional("violations", array(violation))});
}

using Members = std::vector<sdk::ShapeMember>;

/// With `full=false` writes and lists answer the id alone.
sdk::Shape id_and(Members members) {
    for (sdk::ShapeMember& member : members)
        member.is_required = false;
    members.insert(members.begin(), {"_doc", text()});
    return object(members);
}

/// What a read answers.
sdk::Shape whole(Members members) {
    members.insert(members.begin(), {"_doc", text()});
    return object(members);
}

Members job_members() {
    const sdk::Shape entry =
        object({{"level", text({"STATUS", "ERROR"})}, {"message", text()}, {"timestamp", time()}});
    const sdk::Shape state =
        text({"NONE", "WAITING", "RUNNING", "FINISHED", "ERROR", "PAUSED", "AWAITING"});
    return {{"job_id", text()},
            {"type", text()},
            {"job_type", text()},
            {"state", state},
            {"job_state", state},
            {"platformId", text()},
            {"priority", integer()},
            {"attempts", integer()},
            {"submitted_by", text()},
            {"submitted_timestamp", time()},
            {"runAsPrincipalId", text()},
            {"runAsPrincipalDomainId", text()},
            {"schedule_start_ms", integer()},
            {"started", boolean()},
            {"stopped", boolean()},
            {"paused", boolean()},
            {"current_server", text()},
            {"current_thread", text()},
            {"progress", object({{"done", integer()}, {"total", integer()}})},
            {"log_entries", array(entry)},
            optional("log_truncated", boolean()),
            optional("started_timestamp", time()),
            optional("stopped_timestamp", time()),
            {"_data", object()},
            {"_result", object()},
            optional("_system", sdk::shape::record("System"))};
}

Members team_members() {
    return {{"key", text()},
            {"groupId", text()},
            {"groupDomainId", text()},
            {"roleKeys", array(text())},
            {"teamableObjectTypeId", text()},
            {"teamableObjectId", text()},
            optional("teamId", text()),
            optional("title", null_or(text())),
            optional("description", null_or(text())),
            optional("_system", sdk::shape::record("System"))};
}

/// Built-in ones have no description, and nobody has made them.
Members role_members() {
    return {{"roleKey", text()},
            {"permissions", array(text())},
            optional("title", null_or(text())),
            optional("description", null_or(text())),
            optional("_system", sdk::shape::record("System"))};
}

/// As lists show it.
sdk::Shape attachment() {
    return id_and({{"attachmentId", text()},
                   {"filename", text()},
                   {"contentType", text()},
                   {"length", integer()},
                   {"objectId", text()}});
}

/// What an export or an import is told, and what it was done with
/// (docs/specification/interface.md 3.5).
sdk::Shape transfer_configuration() {
    Members members;
    for (const char* name : {"startChangeset", "endChangeset", "payload", "passphrase"})
        members.push_back(optional(name, null_or(text())));
    for (const char* name : {"startDate", "endDate"})
        members.push_back(optional(name, sdk::shape::any()));
    for (const char* name :
         {"includeACLs", "includeTeams", "includeTeamMembers", "includeRoles", "includeActivities",
          "includeBinaries", "includeAttachments", "forceIncludes", "tipChangesetOnly",
          "copyOnExisting", "dryRun", "requireAllIncludes", "includeSourceIds"})
        members.push_back(optional(name, boolean()));
    for (const char* name : {"artifactDependencies", "artifactIncludes"})
        members.push_back(optional(name, array()));
    members.push_back(optional("strategy", sdk::shape::either({text(), array(text())})));
    members.push_back(optional("substitutions", sdk::shape::either({text(), map(text())})));
    return object(members);
}

}  // namespace

Json schema_of(const sdk::Shape& shape) {
    auto schema = sdk::parse_json(shape.is_told() ? shape.schema : object().schema);
    return schema ? *schema : Json::object();
}

Json parameter_schema(const sdk::Parameter& parameter) {
    // Objects and arrays come as their JSON text.
    const char* type = json_type(parameter.kind);
    const bool is_json =
        parameter.kind == sdk::FieldKind::object || parameter.kind == sdk::FieldKind::array;
    Json schema = {{"type", is_json || !type ? "string" : type}};
    if (is_json) schema["contentMediaType"] = "application/json";
    if (!parameter.one_of.empty()) schema["enum"] = parameter.one_of;
    return schema;
}

Json body_of_parameters(const std::vector<sdk::Parameter>& parameters) {
    Json properties = Json::object();
    for (const sdk::Parameter& parameter : parameters) {
        const char* type = json_type(parameter.kind);
        properties[parameter.name] = type ? Json{{"type", type}} : Json::object();
    }
    Json schema = {{"type", "object"}};
    if (!properties.empty()) schema["properties"] = properties;
    schema["additionalProperties"] = true;
    return schema;
}

Json schemas_of(const Registry& registry) {
    Json schemas = {{"Attachment", schema_of(attachment())},
                    {"Condition", schema_of(map())},
                    {"Error", schema_of(error())},
                    {"Job", schema_of(id_and(job_members()))},
                    {"Role", schema_of(id_and(role_members()))},
                    {"Status", schema_of(object({{"ok", boolean()}, optional("_doc", text())}))},
                    {"System", schema_of(system())},
                    {"Team", schema_of(id_and(team_members()))},
                    {"Timestamp", schema_of(timestamp())},
                    {"TransferConfiguration", schema_of(transfer_configuration())},
                    {"WholeJob", schema_of(whole(job_members()))},
                    {"WholeRole", schema_of(whole(role_members()))},
                    {"WholeTeam", schema_of(whole(team_members()))}};
    sdk::reserve_members(schemas, schemas.size() + 2 * registry.resources().size());
    for (const RegisteredResource& resource : registry.resources()) {
        const sdk::ResourceDescriptor& descriptor = resource.descriptor;
        schemas[descriptor.type] = record_schema(descriptor);
        schemas[descriptor.type + "Body"] = body_schema(descriptor);
    }
    return schemas;
}

}  // namespace stele::kernel::resource
