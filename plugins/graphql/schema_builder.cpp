#include "schema_builder.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "limits.hpp"

namespace stele::graphql {

namespace {

/// A letter or `_` first, then letters, digits and `_`; `__` first is the specification's own.
std::string legal_name(std::string_view wanted) {
    std::string name;
    for (const char c : wanted) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool is_digit = c >= '0' && c <= '9';
        if (is_digit && name.empty()) name += '_';
        name += is_letter || is_digit ? c : '_';
    }
    while (name.starts_with("__"))
        name.erase(0, 1);
    return name.empty() ? "_" : name;
}

/// Names given so far; one that is taken gets a number.
class Names {
public:
    std::string take(std::string_view wanted) {
        const std::string first = legal_name(wanted);
        std::string name = first;
        int& number = numbers_[first];
        while (!taken_.insert(name).second)
            name = first + "_" + std::to_string(std::max(++number, 2));
        return name;
    }

private:
    std::set<std::string, std::less<>> taken_;
    std::map<std::string, int> numbers_;
};

/// Of several types the one that is not null; empty when there is no single one.
std::string json_type(const sdk::Json& property) {
    const auto type = property.find("type");
    if (type == property.end()) return {};
    if (type->is_string()) return type->get<std::string>();
    std::string only;
    if (!type->is_array()) return {};
    for (const sdk::Json& one : *type) {
        if (!one.is_string() || one == "null") continue;
        if (!only.empty()) return {};
        only = one.get<std::string>();
    }
    return only;
}

std::string description_of(const sdk::Json& described) {
    const std::string description = sdk::text_member(described, "description");
    return description.empty() ? sdk::text_member(described, "title") : description;
}

const std::vector<FieldDefinition>& system_fields() {
    static const std::vector<FieldDefinition> kFields{
        {.name = "_doc", .type = "ID!", .description = "Id of the node.", .member = "_doc"},
        {.name = "_qname",
         .type = "String!",
         .description = "QName of the node.",
         .member = "_qname"},
        {.name = "_type",
         .type = "String!",
         .description = "QName of its type.",
         .member = "_type"},
        {.name = "_is_association", .type = "Boolean!", .member = "_is_association"},
        {.name = "_features", .type = "JSON", .member = "_features"},
        {.name = "_system", .type = "System", .member = "_system"}};
    return kFields;
}

bool is_system_field(std::string_view member) {
    return std::any_of(system_fields().begin(), system_fields().end(),
                       [&](const FieldDefinition& field) { return field.member == member; });
}

using Properties = std::vector<std::pair<std::string, const sdk::Json*>>;

class SchemaBuilder {
public:
    explicit SchemaBuilder(const std::vector<sdk::Json>& definitions) {
        add_common_types(schema_);
        for (const auto& [name, type] : schema_.types)
            type_names_.take(name);
        type_names_.take(kQueryType);
        query_.name = kQueryType;
        query_.kind = TypeKind::object;
        for (const sdk::Json& definition : definitions) {
            const std::string qname = sdk::text_member(definition, "_qname");
            if (qname.empty()) continue;
            if (known_.size() == kMaxDefinitions) schema_.is_truncated = true;
            if (known_.size() == kMaxDefinitions) break;
            known_.emplace_back(qname, &definition);
            by_qname_.emplace(qname, &definition);
        }
    }

    Schema build() {
        std::vector<std::string> types;
        for (const auto& [qname, definition] : known_)
            types.push_back(type_names_.take(qname));
        for (std::size_t i = 0; i < known_.size(); ++i)
            add_collection(known_[i].first, types[i]);
        for (std::size_t i = 0; i < known_.size(); ++i)
            add_by_id(known_[i].first, types[i]);
        add_root("node", "JSON", {.kind = RootField::Kind::any_node}, "Any node, as a whole.",
                 {{"id", "ID!", "Id, alias or QName."}});
        for (std::size_t i = 0; i < known_.size(); ++i)
            add_type(*known_[i].second, types[i]);
        schema_.types[kQueryType] = std::move(query_);
        return std::move(schema_);
    }

private:
    void add_root(std::string_view name, std::string type, RootField root, std::string description,
                  std::vector<ArgumentDefinition> arguments) {
        const std::string taken = root_names_.take(name);
        schema_.roots[taken] = std::move(root);
        query_.fields.push_back(
            {taken, std::move(type), std::move(description), std::move(arguments), {}});
    }

    void add_collection(const std::string& qname, const std::string& type) {
        add_root(qname + "s", "[" + type + "!]", {.type = qname},
                 "Nodes of the type " + qname + ".",
                 {{"query", "JSON", "Only nodes that this query finds."},
                  {"search", "JSON", "Only nodes that this full text search finds."},
                  {"sort", "JSON", "Fields with 1 or -1, in order."},
                  {"skip", "Int", "How many to leave out.", "0"},
                  {"limit", "Int", "How many at most; -1: all.", std::to_string(kDefaultLimit)}});
    }

    void add_by_id(const std::string& qname, const std::string& type) {
        add_root(qname, type, {.kind = RootField::Kind::by_id, .type = qname},
                 "One node of the type " + qname + ".", {{"id", "ID!", "Id, alias or QName."}});
    }

    /// The definition and those above it, from the top. A circle is left where it closes.
    std::vector<const sdk::Json*> line_of(const sdk::Json& definition) const {
        std::vector<const sdk::Json*> line{&definition};
        while (line.size() < kMaxParents) {
            const auto found = by_qname_.find(sdk::text_member(*line.back(), "_parent"));
            if (found == by_qname_.end()) break;
            if (std::find(line.begin(), line.end(), found->second) != line.end()) break;
            line.push_back(found->second);
        }
        std::reverse(line.begin(), line.end());
        return line;
    }

    /// What a definition declares and inherits, by member.
    Properties properties_of(const sdk::Json& definition) const {
        Properties properties;
        std::map<std::string, std::size_t> places;
        for (const sdk::Json* one : line_of(definition)) {
            const auto own = one->find("properties");
            if (own == one->end() || !own->is_object()) continue;
            for (const auto& [member, property] : own->items()) {
                const auto [place, is_new] = places.emplace(member, properties.size());
                if (is_new) properties.emplace_back(member, nullptr);
                properties[place->second].second = &property;
            }
        }
        return properties;
    }

    void add_type(const sdk::Json& definition, const std::string& name) {
        TypeDefinition type{
            .name = name, .kind = TypeKind::object, .description = description_of(definition)};
        const Properties properties = properties_of(definition);
        Names fields;
        for (const FieldDefinition& field : system_fields()) {
            fields.take(field.name);
            type.fields.push_back(field);
        }
        for (const char* titled : {"title", "description"}) {
            const bool is_declared =
                std::any_of(properties.begin(), properties.end(),
                            [&](const auto& property) { return property.first == titled; });
            if (!is_declared)
                type.fields.push_back({fields.take(titled), "String", {}, {}, titled});
        }
        for (const auto& [member, property] : properties) {
            if (!is_system_field(member)) add_field(type, fields, member, *property, 1);
        }
        schema_.types[name] = std::move(type);
    }

    void add_field(TypeDefinition& type, Names& names, const std::string& member,
                   const sdk::Json& property, int depth) {
        if (++field_count_ > kMaxSchemaFields) {
            schema_.is_truncated = true;
            return;
        }
        const std::string name = names.take(member);
        type.fields.push_back({name,
                               field_type(type.name + "_" + name, property, depth),
                               property.is_object() ? description_of(property) : std::string(),
                               {},
                               member});
    }

    std::string field_type(const std::string& name, const sdk::Json& property, int depth) {
        if (!property.is_object()) return "JSON";
        const std::string type = json_type(property);
        if (type == "string") return "String";
        if (type == "number") return "Float";
        if (type == "integer") return "Int";
        if (type == "boolean") return "Boolean";
        if (depth >= kMaxTypeDepth) return "JSON";
        const auto items = property.find("items");
        if (type == "array" && items != property.end() && items->is_object())
            return "[" + field_type(name, *items, depth + 1) + "]";
        if (type == "array") return "[JSON]";
        const auto members = property.find("properties");
        const bool is_nested = (type == "object" || type.empty()) && members != property.end() &&
                               members->is_object() && !members->empty();
        return is_nested ? nested_type(name, *members, depth) : "JSON";
    }

    std::string nested_type(const std::string& wanted, const sdk::Json& members, int depth) {
        TypeDefinition type{.name = type_names_.take(wanted), .kind = TypeKind::object};
        Names fields;
        for (const auto& [member, property] : members.items())
            add_field(type, fields, member, property, depth + 1);
        if (type.fields.empty()) return "JSON";
        std::string name = type.name;
        schema_.types[name] = std::move(type);
        return name;
    }

    Schema schema_;
    TypeDefinition query_;
    Names type_names_;
    Names root_names_;
    /// By QName, in the order of creation.
    Properties known_;
    std::map<std::string, const sdk::Json*> by_qname_;
    std::size_t field_count_ = 0;
};

}  // namespace

Schema build_schema(const std::vector<sdk::Json>& definitions) {
    return SchemaBuilder(definitions).build();
}

}  // namespace stele::graphql
