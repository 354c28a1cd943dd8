#include "index_document.hpp"

#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "node_text.hpp"
#include "query_builder.hpp"
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
        : document_(document), terms_(terms) {}

    void add(const FieldText& field) {
        const std::string path(field.path);
        document_.add_boolean_term(terms_.present(path));
        Xapian::termpos& in_field = places_[path];
        for (const std::string& word : words_of(field.text)) {
            document_.add_posting(terms_.word(path, word), ++in_field);
            if (field.is_in_all) document_.add_posting(terms_.word({}, word), ++in_all_);
        }
        in_field += kGap;
        in_all_ += kGap;
    }

private:
    Xapian::Document& document_;
    const Terms& terms_;
    std::map<std::string, Xapian::termpos> places_;
    Xapian::termpos in_all_ = 0;
};

}  // namespace

sdk::Result<std::optional<sdk::Json>> read_searched_node(const sdk::ContentVersion& version) {
    auto node = sdk::parse_json(version.text);
    if (!node) {
        return sdk::make_error(sdk::ErrorKind::internal, "node_search.node_unreadable",
                               "a node cannot be read",
                               fmt::format("node {}, line {}, revision {}: {}", version.node,
                                           version.line, version.revision, node.error().message));
    }
    const auto flag = node->find("_is_association");
    if (flag != node->end() && *flag == sdk::Json(true)) return std::optional<sdk::Json>();
    return std::optional<sdk::Json>(std::move(*node));
}

Xapian::Document make_document(const Terms& terms, const Candidate& candidate,
                               const sdk::Json& node, std::string_view attached) {
    Xapian::Document document;
    document.set_data(document_text(candidate));
    document.add_value(kBornSlot, revision_value(candidate.revision));
    document.add_value(kDiedSlot, revision_value(kNeverDied));
    document.add_boolean_term(terms.space());
    document.add_boolean_term(terms.line(candidate.line));
    document.add_boolean_term(terms.node(candidate.node));
    document.add_boolean_term(terms.live(candidate.line, candidate.node));
    DocumentText text(document, terms);
    for_each_text(node, [&](const FieldText& field) { text.add(field); });
    if (!attached.empty()) text.add({kAttachedPath, attached});
    return document;
}

}  // namespace stele::node_search
