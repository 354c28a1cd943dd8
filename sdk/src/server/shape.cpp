#include <stele/sdk/shape.hpp>

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::sdk::shape {

namespace {

Shape of(const Json& schema) {
    return {.schema = dump_json(schema)};
}

Shape of_type(const char* type) {
    return of({{"type", type}});
}

/// Nothing told is anything.
Json schema_of(const Shape& shape) {
    auto schema = shape.is_told() ? parse_json(shape.schema) : Result<Json>(Json::object());
    return schema ? std::move(*schema) : Json::object();
}

Json reference(std::string_view name) {
    return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

Json schemas_of(const std::vector<Shape>& shapes) {
    Json schemas = Json::array();
    for (const Shape& shape : shapes)
        schemas.push_back(schema_of(shape));
    return schemas;
}

Json object_schema(const std::vector<ShapeMember>& members) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const ShapeMember& member : members) {
        properties[member.name] = schema_of(member.shape);
        if (member.is_required) required.push_back(member.name);
    }
    Json schema = {{"type", "object"}};
    if (!properties.empty()) schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    schema["additionalProperties"] = true;
    return schema;
}

}  // namespace

Shape any() {
    return of(Json::object());
}

Shape text() {
    return of_type("string");
}

Shape text(const std::vector<std::string>& one_of) {
    return of({{"type", "string"}, {"enum", one_of}});
}

Shape integer() {
    return of_type("integer");
}

Shape number() {
    return of_type("number");
}

Shape boolean() {
    return of_type("boolean");
}

Shape time() {
    return of(reference("Timestamp"));
}

Shape null_or(const Shape& shape) {
    return either({shape, of_type("null")});
}

Shape either(const std::vector<Shape>& shapes) {
    return of({{"anyOf", schemas_of(shapes)}});
}

Shape both(const Shape& one, const Shape& other) {
    return of({{"allOf", schemas_of({one, other})}});
}

Shape array(const Shape& items) {
    return of({{"type", "array"}, {"items", schema_of(items)}});
}

Shape object(const std::vector<ShapeMember>& members) {
    return of(object_schema(members));
}

Shape map(const Shape& values) {
    return of({{"type", "object"}, {"additionalProperties", schema_of(values)}});
}

ShapeMember optional(std::string name, Shape shape) {
    return {std::move(name), std::move(shape), false};
}

Shape record(std::string_view type) {
    return of(reference(type));
}

Shape written(std::string_view type) {
    return both(record(type), status());
}

Shape page(const Shape& row) {
    return object({{"rows", array(row)},
                   {"size", integer()},
                   {"total_rows", integer()},
                   {"offset", integer()}});
}

Shape status(const std::vector<ShapeMember>& members) {
    if (members.empty()) return of(reference("Status"));
    return both(status(), object(members));
}

Shape changed() {
    return status({{"_doc", text()}});
}

Shape job() {
    return of(reference("Job"));
}

Shape bytes(std::string_view media_type) {
    return {.schema = "{}", .media_type = std::string(media_type)};
}

}  // namespace stele::sdk::shape
