#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/record_pages.hpp>

#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "graph/translations.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

/// The locale as the caller spells it, which is how it is kept and listed.
sdk::Result<std::string> stored_locale(const sdk::Call& call) {
    auto asked = call.required_parameter("locale");
    if (!asked) return asked;
    const auto locale = parse_locale(*asked);
    if (!locale || locale->is_none())
        return sdk::invalid_parameter("locale", "must be a locale like de_DE");
    return text_parameter(call, "locale");
}

std::string asked_edition(const sdk::Call& call, const sdk::Document& master) {
    const std::string edition = text_parameter(call, "edition");
    return edition.empty() ? current_edition(master.fields) : edition;
}

sdk::Result<sdk::Reply> create_translation(Services& services, const sdk::Call& call) {
    auto locale = stored_locale(call);
    if (!locale) return locale.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = content->require_create(); !may) return may.error();
    const sdk::Document& master = call.record();
    if (is_association(master.fields)) {
        return sdk::make_error(
            {{"nodeId", "nodes.translation_of_association", "an association has no translations"}});
    }
    sdk::Json fields = call.body().is_object() ? call.body() : sdk::Json::object();
    fields.erase("_doc");
    fields.erase(member::kQName);
    fields.erase(member::kIsAssociation);
    if (!fields.contains(member::kType))
        fields[member::kType] = sdk::text_member(master.fields, member::kType);
    auto made = content->create(std::move(fields));
    if (!made) return made.error();
    auto joined = join_translation(*content, master, *made, *locale, asked_edition(call, master));
    if (!joined) return joined.error();
    return sdk::Reply::status(joined->fields);
}

sdk::Result<sdk::Reply> read_translation(Services& services, const sdk::Call& call) {
    if (auto named = call.required_parameter("locale"); !named) return named.error();
    auto locale = wanted_locale(call);
    if (!locale) return locale.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto translations = translations_of(*content, call.record());
    if (!translations) return translations.error();
    const Translation* best =
        best_translation(*translations, asked_edition(call, call.record()), *locale);
    return sdk::Reply::json(best ? best->node.fields : call.record().fields);
}

sdk::Json distinct(const std::vector<std::string>& texts) {
    sdk::Json found = sdk::Json::array();
    for (const std::string& text : texts) {
        if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
    }
    return found;
}

sdk::Result<sdk::Reply> list_editions(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto translations = translations_of(*content, call.record());
    if (!translations) return translations.error();
    std::vector<std::string> editions;
    for (const Translation& translation : *translations)
        editions.push_back(translation.edition);
    return sdk::Reply::json({{"editions", distinct(editions)}});
}

sdk::Result<sdk::Reply> list_locales(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto translations = translations_of(*content, call.record());
    if (!translations) return translations.error();
    const std::string edition = asked_edition(call, call.record());
    std::vector<std::string> locales;
    for (const Translation& translation : *translations) {
        if (translation.edition == edition) locales.push_back(translation.locale);
    }
    return sdk::Reply::json({{"locales", distinct(locales)}});
}

sdk::Result<sdk::Reply> list_translations(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto translations = translations_of(*content, call.record());
    if (!translations) return translations.error();
    const std::string edition = asked_edition(call, call.record());
    std::vector<sdk::Json> rows;
    for (Translation& translation : *translations) {
        if (translation.edition == edition) rows.push_back(std::move(translation.node.fields));
    }
    return services.rows.page(rows, shown_query(call, sdk::Json::object()), call.page());
}

/// The node of a required parameter, which the caller may update.
sdk::Result<sdk::Document> writable_node_of(const BranchContent& content, const sdk::Call& call,
                                            const char* parameter) {
    auto id = call.required_parameter(parameter);
    if (!id) return id.error();
    auto node = content.readable_node(*id);
    if (!node) return node;
    if (is_association(node->fields)) return sdk::invalid_parameter(parameter, "is an association");
    if (auto may = content.require(*node, sdk::Permission::update); !may) return may.error();
    return node;
}

sdk::Result<sdk::Reply> add_translation(Services& services, const sdk::Call& call) {
    auto locale = stored_locale(call);
    if (!locale) return locale.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto master = writable_node_of(*content, call, "masterNodeId");
    if (!master) return master.error();
    auto translation = writable_node_of(*content, call, "translationNodeId");
    if (!translation) return translation.error();
    if (master->id == translation->id)
        return sdk::invalid_parameter("translationNodeId", "must be another node than the master");
    if (has_feature(translation->fields, feature::kTranslation)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.translation_taken",
                               "the node is a translation already");
    }
    auto joined =
        join_translation(*content, *master, *translation, *locale, asked_edition(call, *master));
    if (!joined) return joined.error();
    return sdk::Reply::status(joined->fields);
}

}  // namespace

sdk::Actions node_translation_actions() {
    const std::vector<sdk::Parameter> by_locale{{"locale", true}, {"edition"}};
    const sdk::Shape texts = sdk::shape::array(sdk::shape::text());
    return {{.name = "i18n",
             .permission = sdk::Permission::update,
             .run = operation<&create_translation>(),
             .parameters = by_locale,
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = written_node()},
            {.name = "i18n",
             .method = "GET",
             .run = operation<&read_translation>(),
             .parameters = by_locale,
             .answers = node_shape()},
            {.name = "i18n/editions",
             .method = "GET",
             .run = operation<&list_editions>(),
             .answers = sdk::shape::object({{"editions", texts}})},
            {.name = "i18n/locales",
             .method = "GET",
             .run = operation<&list_locales>(),
             .parameters = {{"edition"}},
             .answers = sdk::shape::object({{"locales", texts}})},
            {.name = "i18n/translations",
             .method = "GET",
             .run = operation<&list_translations>(),
             .parameters = with_projection({{"edition"}}),
             .paged = true,
             .answers = sdk::shape::page(node_shape())}};
}

sdk::Actions branch_translation_actions() {
    return {{.name = "i18n/add",
             .permission = sdk::Permission::create_subobjects,
             .run = operation<&add_translation>(),
             .parameters = {{"masterNodeId", true},
                            {"translationNodeId", true},
                            {"locale", true},
                            {"edition"}},
             .answers = written_node()}};
}

}  // namespace stele::nodes
