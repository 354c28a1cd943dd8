#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/parameters.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "operation/branch/definition_forms.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"
#include "operation/readable_ends.hpp"

namespace stele::nodes {

namespace {

constexpr char kDefinitionQName[] = "qname";

/// Types of definitions that the parameter `filter` leaves.
sdk::Result<sdk::Json> filtered_types(const sdk::Call& call) {
    const std::string filter = sdk::lower_case(text_parameter(call, "filter"));
    if (filter.empty() || filter == "any")
        return sdk::Json{type::kDefinedType, type::kDefinedAssociation, type::kDefinedFeature};
    if (filter == "type") return sdk::Json::array({type::kDefinedType});
    if (filter == "association") return sdk::Json::array({type::kDefinedAssociation});
    if (filter == "feature") return sdk::Json::array({type::kDefinedFeature});
    return sdk::invalid_parameter("filter", "must be type, association or feature");
}

/// Which of the two origins are wanted: asked for, or not turned away while the other is not
/// asked for.
struct Origins {
    bool custom = true;
    bool system = true;
};

sdk::Result<Origins> wanted_origins(const sdk::Call& call) {
    auto custom = call.flag("custom");
    if (!custom) return custom.error();
    auto system = call.flag("system");
    if (!system) return system.error();
    const bool is_custom_asked = custom->value_or(false);
    const bool is_system_asked = system->value_or(false);
    return Origins{.custom = custom->value_or(!is_system_asked),
                   .system = system->value_or(!is_custom_asked)};
}

sdk::Result<sdk::Json> definitions_query(const sdk::Call& call) {
    auto types = filtered_types(call);
    if (!types) return types;
    auto origins = wanted_origins(call);
    if (!origins) return origins.error();
    sdk::Json query = {{member::kType, {{"$in", std::move(*types)}}}};
    if (origins->custom && origins->system) return query;
    if (!origins->custom && !origins->system) {
        query[member::kQName] = {{"$in", sdk::Json::array()}};
    } else {
        // A client's definition with the name of a built-in one is the client's.
        query[origins->system ? "$and" : "$nor"] = sdk::Json::array({built_in_condition()});
    }
    return query;
}

sdk::Result<sdk::Document> named_definition(const BranchContent& content, const sdk::Call& call) {
    const std::string_view qname = call.path(kDefinitionQName);
    auto found = sdk::if_readable(content.context(), content.node(qname));
    if (!found) return found.error();
    if (*found && is_definition((*found)->fields)) return std::move(**found);
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_definition_unknown",
                           fmt::format("there is no definition {}", qname));
}

sdk::Result<sdk::Reply> list_definitions(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto query = definitions_query(call);
    if (!query) return query.error();
    return services.lists.page(call, content->nodes(), shown_query(call, std::move(*query)));
}

sdk::Result<sdk::Reply> query_definitions(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto among = definitions_query(call);
    if (!among) return among.error();
    auto query = narrowed(call.body(), *among);
    if (!query) return query.error();
    return services.lists.page(call, content->nodes(), shown_query(call, std::move(*query)));
}

sdk::Result<sdk::Reply> read_definition(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definition = named_definition(*content, call);
    if (!definition) return definition.error();
    return sdk::Reply::json(definition->fields);
}

sdk::Result<sdk::Reply> list_child_definitions(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definition = named_definition(*content, call);
    if (!definition) return definition.error();
    auto query = definitions_query(call);
    if (!query) return query.error();
    (*query)[kParent] = sdk::text_member(definition->fields, member::kQName);
    return services.lists.page(call, content->nodes(), shown_query(call, std::move(*query)));
}

/// Every definition that the filter leaves and the caller may READ, in order of creation.
sdk::Result<std::vector<sdk::Document>> all_definitions(const BranchContent& content,
                                                        const sdk::Call& call) {
    auto query = definitions_query(call);
    if (!query) return query.error();
    sdk::PageRequest everything;
    everything.limit = -1;
    auto found = content.context().documents().query(content.nodes(), *query, everything);
    if (!found) return found.error();
    std::vector<sdk::Document> readable;
    for (sdk::Document& definition : found->rows) {
        auto may = sdk::holds(content.context(), definition.key, sdk::Permission::read);
        if (!may) return may.error();
        if (*may) readable.push_back(std::move(definition));
    }
    return readable;
}

sdk::Result<sdk::Json> schema_for(const BranchContent& content, const sdk::Document& definition) {
    auto chain = definition_chain(content, sdk::text_member(definition.fields, member::kQName));
    if (!chain) return chain.error();
    return schema_of(*chain);
}

sdk::Result<sdk::Reply> list_schemas(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definitions = all_definitions(*content, call);
    if (!definitions) return definitions.error();
    sdk::Json schemas = sdk::Json::object();
    for (const sdk::Document& definition : *definitions) {
        auto schema = schema_for(*content, definition);
        if (!schema) return schema.error();
        schemas[sdk::text_member(definition.fields, member::kQName)] = std::move(*schema);
    }
    return sdk::Reply::json(schemas);
}

sdk::Result<sdk::Reply> read_schema(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definition = named_definition(*content, call);
    if (!definition) return definition.error();
    auto schema = schema_for(*content, *definition);
    if (!schema) return schema.error();
    return sdk::Reply::json(*schema);
}

sdk::Result<sdk::Reply> list_definition_forms(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definition = named_definition(*content, call);
    if (!definition) return definition.error();
    auto forms = forms_at(*content, definition->id);
    if (!forms) return forms.error();
    return page_of_forms(services, call, *forms);
}

sdk::Result<sdk::Reply> read_definition_form(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definition = named_definition(*content, call);
    if (!definition) return definition.error();
    auto forms = forms_at(*content, definition->id);
    if (!forms) return forms.error();
    return form_of(*forms, call.path("formKey"));
}

/// Forms by key, by the QNames of their definitions; definitions without forms are left out.
sdk::Result<sdk::Reply> list_branch_forms(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto definitions = all_definitions(*content, call);
    if (!definitions) return definitions.error();
    sdk::Json by_definition = sdk::Json::object();
    for (const sdk::Document& definition : *definitions) {
        auto forms = forms_at(*content, definition.id);
        if (!forms) return forms.error();
        if (forms->empty()) continue;
        sdk::Json& by_key = by_definition[sdk::text_member(definition.fields, member::kQName)];
        for (const AttachedForm& form : *forms)
            by_key[form.key()] = form.form.fields;
    }
    return sdk::Reply::json(by_definition);
}

/// Which definitions are wanted.
std::vector<sdk::Parameter> kind_parameters() {
    using enum sdk::FieldKind;
    return {{"filter", false, text, {"any", "type", "association", "feature"}},
            {"custom", false, boolean},
            {"system", false, boolean}};
}

}  // namespace

sdk::Actions branch_definition_actions() {
    using namespace sdk::shape;
    const std::vector<sdk::Parameter> by_kind = kind_parameters();
    const std::vector<sdk::Parameter> rows_by_kind = with_projection(kind_parameters());
    const sdk::Shape node = node_shape();
    // As definitions and clients wrote it.
    const sdk::Shape json_schema = map();
    return {{.name = "definitions",
             .method = "GET",
             .run = operation<&list_definitions>(),
             .parameters = rows_by_kind,
             .paged = true,
             .answers = page(node)},
            {.name = "definitions/query",
             .run = operation<&query_definitions>(),
             .parameters = rows_by_kind,
             .paged = true,
             .answers = page(node)},
            {.name = "definitions/{qname}",
             .method = "GET",
             .run = operation<&read_definition>(),
             .answers = node},
            {.name = "definitions/{qname}/children",
             .method = "GET",
             .run = operation<&list_child_definitions>(),
             .parameters = rows_by_kind,
             .paged = true,
             .answers = page(node)},
            {.name = "definitions/{qname}/forms",
             .method = "GET",
             .run = operation<&list_definition_forms>(),
             .parameters = with_projection(),
             .paged = true,
             .answers = page(node)},
            {.name = "definitions/{qname}/forms/{formKey}",
             .method = "GET",
             .run = operation<&read_definition_form>(),
             .answers = node},
            {.name = "schemas",
             .method = "GET",
             .run = operation<&list_schemas>(),
             .parameters = by_kind,
             .answers = map(json_schema)},
            {.name = "schemas/{qname}",
             .method = "GET",
             .run = operation<&read_schema>(),
             .answers = json_schema},
            {.name = "forms",
             .method = "GET",
             .run = operation<&list_branch_forms>(),
             .parameters = by_kind,
             .answers = map(map(node))}};
}

}  // namespace stele::nodes
