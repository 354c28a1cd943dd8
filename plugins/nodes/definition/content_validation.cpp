#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "definition/schema_validation.hpp"

namespace stele::nodes {

namespace {

/// What a schema speaks about: neither what the server keeps nor the ends of an association.
sdk::Json own_members(const sdk::Json& node) {
    sdk::Json own = sdk::Json::object();
    const bool has_ends = is_association(node);
    for (const auto& [name, value] : node.items()) {
        const bool is_end =
            has_ends && (name.starts_with(member::kSource) || name.starts_with(member::kTarget) ||
                         name == member::kDirectionality);
        if (!name.starts_with('_') && !is_end) own[name] = value;
    }
    return own;
}

sdk::Result<void> validate_by(const BranchContent& content, const std::string& qname,
                              const sdk::Json& instance, const std::string& path,
                              const char* undefined, sdk::Violations& violations) {
    SchemaParts parts;
    if (auto loaded = load_schema_parts(content, qname, parts); !loaded) return loaded;
    if (!parts.contains(qname)) {
        violations.push_back(
            {path.empty() ? member::kType : path, undefined, qname + " is not defined"});
        return {};
    }
    check_schema(schema_document(parts, qname, instance), instance, path, violations);
    return {};
}

/// A definition that is about to be written, as if it were there; whether it can be used.
sdk::Result<void> validate_definition(const BranchContent& content, const sdk::Json& definition,
                                      sdk::Violations& violations) {
    const std::string qname = sdk::text_member(definition, member::kQName);
    auto parents = definition_chain(content, sdk::text_member(definition, kParent));
    if (!parents) return parents.error();
    SchemaPart part{definition, {qname}};
    for (const auto& parent : *parents) {
        std::string name = sdk::text_member(parent->fields, member::kQName);
        if (name != qname) part.chain.push_back(std::move(name));
    }
    SchemaParts parts;
    parts.emplace(qname, std::move(part));
    if (auto loaded = load_schema_parts(content, qname, parts); !loaded) return loaded;
    sdk::Violations found;
    check_schema(schema_document(parts, qname, sdk::Json::object()), sdk::Json::object(), {},
                 found);
    // An empty instance need not fit; only faults of the schema itself count.
    for (sdk::Violation& violation : found) {
        if (violation.code != "nodes.schema_violated") violations.push_back(std::move(violation));
    }
    return {};
}

}  // namespace

sdk::Result<bool> is_validated(const BranchContent& content) {
    auto rules = content.changes().rules(content.context(), content.branch());
    if (!rules) return rules.error();
    return rules->validates_content;
}

sdk::Result<void> validate_content(const BranchContent& content, const sdk::Json& node,
                                   sdk::Violations& violations) {
    if (content.changes().is_server_alone(content.context())) return {};
    auto validates = is_validated(content);
    if (!validates) return validates.error();
    return *validates ? find_violations(content, node, violations) : sdk::Result<void>();
}

sdk::Result<void> check_new_type(const BranchContent& content, sdk::Json node,
                                 const std::string& type) {
    if (!is_qname(type)) {
        return sdk::make_error({{member::kType, "nodes.qname_malformed",
                                 "a type is named by a prefix, a colon and a local name"}});
    }
    node[member::kType] = type;
    sdk::Violations violations;
    if (auto checked = validate_content(content, node, violations); !checked) return checked;
    return violations.empty() ? sdk::Result<void>() : sdk::make_error(std::move(violations));
}

sdk::Result<void> find_violations(const BranchContent& content, const sdk::Json& node,
                                  sdk::Violations& violations) {
    if (is_definition(node)) {
        if (auto done = validate_definition(content, node, violations); !done) return done;
    } else {
        auto done = validate_by(content, sdk::text_member(node, member::kType), own_members(node),
                                {}, "nodes.type_undefined", violations);
        if (!done) return done;
    }
    const auto features = node.find(member::kFeatures);
    if (features == node.end() || !features->is_object()) return {};
    for (const auto& [name, config] : features->items()) {
        // The server's own words, which no definition describes.
        if (name == feature::kLocked || name == feature::kRelator) continue;
        if (violations.size() >= sdk::kMaxViolations) break;
        auto done = validate_by(content, name, config, std::string(member::kFeatures) + "." + name,
                                "nodes.feature_undefined", violations);
        if (!done) return done;
    }
    return {};
}

}  // namespace stele::nodes
