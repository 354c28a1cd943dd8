#include "index_document.hpp"

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "node_text.hpp"
#include "query_builder.hpp"
#include "range_values.hpp"
#include "words.hpp"

namespace stele::node_search {

namespace {

// Phrases do not run from one value into the next.
constexpr Xapian::termpos kGap = 2000;

/// Adds the words of a node's values. What its attachments say is one more value with a path of its
/// own.
class DocumentText {
public:
    DocumentText(Xapian::Document& document, const Terms& terms)
        : document_(document), terms_(terms), in_all_(terms.words({})) {}

    void add(const FieldText& field) {
        const std::string path(field.path);
        if (!place_of_common(path)) document_.add_boolean_term(terms_.present(path));
        add_value(path, field);
        const std::string in_field = terms_.words(path);
        const std::vector<std::string> words = words_of(field.text);
        if (is_found_whole(path)) {
            if (!words.empty()) add_word(in_field, as_one_word(words), field.is_in_all);
        } else if (words.size() > 1 && field.is_in_all) {
            add_placed(in_field, places_[path], words);
        } else {
            for (const std::string& word : words) {
                if (!field.is_in_all || has_room(word)) add_word(in_field, word, field.is_in_all);
            }
        }
    }

private:
    /// For ranges. The server's dates are found whole, in the order of their times already.
    void add_value(const std::string& path, const FieldText& field) {
        if (!field.is_in_all || is_found_whole(path)) return;
        if (field.number) {
            add_key(path, number_key(*field.number));
        } else if (const auto date = read_iso_date(field.text)) {
            add_key(path, date_key(*date));
        }
    }

    void add_key(const std::string& path, const std::string& key) {
        std::unordered_set<std::string>& known = values_[path];
        if (known.size() == kMaxValuesOfField || !known.insert(key).second) return;
        document_.add_boolean_term(terms_.values(path) + key);
    }

    /// Whether the word is one of those that the node may have. What the server writes, types and
    /// names always are.
    bool has_room(const std::string& word) {
        if (words_.size() == kMaxWordsOfNode) return words_.contains(word);
        words_.insert(word);
        return true;
    }

    void add_word(const std::string& in_field, const std::string& word, bool is_in_all) {
        document_.add_term(Terms::joined(in_field, word));
        if (is_in_all) document_.add_term(Terms::joined(in_all_, word));
    }

    /// Places are for phrases: a value of one word needs none, and what the server writes has none,
    /// for they cost more than all the rest.
    void add_placed(const std::string& in_field, Xapian::termpos& place,
                    const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            ++place;
            ++all_place_;
            if (!has_room(word)) continue;
            document_.add_posting(Terms::joined(in_field, word), place);
            document_.add_posting(Terms::joined(in_all_, word), all_place_);
        }
        place += kGap;
        all_place_ += kGap;
    }

    Xapian::Document& document_;
    const Terms& terms_;
    const std::string in_all_;
    std::map<std::string, Xapian::termpos> places_;
    std::map<std::string, std::unordered_set<std::string>> values_;
    std::unordered_set<std::string> words_;
    Xapian::termpos all_place_ = 0;
};

/// A truth value, which forms send as text.
bool flag_of(const simdjson::dom::object& object, std::string_view name, bool fallback) {
    bool flag = false;
    if (!object[name].get(flag)) return flag;
    std::string_view text;
    if (object[name].get(text) || (text != "true" && text != "false")) return fallback;
    return text == "true";
}

/// No association, nor a node whose `f:indexable` is switched off.
bool is_searched(const simdjson::dom::object& node) {
    if (flag_of(node, "_is_association", false)) return false;
    simdjson::dom::object indexable;
    if (node["_features"]["f:indexable"].get(indexable)) return true;
    return flag_of(indexable, "enabled", true);
}

}  // namespace

sdk::Result<std::optional<simdjson::dom::object>> read_searched_node(
    simdjson::dom::parser& parser, const sdk::ContentVersion& version) {
    simdjson::dom::object node;
    if (const auto problem = parser.parse(version.text.data(), version.text.size()).get(node)) {
        return sdk::make_error(
            sdk::ErrorKind::internal, "node_search.node_unreadable", "a node cannot be read",
            fmt::format("node {}, line {}, revision {}: {}", version.node, version.line,
                        version.revision, simdjson::error_message(problem)));
    }
    if (!is_searched(node)) return std::optional<simdjson::dom::object>();
    return std::optional(node);
}

Xapian::Document make_document(const Terms& terms, const Candidate& candidate,
                               const simdjson::dom::object& node, std::string_view attached) {
    Xapian::Document document;
    document.add_value(kBornSlot, revision_value(candidate.revision));
    document.add_value(kDiedSlot, revision_value(kNeverDied));
    document.add_value(kVersionSlot, version_value(candidate));
    document.add_boolean_term(terms.space());
    document.add_boolean_term(terms.line(candidate.line));
    document.add_boolean_term(terms.version(candidate.line, candidate.node, candidate.revision));
    DocumentText text(document, terms);
    for_each_text(node, [&](const FieldText& field) { text.add(field); });
    if (!attached.empty()) text.add({kAttachedPath, attached});
    return document;
}

}  // namespace stele::node_search
