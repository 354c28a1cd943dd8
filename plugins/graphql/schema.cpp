#include "schema.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace stele::graphql {

namespace {

template <class Named>
const Named* find_named(const std::vector<Named>& all, std::string_view name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

void add_scalar(Schema& schema, std::string name, std::string description) {
    schema.types[name] = {.name = name, .description = std::move(description)};
}

using FieldTypes = std::initializer_list<std::pair<const char*, const char*>>;

void add_object(Schema& schema, std::string name, std::string description,
                const FieldTypes& fields) {
    TypeDefinition& type = schema.types[name];
    type = {.name = name, .kind = TypeKind::object, .description = std::move(description)};
    for (const auto& [field, field_type] : fields)
        type.fields.push_back({.name = field, .type = field_type, .member = field});
}

void add_enumeration(Schema& schema, std::string name, std::vector<std::string> values) {
    schema.types[name] = {.name = name, .kind = TypeKind::enumeration, .values = std::move(values)};
}

void add_system_types(Schema& schema) {
    add_object(schema, "Timestamp", "A moment, in UTC.",
               {{"timestamp", "String"},
                {"iso_8601", "String"},
                {"ms", "Float"},
                {"year", "Int"},
                {"month", "Int"},
                {"day_of_month", "Int"},
                {"hour", "Int"},
                {"minute", "Int"},
                {"second", "Int"},
                {"millisecond", "Int"}});
    add_object(schema, "System", "What the server keeps about a node.",
               {{"changeset", "String"},
                {"previousChangeset", "String"},
                {"deleted", "Boolean"},
                {"created_on", "Timestamp"},
                {"created_by", "String"},
                {"created_by_principal_id", "String"},
                {"created_by_principal_domain_id", "String"},
                {"modified_on", "Timestamp"},
                {"modified_by", "String"},
                {"modified_by_principal_id", "String"},
                {"modified_by_principal_domain_id", "String"},
                {"edited_on", "Timestamp"},
                {"edited_by", "String"},
                {"edited_by_principal_id", "String"},
                {"edited_by_principal_domain_id", "String"},
                {"attachments", "JSON"}});
}

/// GraphQL, edition October 2021, 4.2.
void add_introspection_types(Schema& schema) {
    add_object(schema, "__Schema", "",
               {{"description", "String"},
                {"types", "[__Type!]!"},
                {"queryType", "__Type!"},
                {"mutationType", "__Type"},
                {"subscriptionType", "__Type"},
                {"directives", "[__Directive!]!"}});
    add_object(schema, "__Type", "",
               {{"kind", "__TypeKind!"},
                {"name", "String"},
                {"description", "String"},
                {"fields", "[__Field!]"},
                {"interfaces", "[__Type!]"},
                {"possibleTypes", "[__Type!]"},
                {"enumValues", "[__EnumValue!]"},
                {"inputFields", "[__InputValue!]"},
                {"ofType", "__Type"},
                {"specifiedByURL", "String"}});
    add_object(schema, "__Field", "",
               {{"name", "String!"},
                {"description", "String"},
                {"args", "[__InputValue!]!"},
                {"type", "__Type!"},
                {"isDeprecated", "Boolean!"},
                {"deprecationReason", "String"}});
    add_object(schema, "__InputValue", "",
               {{"name", "String!"},
                {"description", "String"},
                {"type", "__Type!"},
                {"defaultValue", "String"},
                {"isDeprecated", "Boolean!"},
                {"deprecationReason", "String"}});
    add_object(schema, "__EnumValue", "",
               {{"name", "String!"},
                {"description", "String"},
                {"isDeprecated", "Boolean!"},
                {"deprecationReason", "String"}});
    add_object(schema, "__Directive", "",
               {{"name", "String!"},
                {"description", "String"},
                {"locations", "[__DirectiveLocation!]!"},
                {"args", "[__InputValue!]!"},
                {"isRepeatable", "Boolean!"}});
    add_enumeration(
        schema, "__TypeKind",
        {"SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM", "INPUT_OBJECT", "LIST", "NON_NULL"});
    add_enumeration(schema, "__DirectiveLocation",
                    {"QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION",
                     "FRAGMENT_SPREAD", "INLINE_FRAGMENT", "VARIABLE_DEFINITION", "SCHEMA",
                     "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE",
                     "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION"});
    const ArgumentDefinition deprecated{"includeDeprecated", "Boolean", "", "false"};
    const auto filtered = {std::pair{"__Type", "fields"}, std::pair{"__Type", "enumValues"},
                           std::pair{"__Type", "inputFields"}, std::pair{"__Field", "args"},
                           std::pair{"__Directive", "args"}};
    for (const auto& [type, name] : filtered) {
        for (FieldDefinition& field : schema.types[type].fields) {
            if (field.name == name) field.arguments = {deprecated};
        }
    }
}

}  // namespace

const ArgumentDefinition* FieldDefinition::find_argument(std::string_view wanted) const {
    return find_named(arguments, wanted);
}

const FieldDefinition* TypeDefinition::find_field(std::string_view wanted) const {
    return find_named(fields, wanted);
}

const TypeDefinition* Schema::find(std::string_view name) const {
    const auto found = types.find(name);
    return found == types.end() ? nullptr : &found->second;
}

const FieldDefinition* Schema::find_field(const TypeDefinition& type, std::string_view name) const {
    static const FieldDefinition kTypeName{.name = "__typename", .type = "String!"};
    static const FieldDefinition kSchema{.name = "__schema", .type = "__Schema!"};
    static const FieldDefinition kType{
        .name = "__type", .type = "__Type", .arguments = {{"name", "String!"}}};
    if (name == kTypeName.name) return &kTypeName;
    if (type.name == kQueryType && name == kSchema.name) return &kSchema;
    if (type.name == kQueryType && name == kType.name) return &kType;
    return type.find_field(name);
}

const std::vector<DirectiveDefinition>& known_directives() {
    static const std::vector<std::string> kSelections{"FIELD", "FRAGMENT_SPREAD",
                                                      "INLINE_FRAGMENT"};
    static const std::vector<DirectiveDefinition> kDirectives{
        {"include", "Only when the argument is true.", kSelections, {{"if", "Boolean!"}}},
        {"skip", "Not when the argument is true.", kSelections, {{"if", "Boolean!"}}},
        {"deprecated",
         "Should no longer be used.",
         {"FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INPUT_FIELD_DEFINITION", "ENUM_VALUE"},
         {{"reason", "String", "", "\"No longer supported\""}}},
        {"specifiedBy", "Where a scalar is described.", {"SCALAR"}, {{"url", "String!"}}}};
    return kDirectives;
}

const DirectiveDefinition* find_directive(std::string_view name) {
    return find_named(known_directives(), name);
}

void add_common_types(Schema& schema) {
    add_scalar(schema, "String", "Text.");
    add_scalar(schema, "Int", "A whole number of 32 bits.");
    add_scalar(schema, "Float", "A number.");
    add_scalar(schema, "Boolean", "`true` or `false`.");
    add_scalar(schema, "ID", "The id of a node.");
    add_scalar(schema, "JSON",
               "Any JSON value. As an argument also its text: objects whose members are no names "
               "are given so, or by a variable.");
    add_system_types(schema);
    add_introspection_types(schema);
}

}  // namespace stele::graphql
