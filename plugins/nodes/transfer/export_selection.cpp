#include "transfer/export_selection.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "definition/schema_parts.hpp"
#include "graph/node_copy.hpp"
#include "transfer/content_items.hpp"

namespace stele::nodes {

namespace {

class Selecting {
public:
    Selecting(const ExportRules& rules, sdk::ContentOmissions& omissions)
        : rules_(rules),
          omissions_(omissions),
          state_(rules.reader()),
          pace_(context()),
          ids_(scratch_folder(content())),
          hidden_(scratch_folder(content())) {}

    /// Before anything else.
    sdk::Result<void> add_trees(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            auto id = shown_id(name);
            if (!id) return id.error();
            if (auto added = ids_.put(*id, {}); !added) return added;
        }
        // What is added is visited, too.
        return ids_.for_each([this](std::string_view id, std::string_view) -> sdk::Result<void> {
            for (const char* type :
                 {association::kChild, association::kOwned, association::kHasTranslation}) {
                if (auto added = add_next(std::string(id), type); !added) return added;
            }
            return {};
        });
    }

    /// The folders above what is selected.
    sdk::Result<void> add_folders() {
        return for_each_selected([this](const std::string& id) -> sdk::Result<void> {
            auto above = ancestors_of(Graph(state_), id);
            if (!above) return above.error();
            for (const std::string& folder : *above) {
                if (auto added = add(folder); !added) return added.error();
            }
            return {};
        });
    }

    /// What stands in properties for associations.
    sdk::Result<void> add_relator_targets() {
        return for_each_selected([this](const std::string& id) {
            return for_each_edge(id, Direction::outgoing, {},
                                 [this](const Edge& edge) { return add_relator_target(edge); });
        });
    }

    /// Between what is selected or, where `reaches_out`, at one end.
    sdk::Result<void> add_associations(bool reaches_out) {
        sdk::TextTable found(scratch_folder(content()));
        auto walked = for_each_selected([&](const std::string& id) {
            return for_each_edge(
                id, Direction::any, {}, [&](const Edge& edge) -> sdk::Result<void> {
                    if (!is_copied_type(edge.type)) return {};
                    auto is_wanted =
                        reaches_out ? sdk::Result<bool>(true) : ids_.contains(edge.other);
                    if (!is_wanted) return is_wanted.error();
                    if (!*is_wanted) return {};
                    types_.insert(edge.type);
                    return found.put(edge.association, {});
                });
        });
        if (!walked) return walked;
        return found.for_each(
            [this](std::string_view id, std::string_view) { return ids_.put(id, {}); });
    }

    sdk::Result<void> add_definitions() {
        auto noted = for_each_selected([this](const std::string& id) -> sdk::Result<void> {
            auto record = read(id);
            if (!record) return record.error();
            if (*record) note_types(**record);
            return {};
        });
        if (!noted) return noted;
        while (!types_.empty()) {
            const std::string qname = types_.extract(types_.begin()).value();
            if (auto added = add_definition(qname); !added) return added;
        }
        return {};
    }

    sdk::TextTable take() { return std::move(ids_); }

private:
    const BranchContent& content() const { return rules_.content(); }
    sdk::Context& context() const { return rules_.content().context(); }

    /// By id, `root` or QName, in the state that leaves.
    sdk::Result<std::string> shown_id(const std::string& name) {
        auto present = content().node(name);
        if (!present && !sdk::is_missing(present.error())) return present.error();
        const std::string id = present ? present->id : name;
        auto record = read(id);
        if (!record) return record.error();
        auto may = *record ? rules_.may_read(id) : sdk::Result<bool>(false);
        if (!may) return may.error();
        if (!*may)
            return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                                   "there is no node " + name);
        if (is_association(**record))
            return sdk::make_error({{"nodes", "nodes.association_unfit",
                                     "associations come with the nodes that they lead to"}});
        return id;
    }

    sdk::Result<std::optional<sdk::Json>> read(const std::string& id) {
        if (auto may = pace_.step(); !may) return may.error();
        std::string stored;
        auto is_there = state_.get_into(node_record_key(id), stored);
        if (!is_there) return is_there.error();
        if (!*is_there) return std::optional<sdk::Json>();
        auto record = version_record(stored, "node " + id);
        if (!record) return record.error();
        return std::optional<sdk::Json>(std::move(*record));
    }

    /// What is selected by now, and not what `visit` selects.
    sdk::Result<void> for_each_selected(
        const std::function<sdk::Result<void>(const std::string& id)>& visit) const {
        std::uint64_t left = ids_.size();
        return ids_.for_each([&](std::string_view id, std::string_view) {
            if (left == 0) return sdk::Result<void>();
            --left;
            return visit(std::string(id));
        });
    }

    sdk::Result<void> for_each_edge(const std::string& id, Direction direction,
                                    std::string_view type,
                                    const std::function<sdk::Result<void>(const Edge&)>& visit) {
        sdk::Result<void> done;
        auto walked = Graph(state_).for_each_edge(id, direction, type, [&](const Edge& edge) {
            done = pace_.step();
            if (done) done = visit(edge);
            return done.has_value();
        });
        return walked ? done : walked;
    }

    sdk::Result<void> add_relator_target(const Edge& edge) {
        if (edge.type == association::kChild) return {};
        auto is_there = ids_.contains(edge.other);
        if (!is_there) return is_there.error();
        if (*is_there) return {};
        auto record = read(edge.association);
        if (!record) return record.error();
        if (!*record || !is_relation(**record)) return {};
        auto added = add(edge.other);
        return added ? sdk::Result<void>() : added.error();
    }

    /// Whether it is new here, and may be read.
    sdk::Result<bool> add(const std::string& id) {
        for (const sdk::TextTable* known : {&ids_, &hidden_}) {
            auto is_known = known->contains(id);
            if (!is_known) return is_known;
            if (*is_known) return false;
        }
        auto may = rules_.may_read(id);
        if (!may) return may;
        if (auto kept = (*may ? ids_ : hidden_).put(id, {}); !kept) return kept.error();
        if (!*may) ++omissions_.unreadable;
        return may;
    }

    /// What associations of a type lead to; what of that is new goes to `reached`, too.
    sdk::Result<void> add_next(const std::string& from, std::string_view type,
                               std::vector<std::string>* reached = nullptr) {
        return for_each_edge(from, Direction::outgoing, type,
                             [&](const Edge& edge) -> sdk::Result<void> {
                                 if (edge.end != Direction::outgoing) return {};
                                 auto is_new = add(edge.other);
                                 if (!is_new) return is_new.error();
                                 if (*is_new && reached) reached->push_back(edge.other);
                                 return {};
                             });
    }

    sdk::Result<void> add_forms(const std::string& definition) {
        std::vector<std::string> reached{definition};
        while (!reached.empty()) {
            const std::string from = std::move(reached.back());
            reached.pop_back();
            auto added = add_next(from, association::kHasForm, &reached);
            if (!added) return added;
        }
        return {};
    }

    void note_types(const sdk::Json& record) {
        types_.insert(sdk::text_member(record, member::kType));
        const auto features = record.find(member::kFeatures);
        if (features == record.end() || !features->is_object()) return;
        for (const auto& [name, config] : features->items())
            types_.insert(name);
    }

    sdk::Result<void> add_definition(const std::string& qname) {
        const bool is_new = known_types_.insert(qname).second;
        if (!is_new || !is_qname(qname) || is_built_in_definition(qname)) return {};
        auto definition = content().node(qname);
        if (!definition && sdk::is_missing(definition.error())) return {};
        if (!definition) return definition.error();
        if (!is_definition(definition->fields)) return {};
        auto record = read(definition->id);
        if (!record) return record.error();
        if (!*record) return {};
        if (auto added = add(definition->id); !added) return added.error();
        auto is_there = ids_.contains(definition->id);
        if (!is_there) return is_there.error();
        if (!*is_there) return {};
        note_types(**record);
        types_.insert(sdk::text_member(**record, kParent));
        for (std::string& referred : referred_definitions(**record))
            types_.insert(std::move(referred));
        return add_forms(definition->id);
    }

    const ExportRules& rules_;
    sdk::ContentOmissions& omissions_;
    const ViewReader state_;
    Pace pace_;
    sdk::TextTable ids_;
    sdk::TextTable hidden_;
    /// QNames whose definitions are still to be looked for, and those that were.
    std::set<std::string> types_;
    std::set<std::string> known_types_;
};

}  // namespace

sdk::Result<sdk::TextTable> select_ids(const ExportRules& rules,
                                       const sdk::ContentSelection& selection,
                                       sdk::ContentOmissions& omissions) {
    Selecting selecting(rules, omissions);
    if (auto added = selecting.add_trees(selection.nodes); !added) return added.error();
    if (selection.has_relators) {
        if (auto added = selecting.add_relator_targets(); !added) return added.error();
    }
    if (selection.has_folders) {
        if (auto added = selecting.add_folders(); !added) return added.error();
    }
    auto joined = selecting.add_associations(selection.has_relating_associations);
    if (!joined) return joined.error();
    if (auto defined = selecting.add_definitions(); !defined) return defined.error();
    // Those of definitions and their forms, which lead nowhere else.
    if (auto rejoined = selecting.add_associations(false); !rejoined) return rejoined.error();
    return selecting.take();
}

}  // namespace stele::nodes
