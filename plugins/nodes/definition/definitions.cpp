#include "definition/definitions.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/client_members.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"

namespace stele::nodes {

namespace {

/// Of what the server itself has written.
constexpr char kServersDomain[] = "system";
constexpr char kCreatorsDomain[] = "created_by_principal_domain_id";

/// No definition has more of its own: they are looked for one after another in whatever is written.
constexpr std::size_t kMaxDemanded = 1000;

/// Features by name from an object of configurations or an array of names.
sdk::Json demanded_features(const sdk::Json& definition) {
    const auto demanded = definition.find("mandatoryFeatures");
    sdk::Json found = sdk::Json::object();
    if (demanded == definition.end()) return found;
    if (demanded->is_object()) {
        for (const auto& [name, config] : demanded->items()) {
            if (found.size() == kMaxDemanded) break;
            if (is_qname(name)) found[name] = config.is_object() ? config : sdk::Json::object();
        }
    }
    if (demanded->is_array()) {
        for (const sdk::Json& name : *demanded) {
            if (found.size() == kMaxDemanded) break;
            if (name.is_string() && is_qname(name.get_ref<const std::string&>()))
                found[name.get<std::string>()] = sdk::Json::object();
        }
    }
    return found;
}

void merge_properties(const sdk::Json& inherited, sdk::Json& schema) {
    const auto from = inherited.find("properties");
    if (from == inherited.end() || !from->is_object()) return;
    sdk::Json& properties = schema["properties"];
    if (!properties.is_object()) properties = sdk::Json::object();
    sdk::Json merged = *from;
    for (const auto& [name, property] : properties.items())
        merged[name] = property;
    properties = std::move(merged);
}

void merge_required(const sdk::Json& inherited, sdk::Json& schema) {
    const auto from = inherited.find("required");
    if (from == inherited.end() || !from->is_array()) return;
    sdk::Json& required = schema["required"];
    if (!required.is_array()) required = sdk::Json::array();
    std::set<sdk::Json> known(required.begin(), required.end());
    for (const sdk::Json& name : *from) {
        if (known.insert(name).second) required.push_back(name);
    }
}

}  // namespace

bool is_built_in_definition(std::string_view qname) {
    const auto& built_in = built_in_definitions();
    return std::any_of(built_in.begin(), built_in.end(), [&](const sdk::Json& definition) {
        return definition.at(member::kQName).get_ref<const std::string&>() == qname;
    });
}

sdk::Json built_in_condition() {
    sdk::Json names = sdk::Json::array();
    for (const sdk::Json& definition : built_in_definitions())
        names.push_back(definition.at(member::kQName));
    return {{member::kQName, {{"$in", std::move(names)}}},
            {std::string(member::kSystem) + "." + kCreatorsDomain, kServersDomain}};
}

bool is_replaceable_definition(const std::string& qname) {
    static constexpr std::array<std::string_view, 6> kOwnPrefixes{
        "a:", "d:", "f:", "n:", "o:", "r:"};
    const bool is_own =
        std::any_of(kOwnPrefixes.begin(), kOwnPrefixes.end(),
                    [&](std::string_view prefix) { return qname.starts_with(prefix); });
    return !is_own && is_built_in_definition(qname);
}

bool is_unchanged_built_in(const sdk::Json& definition) {
    const auto system = definition.find(member::kSystem);
    return is_definition(definition) &&
           is_built_in_definition(sdk::text_member(definition, member::kQName)) &&
           system != definition.end() &&
           sdk::text_member(*system, kCreatorsDomain) == kServersDomain &&
           sdk::text_member(*system, "modified_by_principal_domain_id") == kServersDomain;
}

sdk::Result<void> make_way_for(const BranchContent& content, const sdk::Json& definition) {
    const std::string qname = sdk::text_member(definition, member::kQName);
    if (content.changes().is_server_alone(content.context()) || !is_replaceable_definition(qname))
        return {};
    auto present = content.node(qname);
    if (!present) return sdk::is_missing(present.error()) ? sdk::Result<void>() : present.error();
    const bool is_of_server =
        is_definition(present->fields) && creator_of(present->fields).domain_id == kServersDomain;
    if (!is_of_server) return {};
    // Whether a client may delete the server's is no question: it may make definitions.
    sdk::Documents& documents = content.context().as_system().documents();
    if (auto gone = documents.remove(content.nodes(), present->id); !gone) return gone;
    return documents.remove(deletions_of(content), present->id);
}

sdk::Result<void> check_no_instances(const BranchContent& content, const sdk::Json& definition) {
    if (content.context().session().is_system && !content.changes().actor()) return {};
    const std::string qname = sdk::text_member(definition, member::kQName);
    const bool is_feature = sdk::text_member(definition, member::kType) == type::kDefinedFeature;
    const sdk::Json instances =
        is_feature ? sdk::Json{{std::string(member::kFeatures) + "." + qname, {{"$exists", true}}}}
                   : sdk::Json{{member::kType, qname}};
    sdk::PageRequest one;
    one.limit = 1;
    auto found = content.context().documents().query(content.nodes(), instances, one);
    if (!found) return found.error();
    if (found->rows.empty()) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.definition_used",
                           "the branch has content that the definition " + qname + " is for");
}

bool is_definition(const sdk::Json& node) {
    const std::string type = sdk::text_member(node, member::kType);
    return type == type::kDefinedType || type == type::kDefinedAssociation ||
           type == type::kDefinedFeature;
}

sdk::Result<DefinitionChain> definition_chain(const BranchContent& content, std::string_view qname,
                                              std::size_t most) {
    sdk::Documents& documents = content.context().documents();
    DefinitionChain chain;
    std::string next(qname);
    while (chain.size() < most && is_qname(next)) {
        const bool is_known = std::any_of(chain.begin(), chain.end(), [&](const auto& definition) {
            return sdk::text_member(definition->fields, member::kQName) == next;
        });
        if (is_known) break;
        auto definition = documents.look_at(content.nodes(), next);
        if (!definition && sdk::is_missing(definition.error())) break;
        if (!definition) return definition.error();
        if (!is_definition((*definition)->fields)) break;
        next = sdk::text_member((*definition)->fields, kParent);
        chain.push_back(*std::move(definition));
    }
    return chain;
}

sdk::Json schema_of(const DefinitionChain& chain) {
    sdk::Json schema = sdk::Json::object();
    for (const auto& definition : chain) {
        for (const auto& [name, value] : definition->fields.items()) {
            if (!name.starts_with('_') && !schema.contains(name)) schema[name] = value;
        }
        if (definition == chain.front()) continue;
        merge_properties(definition->fields, schema);
        merge_required(definition->fields, schema);
    }
    return schema;
}

sdk::Result<void> apply_mandatory_features(const BranchContent& content, sdk::Json& node) {
    const std::string type = sdk::text_member(node, member::kType);
    // These demand nothing, and nearly every write has one of them.
    if (type == type::kNode || (is_association(node) && is_built_in_definition(type))) return {};
    auto chain = definition_chain(content, type);
    if (!chain) return chain.error();
    sdk::Json& features = node[member::kFeatures];
    if (!features.is_object()) features = sdk::Json::object();
    for (const auto& definition : *chain) {
        sdk::Json demanded = demanded_features(definition->fields);
        rename_features(demanded);
        for (const auto& [name, config] : demanded.items()) {
            if (!features.contains(name)) features[name] = config;
        }
    }
    return {};
}

}  // namespace stele::nodes
