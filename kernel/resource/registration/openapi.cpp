#include "kernel/resource/registration/openapi.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>

#include "kernel/resource/operations/standard_operations.hpp"

namespace stele::kernel::resource {

namespace {

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

sdk::Json field_schema(const sdk::Field& field) {
    sdk::Json schema = sdk::Json::object();
    if (const char* type = json_type(field.kind)) {
        schema["type"] = field.numeric_text ? sdk::Json{"string", "integer"} : sdk::Json(type);
    }
    if (const char* items = json_type(field.items); items && field.kind == sdk::FieldKind::array) {
        schema["items"] = {{"type", items}};
    }
    if (!field.one_of.empty()) schema["enum"] = field.one_of;
    if (field.read_only) schema["readOnly"] = true;
    if (field.secret) schema["writeOnly"] = true;
    if (auto value = sdk::parse_json(field.default_json); !field.default_json.empty() && value) {
        schema["default"] = *value;
    }
    return schema;
}

sdk::Json resource_schema(const sdk::ResourceDescriptor& descriptor) {
    sdk::Json properties = {{"_doc", {{"type", "string"}}}, {"_system", {{"type", "object"}}}};
    sdk::Json required = sdk::Json::array();
    for (const sdk::Field& field : descriptor.fields) {
        properties[field.name] = field_schema(field);
        if (field.required) required.push_back(field.name);
    }
    sdk::Json schema = {{"type", "object"}, {"properties", properties}};
    if (!required.empty()) schema["required"] = required;
    return schema;
}

sdk::Json parameters_of(const Route& route) {
    sdk::Json parameters = sdk::Json::array();
    for (const std::string& name : route.placeholders) {
        parameters.push_back(
            {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
    }
    for (const sdk::Parameter& parameter : route.parameters) {
        parameters.push_back({{"name", parameter.name},
                              {"in", "query"},
                              {"required", parameter.required},
                              {"schema", {{"type", "string"}}}});
    }
    return parameters;
}

sdk::Json operation_of(const Route& route) {
    const std::string family = !route.resource ? route.plugin_id
                                               : (route.resource->descriptor.title.empty()
                                                      ? route.resource->descriptor.path
                                                      : route.resource->descriptor.title);
    sdk::Json operation = {{"summary", route.operation},
                           {"tags", {family}},
                           {"x-stele-plugin", route.plugin_id},
                           {"parameters", parameters_of(route)}};
    if (route.is_open) operation["security"] = sdk::Json::array();
    if (route.standard && route.standard->takes_record()) {
        operation["requestBody"] = {
            {"content",
             {{"application/json",
               {{"schema",
                 {{"$ref", "#/components/schemas/" + route.resource->descriptor.type}}}}}}}};
    }
    operation["responses"] = {{"200", {{"description", "done"}}},
                              {"default", {{"description", "an error"}}}};
    return operation;
}

}  // namespace

std::string openapi_document(const Registry& registry, const std::vector<Route>& kernel_routes) {
    sdk::Json paths = sdk::Json::object();
    const auto add = [&paths](const Route& route) {
        paths[route.path.empty() ? "/" : route.path][sdk::lower_case(route.method)] =
            operation_of(route);
    };
    for (const Route& route : kernel_routes)
        add(route);
    for (const Route& route : registry.routes())
        add(route);
    sdk::Json schemas = sdk::Json::object();
    for (const RegisteredResource& resource : registry.resources()) {
        schemas[resource.descriptor.type] = resource_schema(resource.descriptor);
    }
    const sdk::Json document = {
        {"openapi", "3.1.0"},
        {"info", {{"title", "Stele"}, {"version", "0.1.0"}}},
        {"security", {{{"bearer", sdk::Json::array()}}}},
        {"paths", paths},
        {"components",
         {{"schemas", schemas},
          {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
    return sdk::dump_json(document);
}

}  // namespace stele::kernel::resource
