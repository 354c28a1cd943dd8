#include "kernel/resource/description/openapi.hpp"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/resource/description/operation_id.hpp"
#include "kernel/resource/description/schemas.hpp"
#include "kernel/resource/operations/standard_operations.hpp"

namespace stele::kernel::resource {

namespace {

using sdk::Json;

constexpr char kJson[] = "application/json";

const std::string& path_of(const Route& route) {
    static const std::string kRoot = "/";
    return route.path.empty() ? kRoot : route.path;
}

Json content(const char* media_type, Json schema) {
    return {{media_type, {{"schema", std::move(schema)}}}};
}

Json content(const sdk::Shape& shape) {
    return content(shape.media_type.c_str(), schema_of(shape));
}

Json parameters_of(const Route& route) {
    Json parameters = Json::array();
    for (const std::string& name : route.placeholders) {
        parameters.push_back(
            {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
    }
    for (const sdk::Parameter& parameter : route.parameters) {
        parameters.push_back({{"name", parameter.name},
                              {"in", "query"},
                              {"required", parameter.required},
                              {"schema", parameter_schema(parameter)}});
    }
    return parameters;
}

/// Null where the operation takes none.
Json request_body_of(const Route& route) {
    if (route.method == "GET" || route.method == "DELETE" || !route.run) return nullptr;
    if (route.takes.is_told()) {
        Json body = {{"content", content(route.takes)}};
        // A form has records and files.
        if (route.standard && route.has_streamed_body)
            body["content"].update(content("multipart/form-data", schema_of({})));
        if (route.standard && route.standard->takes_record()) body["required"] = true;
        return body;
    }
    if (route.has_raw_body || route.has_streamed_body)
        return {{"content", content(sdk::shape::bytes())}};
    if (route.body != sdk::BodyUse::parameters)
        return {{"content", content(sdk::shape::record("Condition"))}};
    return {{"content", content(kJson, body_of_parameters(route.parameters))}};
}

Json responses_of(const Route& route) {
    const Json failure = {{"$ref", "#/components/responses/Error"}};
    return {{"200", {{"description", "Done"}, {"content", content(route.answers)}}},
            {"4XX", failure},
            {"5XX", failure}};
}

/// What of it is asked for by `method path`.
using Aliases = std::map<std::string, Json>;

Aliases aliases_of(const Registry& registry) {
    Aliases aliases;
    for (const Route& route : registry.routes()) {
        if (!route.alias_of.empty())
            aliases[route.method + " " + route.alias_of].push_back(route.path);
    }
    return aliases;
}

Json operation_of(const Route& route, std::string id, const Aliases& aliases) {
    Json operation = {{"operationId", std::move(id)},
                      {"summary", route.operation},
                      {"tags", {family_title(route)}},
                      {"x-stele-plugin", route.plugin_id}};
    const auto others = aliases.find(route.method + " " + route.path);
    if (others != aliases.end()) operation["x-stele-aliases"] = others->second;
    operation["parameters"] = parameters_of(route);
    if (route.is_open) operation["security"] = Json::array();
    if (Json body = request_body_of(route); !body.is_null())
        operation["requestBody"] = std::move(body);
    operation["responses"] = responses_of(route);
    return operation;
}

Json tags_of(const Registry& registry, const std::vector<Route>& kernel_routes) {
    std::set<std::string> names;
    for (const std::vector<Route>* routes : {&kernel_routes, &registry.routes()}) {
        for (const Route& route : *routes)
            names.insert(family_title(route));
    }
    Json tags = Json::array();
    for (const std::string& name : names)
        tags.push_back({{"name", name}});
    return tags;
}

Json components_of(const Registry& registry) {
    return {{"schemas", schemas_of(registry)},
            {"responses",
             {{"Error",
               {{"description", "Refused or failed; nothing was done"},
                {"content", content(sdk::shape::record("Error"))}}}}},
            {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}};
}

}  // namespace

std::string openapi_document(const Registry& registry, const std::vector<Route>& kernel_routes) {
    const Aliases aliases = aliases_of(registry);
    OperationIds ids;
    Json paths = Json::object();
    // What grows copies all that it has.
    sdk::reserve_members(paths, kernel_routes.size() + registry.routes().size());
    for (const std::vector<Route>* routes : {&kernel_routes, &registry.routes()}) {
        for (const Route& route : *routes) {
            if (!route.alias_of.empty()) continue;
            paths[path_of(route)][sdk::lower_case(route.method)] =
                operation_of(route, ids.take(route), aliases);
        }
    }
    const Json document = {{"openapi", "3.1.0"},
                           {"info",
                            {{"title", "Stele"},
                             {"version", "0.1.0"},
                             {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                           {"servers", {{{"url", "/"}, {"description", "This server"}}}},
                           {"security", {{{"bearer", Json::array()}}}},
                           {"tags", tags_of(registry, kernel_routes)},
                           {"paths", std::move(paths)},
                           {"components", components_of(registry)}};
    return sdk::dump_json(document);
}

}  // namespace stele::kernel::resource
