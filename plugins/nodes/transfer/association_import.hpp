#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "relation/named_targets.hpp"
#include "relation/relators.hpp"
#include "transfer/link_rewriting.hpp"
#include "transfer/record_import.hpp"

namespace stele::nodes {

/// Brings associations, when all nodes are there.
class AssociationImport {
public:
    AssociationImport(ImportState& state, RecordImport& records, LinkRewriting& links)
        : state_(state), content_(state.content), records_(records), links_(links) {}

    /// Whoever acts may make it by the rules of single ones: of a node that the import has not made
    /// they need CREATE_SUBOBJECTS, to put something into it, otherwise UPDATE.
    sdk::Result<void> bring(const sdk::ContentItem& item);

    /// Makes associations for what properties of the node name that no association stands for.
    sdk::Result<void> relate(const std::string& node);

private:
    struct Ends {
        sdk::Document source;
        sdk::Document target;
    };
    /// Nothing where one of them neither comes nor is here.
    sdk::Result<std::optional<Ends>> find_ends(const sdk::ContentItem& item,
                                               const sdk::Json& fields);
    sdk::Result<std::optional<sdk::Document>> find_end(const std::string& item,
                                                       const std::string& id);
    /// The last one is kept: folders come with their members one after another.
    sdk::Result<sdk::Document> read(const std::string& id);
    sdk::Result<void> make(const sdk::ContentItem& item, sdk::Json fields, const Ends& ends);
    sdk::Result<void> update(const sdk::ContentItem& item, const sdk::Document& present,
                             sdk::Json fields);
    /// Whether this import has made a node.
    sdk::Result<bool> is_made(const std::string& id) const { return state_.made.contains(id); }
    /// Of ends that were here before.
    sdk::Result<void> require_ends(const std::string& type, const Ends& ends);
    /// Whether a property of the source says what the association stands for.
    sdk::Result<bool> is_said(const sdk::Json& association, const Ends& ends);
    sdk::Result<bool> may_name(const Relator& relator, const std::string& id);
    sdk::Result<void> join(const sdk::Document& source, const Relator& relator,
                           const std::string& id);
    /// What says the same here already, of nodes that were here before.
    sdk::Result<std::optional<std::string>> find_same(const sdk::Json& fields, const Ends& ends,
                                                      bool is_undirected) const;

    ImportState& state_;
    const BranchContent& content_;
    RecordImport& records_;
    LinkRewriting& links_;
    /// Of a node's type; definitions have come.
    sdk::Result<const std::vector<Relator>*> relators(const sdk::Json& node);

    std::unordered_map<std::string, std::vector<Relator>> relators_;
    static constexpr std::size_t kMaxTypes = 1000;
    static constexpr std::size_t kMaxTargets = 10'000;
    /// When associations come, the nodes are as they stay.
    std::optional<NamedTargets> targets_;
    /// How often they were asked; what they keep grows with that.
    std::size_t asked_ = 0;
    std::optional<sdk::Document> last_source_;
    /// What whoever acts was found to hold on the source of the associations made last.
    std::optional<std::pair<std::string, std::string>> last_required_;
};

}  // namespace stele::nodes
