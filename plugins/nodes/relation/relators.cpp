#include "relation/relators.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"

namespace stele::nodes {

namespace {

constexpr char kRelatorKeyword[] = "_relator";
constexpr std::size_t kMaxRelatorDepth = 10;
constexpr std::size_t kMaxRelators = 50;
/// Associations, and what a job is told of them, repeat the path.
constexpr std::size_t kMaxPathBytes = 200;

/// The prefixes of types that mean something to the server.
bool is_servers_name(std::string_view qname) {
    static constexpr std::array<std::string_view, 6> kPrefixes{"a:", "d:", "f:", "n:", "o:", "r:"};
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](std::string_view prefix) { return qname.starts_with(prefix); });
}

/// What a schema says of a relation, of the property itself or of its items; null: nothing.
const sdk::Json* relator_keyword(const sdk::Json& schema) {
    const auto own = schema.find(kRelatorKeyword);
    if (own != schema.end()) return &*own;
    const auto items = schema.find("items");
    if (items == schema.end() || !items->is_object()) return nullptr;
    const auto inner = items->find(kRelatorKeyword);
    return inner == items->end() ? nullptr : &*inner;
}

/// A place in a schema that says `_relator`.
struct RelatorPlace {
    std::string path;
    const sdk::Json* keyword;
};

/// Of one definition, in the order of its members. Names that would make a path mean another
/// property, and the server's own, have no relators.
void collect_places(const sdk::Json& schema, const std::string& above, std::size_t depth,
                    std::vector<RelatorPlace>& found) {
    const auto properties = schema.find("properties");
    if (depth == kMaxRelatorDepth || properties == schema.end() || !properties->is_object()) return;
    for (const auto& [name, property] : properties->items()) {
        if (found.size() == kMaxRelators) return;
        const bool is_path = name.empty() || name.find('/') != std::string::npos;
        if (!property.is_object() || is_path || name.front() == '_') continue;
        const std::string path = above + name;
        if (path.size() > kMaxPathBytes) continue;
        if (const sdk::Json* const keyword = relator_keyword(property)) {
            found.push_back({path, keyword});
        } else {
            collect_places(property, path + '/', depth + 1, found);
        }
    }
}

std::vector<RelatorPlace> places_in(const sdk::Json& definition) {
    std::vector<RelatorPlace> found;
    // Definitions of features and associations say nothing of nodes.
    if (sdk::text_member(definition, member::kType) == type::kDefinedType)
        collect_places(definition, {}, 0, found);
    return found;
}

/// Empty says nothing, as null does.
bool names_type_or_none(const sdk::Json& keyword, const char* name) {
    const auto value = keyword.find(name);
    if (value == keyword.end() || value->is_null()) return true;
    if (!value->is_string()) return false;
    const auto& text = value->get_ref<const std::string&>();
    return text.empty() || is_qname(text);
}

/// Nothing where the keyword cannot be used. One driver writes empty objects back as empty arrays
/// (docs/specification/nodes.md 1.1).
std::optional<Relator> relator_at(const RelatorPlace& place) {
    const sdk::Json& keyword = *place.keyword;
    const bool is_object = keyword.is_object() || (keyword.is_array() && keyword.empty());
    if (!is_object) return std::nullopt;
    Relator relator{place.path, association::kLinked, {}};
    if (keyword.is_array()) return relator;
    if (!names_type_or_none(keyword, "associationType") || !names_type_or_none(keyword, "nodeType"))
        return std::nullopt;
    if (std::string type = sdk::text_member(keyword, "associationType"); !type.empty())
        relator.type = std::move(type);
    relator.node_type = sdk::text_member(keyword, "nodeType");
    if (!is_relator_type(relator.type)) return std::nullopt;
    return relator;
}

bool is_inside(std::string_view path, std::string_view outer) {
    return path.size() > outer.size() && path.starts_with(outer) && path[outer.size()] == '/';
}

/// Whether one is the other or lies inside it: what the outer one's element says goes with it.
bool overlap(std::string_view one, std::string_view other) {
    return one == other || is_inside(one, other) || is_inside(other, one);
}

}  // namespace

bool is_relator_type(std::string_view type) {
    return type == association::kLinked || !is_servers_name(type);
}

sdk::Result<std::vector<Relator>> relators_of(const BranchContent& content, const sdk::Json& node) {
    std::vector<Relator> found;
    const std::string type = sdk::text_member(node, member::kType);
    if (is_association(node) || is_servers_name(type)) return found;
    auto chain = definition_chain(content, type, kMaxChain);
    if (!chain) return chain.error();
    std::vector<std::string> known;
    for (const auto& definition : *chain) {
        for (const RelatorPlace& place : places_in(definition->fields)) {
            if (found.size() == kMaxRelators) return found;
            const bool is_known =
                std::any_of(known.begin(), known.end(),
                            [&](const std::string& path) { return overlap(path, place.path); });
            if (is_known) continue;
            known.push_back(place.path);
            if (auto relator = relator_at(place)) found.push_back(std::move(*relator));
        }
    }
    return found;
}

}  // namespace stele::nodes
