#include "schema_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <stele/sdk/json.hpp>

namespace stele::graphql {

namespace {

constexpr std::array<std::string_view, 5> kBuiltIn{"String", "Int", "Float", "Boolean", "ID"};

/// A JSON string is a GraphQL string.
void append_description(std::string& text, std::string_view indentation,
                        const std::string& description) {
    if (description.empty()) return;
    text += indentation;
    sdk::append_json_string(text, description);
    text += '\n';
}

void append_field(std::string& text, const FieldDefinition& field) {
    append_description(text, "  ", field.description);
    text += "  " + field.name;
    const char* separator = "(";
    for (const ArgumentDefinition& argument : field.arguments) {
        text += separator + argument.name + ": " + argument.type;
        if (!argument.default_value.empty()) text += " = " + argument.default_value;
        separator = ", ";
    }
    if (!field.arguments.empty()) text += ")";
    text += ": " + field.type + "\n";
}

}  // namespace

std::string schema_text(const Schema& schema) {
    std::string text = "schema {\n  query: Query\n}\n";
    if (schema.is_truncated)
        text += "# truncated: the branch defines more than a schema can hold\n";
    for (const auto& [name, type] : schema.types) {
        const bool is_known = name.starts_with("__") ||
                              std::find(kBuiltIn.begin(), kBuiltIn.end(), name) != kBuiltIn.end();
        if (is_known) continue;
        text += '\n';
        append_description(text, "", type.description);
        if (type.kind == TypeKind::scalar) {
            text += "scalar " + name + "\n";
            continue;
        }
        text += "type " + name + " {\n";
        for (const FieldDefinition& field : type.fields)
            append_field(text, field);
        text += "}\n";
    }
    return text;
}

}  // namespace stele::graphql
