#include "content/relators.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "content/association_rules.hpp"
#include "content/definitions.hpp"
#include "content/parameters.hpp"
#include "content/relations.hpp"
#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kRelatorKeyword[] = "_relator";
constexpr char kRelatorType[] = "associationType";
constexpr std::size_t kDeepestRelator = 10;
/// Of one definition; the rest is not looked at.
constexpr std::size_t kMostRelators = 100;

/// What a schema says of a relation, of the property itself or of its items; null: nothing.
const sdk::Json* relator_keyword(const sdk::Json& schema) {
    const auto own = schema.find(kRelatorKeyword);
    if (own != schema.end()) return &*own;
    const auto items = schema.find("items");
    if (items == schema.end() || !items->is_object()) return nullptr;
    const auto inner = items->find(kRelatorKeyword);
    return inner == items->end() ? nullptr : &*inner;
}

Relator relator_at(const std::vector<std::string>& steps, const sdk::Json& schema,
                   const sdk::Json& keyword) {
    Relator relator;
    for (const std::string& step : steps)
        relator.path += (relator.path.empty() ? "" : "/") + step;
    relator.steps = steps;
    relator.type = sdk::text_member(keyword, kRelatorType);
    if (relator.type.empty()) relator.type = association::kLinked;
    relator.node_type = sdk::text_member(keyword, "nodeType");
    relator.is_array = sdk::text_member(schema, "type") == "array";
    return relator;
}

void collect_relators(const sdk::Json& schema, std::vector<std::string>& steps,
                      std::vector<Relator>& found) {
    const auto properties = schema.find("properties");
    if (properties == schema.end() || !properties->is_object()) return;
    for (const auto& [name, property] : properties->items()) {
        if (!property.is_object() || found.size() >= kMostRelators) continue;
        steps.push_back(name);
        const sdk::Json* const keyword = relator_keyword(property);
        if (keyword != nullptr && keyword->is_object()) {
            Relator relator = relator_at(steps, property, *keyword);
            // What a nearer definition says holds.
            const bool is_known =
                std::any_of(found.begin(), found.end(),
                            [&](const Relator& known) { return known.path == relator.path; });
            if (!is_known) found.push_back(std::move(relator));
        } else if (steps.size() < kDeepestRelator) {
            collect_relators(property, steps, found);
        }
        steps.pop_back();
    }
}

bool has_object_members(const sdk::Json& node) {
    for (const auto& [name, value] : node.items()) {
        if (!name.starts_with('_') && value.is_structured()) return true;
    }
    return false;
}

template <class Value>
Value* member_at(Value& node, const std::vector<std::string>& steps) {
    Value* at = &node;
    for (const std::string& step : steps) {
        if (!at->is_object()) return nullptr;
        const auto found = at->find(step);
        if (found == at->end()) return nullptr;
        at = &*found;
    }
    return at;
}

sdk::Result<void> check_keyword(const sdk::Json& keyword, const std::string& path) {
    const auto problem = [&path](const char* message) {
        return sdk::make_error({{path, "node.relator_malformed", path + " " + message}});
    };
    if (!keyword.is_object()) return problem("must be an object");
    for (const char* name : {kRelatorType, "nodeType"}) {
        const auto value = keyword.find(name);
        if (value == keyword.end() || value->is_null()) continue;
        const bool is_name = value->is_string() && is_qname(value->get_ref<const std::string&>());
        if (!is_name) return problem("must name types by their QNames");
    }
    const std::string type = sdk::text_member(keyword, kRelatorType);
    return type.empty() ? sdk::Result<void>() : check_association_type(type, path);
}

sdk::Result<void> check_schema_relators(const sdk::Json& schema, const std::string& path,
                                        std::size_t depth) {
    const auto properties = schema.find("properties");
    if (properties == schema.end() || !properties->is_object()) return {};
    for (const auto& [name, property] : properties->items()) {
        if (!property.is_object()) continue;
        const std::string at = path + "." + name;
        if (const sdk::Json* const keyword = relator_keyword(property)) {
            if (auto fine = check_keyword(*keyword, at + "." + kRelatorKeyword); !fine) return fine;
        } else if (depth < kDeepestRelator) {
            if (auto fine = check_schema_relators(property, at + ".properties", depth + 1); !fine)
                return fine;
        }
    }
    return {};
}

}  // namespace

const sdk::Json* Relator::value_in(const sdk::Json& node) const {
    return member_at(node, steps);
}

sdk::Json* Relator::value_in(sdk::Json& node) const {
    return member_at(node, steps);
}

void Relator::erase_from(sdk::Json& node) const {
    std::vector<std::string> above = steps;
    above.pop_back();
    if (sdk::Json* const holder = member_at(node, above)) holder->erase(steps.back());
}

void Relator::put_into(sdk::Json& node, sdk::Json value) const {
    sdk::Json* at = &node;
    for (const std::string& step : steps) {
        if (!at->is_object()) *at = sdk::Json::object();
        at = &(*at)[step];
    }
    *at = std::move(value);
}

sdk::Result<std::vector<Relator>> relators_of(const BranchContent& content, const sdk::Json& node) {
    std::vector<Relator> found;
    const std::string type = sdk::text_member(node, member::kType);
    const bool has_none = is_association(node) || is_definition(node) || type == type::kNode ||
                          is_built_in_definition(type);
    if (has_none) return found;
    auto chain = definition_chain(content, type);
    if (!chain) return chain.error();
    std::vector<std::string> steps;
    for (const sdk::Document& definition : *chain)
        collect_relators(definition.fields, steps, found);
    return found;
}

sdk::Result<std::vector<Relator>> used_relators(const BranchContent& content,
                                                const sdk::Json& node) {
    if (!has_object_members(node)) return std::vector<Relator>();
    return relators_of(content, node);
}

sdk::Result<void> check_relators(const sdk::Json& definition) {
    return check_schema_relators(definition, "properties", 1);
}

}  // namespace stele::nodes
