#include "definition/schema_parts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <re2/re2.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/regex_weight.hpp>

namespace stele::nodes {

namespace {

constexpr std::string_view kQNameScheme = "qname://";

constexpr std::array kPlainKeywords{
    "minimum",  "maximum",  "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    "minItems", "maxItems", "minProperties",    "maxProperties",    "multipleOf"};
constexpr std::array kOneSchemaKeywords{
    "not", "if", "then", "else", "contains", "propertyNames", "additionalItems"};

/// The QName of a reference to another definition; empty for references within one.
std::string referred_qname(std::string_view reference) {
    if (reference.starts_with(kQNameScheme)) reference.remove_prefix(kQNameScheme.size());
    return is_qname(reference) ? std::string(reference) : std::string();
}

void collect_references(const sdk::Json& value, std::vector<std::string>& found) {
    if (value.is_object()) {
        if (std::string qname = referred_qname(sdk::text_member(value, "$ref")); !qname.empty())
            found.push_back(std::move(qname));
    }
    if (!value.is_structured()) return;
    for (const sdk::Json& inner : value)
        collect_references(inner, found);
}

void collect_names(const sdk::Json& value, std::set<std::string>& names) {
    if (!value.is_structured()) return;
    for (const auto& [name, inner] : value.items()) {
        if (value.is_object()) names.insert(name);
        collect_names(inner, names);
    }
}

/// `patternProperties` inside one another are rewritten for every name of each.
constexpr std::size_t kMaxWork = 200'000;

/// Rewrites the schemas of one part.
class SchemaRewriter {
public:
    SchemaRewriter(const SchemaParts& parts, std::size_t part, const std::set<std::string>& names,
                   std::size_t& work)
        : parts_(parts), part_(part), names_(names), work_(work) {}

    sdk::Json rewrite(const sdk::Json& schema) const;

private:
    std::string reference(std::string_view text) const;
    sdk::Json each(const sdk::Json& schemas) const;
    void rewrite_limits(const sdk::Json& schema, sdk::Json& out) const;
    void rewrite_combined(const sdk::Json& schema, sdk::Json& out) const;
    void rewrite_members(const sdk::Json& schema, sdk::Json& out) const;
    void rewrite_items(const sdk::Json& schema, sdk::Json& out) const;
    void add_matching(const sdk::Json& patterns, sdk::Json& properties) const;

    const SchemaParts& parts_;
    std::size_t part_;
    const std::set<std::string>& names_;
    /// Schemas, and names that were held against patterns.
    std::size_t& work_;
};

std::string part_path(const char* kind, std::size_t part) {
    return fmt::format("#/definitions/{}{}", kind, part);
}

std::size_t index_of(const SchemaParts& parts, const std::string& qname) {
    return static_cast<std::size_t>(std::distance(parts.begin(), parts.find(qname)));
}

std::string SchemaRewriter::reference(std::string_view text) const {
    const std::string qname = referred_qname(text);
    // What is not there leads nowhere, which the validator's parser reports.
    if (!qname.empty()) {
        return parts_.contains(qname) ? part_path("whole", index_of(parts_, qname))
                                      : "#/definitions/" + qname;
    }
    if (text == "#") return part_path("whole", part_);
    if (text.starts_with("#/")) return part_path("own", part_).append(text.substr(1));
    return "#/definitions/unknown";
}

sdk::Json SchemaRewriter::each(const sdk::Json& schemas) const {
    if (!schemas.is_structured()) return schemas;
    sdk::Json out = schemas;
    for (sdk::Json& schema : out)
        schema = rewrite(schema);
    return out;
}

/// Draft 4 says by a boolean whether a limit itself is allowed.
void SchemaRewriter::rewrite_limits(const sdk::Json& schema, sdk::Json& out) const {
    for (const char* keyword : kPlainKeywords) {
        if (const auto value = schema.find(keyword); value != schema.end()) out[keyword] = *value;
    }
    if (const auto value = schema.find("divisibleBy"); value != schema.end())
        out["multipleOf"] = *value;
    for (const auto& [exclusive, limit] :
         {std::pair{"exclusiveMinimum", "minimum"}, std::pair{"exclusiveMaximum", "maximum"}}) {
        const auto flag = out.find(exclusive);
        if (flag == out.end() || !flag->is_boolean()) continue;
        const bool is_exclusive = flag->get<bool>();
        out.erase(exclusive);
        if (!is_exclusive || !out.contains(limit)) continue;
        out[exclusive] = out[limit];
        out.erase(limit);
    }
    const auto type = schema.find("type");
    const bool is_any =
        type == schema.end() || *type == "any" ||
        (type->is_array() && std::find(type->begin(), type->end(), "any") != type->end());
    if (!is_any) out["type"] = *type;
    for (const auto& [keyword, own] :
         {std::pair{"pattern", kPatternKey}, std::pair{"format", kFormatKey},
          std::pair{"enum", kEnumKey}, std::pair{"const", kConstKey}}) {
        if (const auto value = schema.find(keyword); value != schema.end()) out[own] = *value;
    }
}

void SchemaRewriter::rewrite_combined(const sdk::Json& schema, sdk::Json& out) const {
    // The validator looks at `allOf` first, hence counts a step before it goes deeper.
    sdk::Json all = sdk::Json::array({{{kStepKey, true}}});
    if (schema.value("uniqueItems", sdk::Json()) == true) {
        all.push_back({{kUniqueKey, true}});
    }
    for (const char* keyword : {"allOf", "extends"}) {
        const auto value = schema.find(keyword);
        if (value == schema.end()) continue;
        const sdk::Json schemas = each(value->is_array() ? *value : sdk::Json::array({*value}));
        all.insert(all.end(), schemas.begin(), schemas.end());
    }
    out["allOf"] = std::move(all);
    for (const char* keyword : {"anyOf", "oneOf", "definitions"}) {
        if (const auto value = schema.find(keyword); value != schema.end())
            out[keyword] = each(*value);
    }
    for (const char* keyword : kOneSchemaKeywords) {
        if (const auto value = schema.find(keyword); value != schema.end())
            out[keyword] = value->is_boolean() ? *value : rewrite(*value);
    }
    const auto dependencies = schema.find("dependencies");
    if (dependencies == schema.end() || !dependencies->is_object()) return;
    for (const auto& [name, dependency] : dependencies->items()) {
        const sdk::Json needed =
            dependency.is_string() ? sdk::Json::array({dependency}) : dependency;
        out["dependencies"][name] =
            needed.is_array() ? sdk::Json{{"allOf", sdk::Json::array({{{kStepKey, true}}})},
                                          {kRequiredKey, needed}}
                              : rewrite(needed);
    }
}

/// `patternProperties` becomes `properties`, for the names that there are.
void SchemaRewriter::add_matching(const sdk::Json& patterns, sdk::Json& properties) const {
    for (const auto& [pattern, schema] : patterns.items()) {
        work_ += names_.size() + sdk::regex_weight(pattern);
        if (work_ > kMaxWork) return;
        const RE2 expression(pattern, RE2::Quiet);
        if (!expression.ok()) {
            properties[""] = {{kPatternKey, pattern}};
            continue;
        }
        for (const std::string& name : names_) {
            if (!RE2::PartialMatch(name, expression)) continue;
            sdk::Json both = sdk::Json::array({rewrite(schema)});
            if (properties.contains(name)) both.push_back(properties[name]);
            properties[name] = {{"allOf", std::move(both)}};
        }
    }
}

void SchemaRewriter::rewrite_members(const sdk::Json& schema, sdk::Json& out) const {
    sdk::Json required = sdk::Json::array();
    const auto listed = schema.find("required");
    if (listed != schema.end() && !listed->is_boolean()) required = *listed;
    const auto properties = schema.find("properties");
    if (properties != schema.end()) {
        out["properties"] = each(*properties);
        if (properties->is_object() && required.is_array()) {
            // Draft 3 says of a property itself that it is required.
            for (const auto& [name, property] : properties->items()) {
                if (property.is_object() && property.value("required", sdk::Json()) == true)
                    required.push_back(name);
            }
        }
    }
    if (!required.empty()) out[kRequiredKey] = std::move(required);
    const auto patterns = schema.find("patternProperties");
    if (patterns != schema.end() && patterns->is_object()) {
        sdk::Json& all = out["properties"];
        if (all.is_null()) all = sdk::Json::object();
        add_matching(*patterns, all);
    }
    if (const auto value = schema.find("additionalProperties"); value != schema.end()) {
        out["additionalProperties"] = value->is_boolean() ? *value : rewrite(*value);
        if (!out.contains("properties")) out["properties"] = sdk::Json::object();
    }
}

void SchemaRewriter::rewrite_items(const sdk::Json& schema, sdk::Json& out) const {
    const auto items = schema.find("items");
    if (items != schema.end()) out["items"] = items->is_array() ? each(*items) : rewrite(*items);
}

sdk::Json SchemaRewriter::rewrite(const sdk::Json& schema) const {
    // What never fits is a step, too, so that many of them are no more than many steps.
    if (schema == false) {
        return {{"allOf", sdk::Json::array({{{kStepKey, true}}})}, {"not", sdk::Json::object()}};
    }
    if (!schema.is_object()) return schema;
    if (++work_ > kMaxWork) return sdk::Json::object();
    if (const std::string text = sdk::text_member(schema, "$ref"); !text.empty()) {
        return {{"allOf", sdk::Json::array({{{kStepKey, true}}, {{"$ref", reference(text)}}})}};
    }
    sdk::Json out = sdk::Json::object();
    rewrite_combined(schema, out);
    rewrite_limits(schema, out);
    rewrite_members(schema, out);
    rewrite_items(schema, out);
    return out;
}

}  // namespace

std::vector<std::string> referred_definitions(const sdk::Json& schema) {
    std::vector<std::string> found;
    collect_references(schema, found);
    return found;
}

SchemaDocument schema_document(const SchemaParts& parts, const std::string& qname,
                               const sdk::Json& instance) {
    std::set<std::string> names;
    collect_names(instance, names);
    SchemaDocument made{{{"definitions", sdk::Json::object()}}, {}};
    sdk::Json& definitions = made.document["definitions"];
    std::size_t work = 0;
    std::size_t index = 0;
    for (const auto& [name, part] : parts) {
        definitions[fmt::format("own{}", index)] =
            SchemaRewriter(parts, index, names, work).rewrite(part.schema);
        sdk::Json whole = sdk::Json::array({{{kStepKey, true}}});
        for (const std::string& link : part.chain) {
            if (parts.contains(link))
                whole.push_back({{"$ref", part_path("own", index_of(parts, link))}});
        }
        definitions[fmt::format("whole{}", index)] = {{"allOf", std::move(whole)}};
        ++index;
    }
    for (const std::string& link : parts.at(qname).chain) {
        if (parts.contains(link)) made.roots.push_back(part_path("own", index_of(parts, link)));
    }
    made.is_too_costly = work > kMaxWork;
    return made;
}

}  // namespace stele::nodes
