#include "transfer/export_selection.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "definition/schema_parts.hpp"
#include "graph/node_copy.hpp"

namespace stele::nodes {

namespace {

class Selecting {
public:
    Selecting(const ExportRules& rules, sdk::ContentOmissions& omissions)
        : rules_(rules), omissions_(omissions), state_(rules.reader()), pace_(context()) {}

    sdk::Result<void> add_tree(const std::string& name) {
        auto id = shown_id(name);
        if (!id) return id.error();
        if (!ids_.insert(*id).second) return {};
        return add_followers(
            {*id}, {association::kChild, association::kOwned, association::kHasTranslation});
    }

    /// The folders above what is selected.
    sdk::Result<void> add_folders() {
        const std::set<std::string> below = ids_;
        for (const std::string& id : below) {
            auto above = ancestors_of(Graph(state_), id);
            if (!above) return above.error();
            for (const std::string& folder : *above) {
                if (auto added = add(folder); !added) return added.error();
            }
        }
        return {};
    }

    /// What stands in properties for associations.
    sdk::Result<void> add_relator_targets() {
        const std::set<std::string> from = ids_;
        for (const std::string& id : from) {
            auto edges = edges_of(id, Direction::outgoing);
            if (!edges) return edges.error();
            for (const Edge& edge : *edges) {
                if (edge.type == association::kChild || ids_.contains(edge.other)) continue;
                auto record = read(edge.association);
                if (!record) return record.error();
                if (!*record || !is_relation(**record)) continue;
                if (auto added = add(edge.other); !added) return added.error();
            }
        }
        return {};
    }

    /// Between what is selected or, where `reaches_out`, at one end.
    sdk::Result<void> add_associations(bool reaches_out) {
        std::set<std::string> found;
        for (const std::string& id : ids_) {
            auto edges = edges_of(id, Direction::any);
            if (!edges) return edges.error();
            for (const Edge& edge : *edges) {
                if (!is_copied_type(edge.type)) continue;
                if (!reaches_out && !ids_.contains(edge.other)) continue;
                found.insert(edge.association);
                types_.insert(edge.type);
            }
        }
        ids_.merge(found);
        return {};
    }

    sdk::Result<void> add_definitions() {
        for (const std::string& id : std::set<std::string>(ids_)) {
            auto record = read(id);
            if (!record) return record.error();
            if (*record) note_types(**record);
        }
        while (!types_.empty()) {
            const std::string qname = types_.extract(types_.begin()).value();
            if (auto added = add_definition(qname); !added) return added;
        }
        return {};
    }

    std::set<std::string> take() { return std::move(ids_); }

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

    sdk::Result<std::vector<Edge>> edges_of(const std::string& id, Direction direction,
                                            std::string_view type = {}) {
        std::vector<Edge> found;
        sdk::Result<void> may_go_on;
        auto walked = Graph(state_).for_each_edge(id, direction, type,
                                                  paced(pace_, may_go_on, [&](const Edge& edge) {
                                                      found.push_back(edge);
                                                      return true;
                                                  }));
        if (!walked) return walked.error();
        if (!may_go_on) return may_go_on.error();
        return found;
    }

    /// Whether it is new here, and may be read.
    sdk::Result<bool> add(const std::string& id) {
        if (ids_.contains(id) || hidden_.contains(id)) return false;
        auto may = rules_.may_read(id);
        if (!may) return may;
        (*may ? ids_ : hidden_).insert(id);
        if (!*may) ++omissions_.unreadable;
        return may;
    }

    sdk::Result<void> add_followers(std::vector<std::string> reached,
                                    const std::vector<std::string>& types) {
        while (!reached.empty()) {
            const std::string from = std::move(reached.back());
            reached.pop_back();
            for (const std::string& type : types) {
                auto edges = edges_of(from, Direction::outgoing, type);
                if (!edges) return edges.error();
                for (const Edge& edge : *edges) {
                    if (edge.end != Direction::outgoing) continue;
                    auto is_new = add(edge.other);
                    if (!is_new) return is_new.error();
                    if (*is_new) reached.push_back(edge.other);
                }
            }
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
        if (!ids_.contains(definition->id)) return {};
        note_types(**record);
        types_.insert(sdk::text_member(**record, kParent));
        for (std::string& referred : referred_definitions(**record))
            types_.insert(std::move(referred));
        return add_followers({definition->id}, {association::kHasForm});
    }

    const ExportRules& rules_;
    sdk::ContentOmissions& omissions_;
    const ViewReader state_;
    Pace pace_;
    std::set<std::string> ids_;
    std::set<std::string> hidden_;
    /// QNames whose definitions are still to be looked for, and those that were.
    std::set<std::string> types_;
    std::set<std::string> known_types_;
};

}  // namespace

sdk::Result<std::set<std::string>> select_ids(const ExportRules& rules,
                                              const sdk::ContentSelection& selection,
                                              sdk::ContentOmissions& omissions) {
    Selecting selecting(rules, omissions);
    for (const std::string& node : selection.nodes) {
        if (auto added = selecting.add_tree(node); !added) return added.error();
    }
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
