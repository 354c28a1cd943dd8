#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stele::graphql {

struct ArgumentDefinition {
    std::string name;
    std::string type;
    std::string description = {};
    /// As written in the schema; empty: none.
    std::string default_value = {};
};

struct FieldDefinition {
    std::string name;
    std::string type;
    std::string description = {};
    std::vector<ArgumentDefinition> arguments = {};
    /// The member of the record that it shows.
    std::string member = {};

    const ArgumentDefinition* find_argument(std::string_view wanted) const;
};

enum class TypeKind { scalar, object, enumeration };

struct TypeDefinition {
    std::string name;
    TypeKind kind = TypeKind::scalar;
    std::string description = {};
    std::vector<FieldDefinition> fields = {};
    /// Of an enumeration.
    std::vector<std::string> values = {};

    const FieldDefinition* find_field(std::string_view wanted) const;
};

struct DirectiveDefinition {
    std::string name;
    std::string description;
    std::vector<std::string> locations;
    std::vector<ArgumentDefinition> arguments;
};

/// What a field of `Query` answers.
struct RootField {
    enum class Kind { collection, by_id, any_node };
    Kind kind = Kind::collection;
    /// QName of the definition.
    std::string type = {};
};

inline constexpr char kQueryType[] = "Query";

/// The types of a branch. Scalars, the types of introspection and directives are the same in all.
struct Schema {
    std::map<std::string, TypeDefinition, std::less<>> types;
    /// By the name of the field of `Query`.
    std::map<std::string, RootField, std::less<>> roots;
    /// Definitions or their fields did not fit the bounds.
    bool is_truncated = false;

    const TypeDefinition* find(std::string_view name) const;
    /// The type of fields at the top, without those of introspection.
    const TypeDefinition& query() const { return types.find(kQueryType)->second; }
    /// The same with `__typename`, and `__schema` and `__type` at the top.
    const FieldDefinition* find_field(const TypeDefinition& type, std::string_view name) const;
};

const std::vector<DirectiveDefinition>& known_directives();
const DirectiveDefinition* find_directive(std::string_view name);

/// Scalars, `System` and `Timestamp`, and the types of introspection, for every schema.
void add_common_types(Schema& schema);

}  // namespace stele::graphql
