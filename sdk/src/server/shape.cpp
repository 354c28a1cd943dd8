#include <stele/sdk/shape.hpp>

#include <utility>

#include <stele/sdk/json.hpp>

namespace stele::sdk::shape {

namespace {

// Text is joined, and not parsed: thousands of shapes are put together at each start.

std::string string_value(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

/// Each with a comma before it but the first.
void append(std::string& list, const std::string& item) {
    if (!list.empty()) list += ',';
    list += item;
}

/// Nothing told is anything.
const std::string& schema_of(const Shape& shape) {
    static const std::string kAnything = "{}";
    return shape.is_told() ? shape.schema : kAnything;
}

Shape of_type(const std::string& type) {
    return {.schema = R"({"type":)" + string_value(type) + "}"};
}

Shape reference(const std::string& name) {
    return {.schema = R"({"$ref":)" + string_value("#/components/schemas/" + name) + "}"};
}

Shape of_all(const std::string& keyword, const std::vector<Shape>& shapes) {
    std::string schemas;
    for (const Shape& shape : shapes)
        append(schemas, schema_of(shape));
    return {.schema = "{" + string_value(keyword) + ":[" + schemas + "]}"};
}

}  // namespace

Shape any() {
    return {.schema = "{}"};
}

Shape text() {
    return of_type("string");
}

Shape text(const std::vector<std::string>& one_of) {
    std::string values;
    for (const std::string& value : one_of)
        append(values, string_value(value));
    return {.schema = R"({"type":"string","enum":[)" + values + "]}"};
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
    return reference("Timestamp");
}

Shape null_or(const Shape& shape) {
    return either({shape, of_type("null")});
}

Shape either(const std::vector<Shape>& shapes) {
    return of_all("anyOf", shapes);
}

Shape both(const Shape& one, const Shape& other) {
    return of_all("allOf", {one, other});
}

Shape array(const Shape& items) {
    return {.schema = R"({"type":"array","items":)" + schema_of(items) + "}"};
}

Shape object(const std::vector<ShapeMember>& members) {
    std::string properties;
    std::string required;
    for (const ShapeMember& member : members) {
        append(properties, string_value(member.name) + ":" + schema_of(member.shape));
        if (member.is_required) append(required, string_value(member.name));
    }
    std::string schema = R"({"type":"object")";
    if (!properties.empty()) schema += R"(,"properties":{)" + properties + "}";
    if (!required.empty()) schema += R"(,"required":[)" + required + "]";
    return {.schema = schema + R"(,"additionalProperties":true})"};
}

Shape map(const Shape& values) {
    return {.schema = R"({"type":"object","additionalProperties":)" + schema_of(values) + "}"};
}

ShapeMember optional(std::string name, Shape shape) {
    return {std::move(name), std::move(shape), false};
}

Shape record(std::string_view type) {
    return reference(std::string(type));
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
    if (members.empty()) return reference("Status");
    return both(status(), object(members));
}

Shape changed() {
    return status({{"_doc", text()}});
}

Shape job() {
    return reference("Job");
}

Shape bytes(std::string_view media_type) {
    return {.schema = "{}", .media_type = std::string(media_type)};
}

}  // namespace stele::sdk::shape
