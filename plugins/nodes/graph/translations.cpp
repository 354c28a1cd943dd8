#include "graph/translations.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/text.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kFirstEdition[] = "1.0";
/// Longer than any locale with script, country and variant.
constexpr std::size_t kMaxLocaleLength = 64;

bool is_locale_character(char c) {
    return sdk::is_letter_or_digit(c) || c == '_';
}

Locale first_usable(std::string_view header) {
    while (!header.empty()) {
        std::string_view parameters = sdk::take_until(header, ',');
        const std::string_view name = sdk::trimmed(sdk::take_until(parameters, ';'));
        if (name == "default") return {};
        auto locale = parse_locale(name);
        if (locale && !sdk::has_zero_weight(parameters)) return std::move(*locale);
    }
    return {};
}

sdk::Json with_feature(const sdk::Json& node, const char* name, sdk::Json config) {
    sdk::Json fields = node;
    sdk::Json& features = fields[member::kFeatures];
    if (!features.is_object()) features = sdk::Json::object();
    features[name] = std::move(config);
    return fields;
}

sdk::Json config_of(const sdk::Json& node, const char* name) {
    if (!has_feature(node, name)) return sdk::Json::object();
    const sdk::Json& config = node.at(member::kFeatures).at(name);
    return config.is_object() ? config : sdk::Json::object();
}

/// A master says which edition its readers get, from the first translation on.
sdk::Result<void> mark_master(const BranchContent& content, const sdk::Document& master,
                              const std::string& edition) {
    sdk::Json config = config_of(master.fields, feature::kMultilingual);
    if (!sdk::text_member(config, "edition").empty()) return {};
    config["edition"] = edition;
    auto marked = content.context().documents().update(
        content.nodes(), master.id, with_feature(master.fields, feature::kMultilingual, config));
    if (!marked) return marked.error();
    return {};
}

}  // namespace

std::optional<Locale> parse_locale(std::string_view text) {
    // One driver sends parameters as JSON strings (docs/specification/nodes.md 1.1).
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    if (text == "default") return Locale{};
    std::string even = sdk::lower_case(text);
    std::replace(even.begin(), even.end(), '-', '_');
    const std::size_t end = even.find('_');
    Locale locale{even.substr(0, end), end == std::string::npos ? "" : even.substr(end + 1)};
    const bool is_language =
        locale.language.size() >= 2 && locale.language.size() <= 8 &&
        std::all_of(locale.language.begin(), locale.language.end(), sdk::is_letter);
    if (!is_language || even.size() > kMaxLocaleLength ||
        !std::all_of(locale.region.begin(), locale.region.end(), is_locale_character))
        return std::nullopt;
    return locale;
}

sdk::Result<Locale> wanted_locale(const sdk::Call& call) {
    const std::string asked = call.parameter("locale").value_or("");
    if (!asked.empty()) {
        auto locale = parse_locale(asked);
        if (!locale) return sdk::invalid_parameter("locale", "must be a locale like de_DE");
        return std::move(*locale);
    }
    return first_usable(call.header("Accept-Language").value_or(""));
}

std::string current_edition(const sdk::Json& master) {
    std::string edition = sdk::text_member(config_of(master, feature::kMultilingual), "edition");
    return edition.empty() ? kFirstEdition : edition;
}

sdk::Result<std::vector<Translation>> translations_of(const BranchContent& content,
                                                      const sdk::Document& master) {
    std::vector<Translation> found;
    auto edges = content.edges(master.id, Direction::outgoing, association::kHasTranslation);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        auto node = sdk::if_readable(content.context(), content.node(edge.other));
        if (!node) return node.error();
        if (!*node) continue;
        auto association = content.association(edge);
        if (!association) return association.error();
        found.push_back({std::move(**node), sdk::text_member(association->fields, "locale"),
                         sdk::text_member(association->fields, "edition")});
    }
    return found;
}

const Translation* best_translation(const std::vector<Translation>& translations,
                                    std::string_view edition, const Locale& locale) {
    const Translation* best = nullptr;
    int best_rank = 0;
    for (const Translation& translation : translations) {
        if (translation.edition != edition) continue;
        const auto stored = parse_locale(translation.locale);
        if (!stored || stored->language != locale.language) continue;
        const int rank = *stored == locale ? 3 : stored->region.empty() ? 2 : 1;
        if (rank <= best_rank) continue;
        best = &translation;
        best_rank = rank;
    }
    return best;
}

sdk::Result<sdk::Document> join_translation(const BranchContent& content,
                                            const sdk::Document& master,
                                            const sdk::Document& translation,
                                            const std::string& locale, const std::string& edition) {
    auto present = translations_of(content, master);
    if (!present) return present.error();
    for (const Translation& other : *present) {
        if (other.edition != edition || parse_locale(other.locale) != parse_locale(locale))
            continue;
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.translation_exists",
                               fmt::format("node {} has a translation for {} in edition {}",
                                           master.id, locale, edition));
    }
    sdk::Json marks =
        with_feature(translation.fields, feature::kTranslation,
                     {{"master-node-id", master.id}, {"locale", locale}, {"edition", edition}});
    auto marked = content.context().documents().update(
        content.nodes(), translation.id,
        with_feature(marks, feature::kLocale, {{"locale", locale}}));
    if (!marked) return marked;
    if (auto done = mark_master(content, master, edition); !done) return done.error();
    auto joined = content.associate({.source = master.id,
                                     .target = translation.id,
                                     .type = association::kHasTranslation,
                                     .fields = {{"locale", locale}, {"edition", edition}}});
    if (!joined) return joined;
    return marked;
}

sdk::Result<sdk::Document> localised(const BranchContent& content, sdk::Document node,
                                     const Locale& locale) {
    // The first translation marks its master, so most reads look no further.
    if (locale.is_none() || !has_feature(node.fields, feature::kMultilingual)) return node;
    auto translations = translations_of(content, node);
    if (!translations) return translations.error();
    const Translation* best = best_translation(*translations, current_edition(node.fields), locale);
    if (!best) return node;
    return best->node;
}

}  // namespace stele::nodes
