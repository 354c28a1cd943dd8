#include "operation/branch/definition_forms.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/parameters.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kFormKeyMember[] = "form-key";

/// Those of a definition itself; of any other node, those of its type and of what that extends.
sdk::Result<std::vector<AttachedForm>> forms_of_node(const BranchContent& content,
                                                     const sdk::Document& node) {
    auto forms = forms_at(content, node.id);
    if (!forms || is_definition(node.fields)) return forms;
    auto chain = definition_chain(content, sdk::text_member(node.fields, member::kType));
    if (!chain) return chain.error();
    for (const auto& definition : *chain) {
        auto more = forms_at(content, definition->id);
        if (!more) return more;
        std::move(more->begin(), more->end(), std::back_inserter(*forms));
    }
    return forms;
}

sdk::Result<sdk::Reply> list_node_forms(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto forms = forms_of_node(*content, call.record());
    if (!forms) return forms.error();
    return page_of_forms(services, call, *forms);
}

sdk::Result<sdk::Reply> read_node_form(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto forms = forms_of_node(*content, call.record());
    if (!forms) return forms.error();
    return form_of(*forms, call.path("formKey"));
}

sdk::Result<sdk::Reply> read_node_type(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const std::string qname = sdk::text_member(call.record().fields, member::kType);
    auto definition = sdk::if_readable(call.context(), content->node(qname));
    if (!definition) return definition.error();
    if (*definition && is_definition((*definition)->fields))
        return sdk::Reply::json((*definition)->fields);
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_definition_unknown",
                           fmt::format("there is no definition {}", qname));
}

}  // namespace

std::string AttachedForm::key() const {
    std::string key = sdk::text_member(association.fields, kFormKeyMember);
    return key.empty() ? form.id : key;
}

sdk::Result<std::vector<AttachedForm>> forms_at(const BranchContent& content,
                                                std::string_view definition) {
    std::vector<AttachedForm> found;
    auto edges = content.edges(definition, Direction::outgoing, association::kHasForm);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        auto association = sdk::if_readable(content.context(), content.association(edge));
        if (!association) return association.error();
        auto form = sdk::if_readable(content.context(), content.node(edge.other));
        if (!form) return form.error();
        if (*association && *form) found.push_back({std::move(**association), std::move(**form)});
    }
    return found;
}

sdk::Result<sdk::Reply> page_of_forms(Services& services, const sdk::Call& call,
                                      const std::vector<AttachedForm>& forms) {
    std::vector<sdk::Json> rows;
    for (const AttachedForm& form : forms)
        rows.push_back(form.association.fields);
    return services.rows.page(rows, shown_query(call, sdk::Json::object()), call.page());
}

sdk::Result<sdk::Reply> form_of(const std::vector<AttachedForm>& forms,
                                std::string_view key_or_id) {
    const auto find = [&](const auto& fits) {
        return std::find_if(forms.begin(), forms.end(), fits);
    };
    auto found = find([&](const AttachedForm& form) { return form.key() == key_or_id; });
    if (found == forms.end()) {
        found = find([&](const AttachedForm& form) {
            return form.form.id == key_or_id ||
                   sdk::text_member(form.form.fields, member::kQName) == key_or_id;
        });
    }
    if (found == forms.end()) {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_form_unknown",
                               fmt::format("there is no form {}", key_or_id));
    }
    return sdk::Reply::json(found->form.fields);
}

sdk::Actions node_form_actions() {
    const sdk::Shape node = node_shape();
    return {
        {.name = "forms",
         .method = "GET",
         .run = operation<&list_node_forms>(),
         .parameters = with_projection(),
         .paged = true,
         .answers = sdk::shape::page(node)},
        {.name = "forms/{formKey}",
         .method = "GET",
         .run = operation<&read_node_form>(),
         .answers = node},
        {.name = "type", .method = "GET", .run = operation<&read_node_type>(), .answers = node}};
}

}  // namespace stele::nodes
