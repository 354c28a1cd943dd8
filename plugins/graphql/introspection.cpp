#include "introspection.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "type_text.hpp"

namespace stele::graphql {

namespace {

sdk::Json text_or_null(const std::string& text) {
    return text.empty() ? sdk::Json() : sdk::Json(text);
}

void add_deprecation(sdk::Json& row) {
    row["isDeprecated"] = false;
    row["deprecationReason"] = nullptr;
}

sdk::Json argument_rows(const std::vector<ArgumentDefinition>& arguments) {
    sdk::Json rows = sdk::Json::array();
    for (const ArgumentDefinition& argument : arguments) {
        sdk::Json row = {{"name", argument.name},
                         {"description", text_or_null(argument.description)},
                         {"type", argument.type},
                         {"defaultValue", text_or_null(argument.default_value)}};
        add_deprecation(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

sdk::Json field_rows(const TypeDefinition& type) {
    sdk::Json rows = sdk::Json::array();
    for (const FieldDefinition& field : type.fields) {
        sdk::Json row = {{"name", field.name},
                         {"description", text_or_null(field.description)},
                         {"args", argument_rows(field.arguments)},
                         {"type", field.type}};
        add_deprecation(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

sdk::Json value_rows(const TypeDefinition& type) {
    sdk::Json rows = sdk::Json::array();
    for (const std::string& value : type.values) {
        sdk::Json row = {{"name", value}, {"description", nullptr}};
        add_deprecation(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

sdk::Json directive_rows() {
    sdk::Json rows = sdk::Json::array();
    for (const DirectiveDefinition& directive : known_directives()) {
        rows.push_back({{"name", directive.name},
                        {"description", directive.description},
                        {"locations", directive.locations},
                        {"args", argument_rows(directive.arguments)},
                        {"isRepeatable", false}});
    }
    return rows;
}

const char* kind_word(TypeKind kind) {
    switch (kind) {
        case TypeKind::scalar:
            return "SCALAR";
        case TypeKind::object:
            return "OBJECT";
        case TypeKind::enumeration:
            break;
    }
    return "ENUM";
}

sdk::Json named_type_field(const TypeDefinition& type, std::string_view field) {
    const bool is_object = type.kind == TypeKind::object;
    if (field == "kind") return kind_word(type.kind);
    if (field == "name") return type.name;
    if (field == "description") return text_or_null(type.description);
    if (field == "fields" && is_object) return field_rows(type);
    if (field == "interfaces" && is_object) return sdk::Json::array();
    if (field == "enumValues" && type.kind == TypeKind::enumeration) return value_rows(type);
    return nullptr;
}

}  // namespace

sdk::Json schema_field(const Schema& schema, std::string_view field) {
    if (field == "queryType") return kQueryType;
    if (field == "directives") return directive_rows();
    if (field != "types") return nullptr;
    sdk::Json names = sdk::Json::array();
    for (const auto& [name, type] : schema.types)
        names.push_back(name);
    return names;
}

sdk::Json type_field(const Schema& schema, std::string_view type, std::string_view field) {
    const bool is_wrapped = is_non_null(type) || is_list(type);
    if (!is_wrapped) {
        const TypeDefinition* named = schema.find(type);
        return named ? named_type_field(*named, field) : sdk::Json();
    }
    if (field == "kind") return is_non_null(type) ? "NON_NULL" : "LIST";
    if (field == "ofType") return std::string(is_non_null(type) ? nullable(type) : item_type(type));
    return nullptr;
}

}  // namespace stele::graphql
