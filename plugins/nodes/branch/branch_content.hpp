#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>

#include "branch/changes.hpp"
#include "branch/graph.hpp"
#include "branch/services.hpp"
#include "version/layered_cursor.hpp"

namespace stele::nodes {

struct NewAssociation {
    std::string source;
    std::string target;
    std::string type;
    bool is_undirected = false;
    /// What the association says beside that; an object.
    sdk::Json fields;
};

/// The nodes of a branch at its tip, inside an operation: what node operations work with. Writes
/// join the operation's one changeset on the branch and show at once. Rights are checked where a
/// function says so. One thread at a time; the context outlives it.
class BranchContent {
public:
    static constexpr std::size_t kEveryEdge = static_cast<std::size_t>(-1);

    /// `not_found` (`nodes.branch_unknown`) when the record is no branch.
    static sdk::Result<BranchContent> open(Services& services, sdk::Context& context,
                                           const sdk::RecordKey& branch);
    /// The same in a context of the server, by the branch's reference, for the principal whom it
    /// acts for (`Changes::act_for`): what jobs work with.
    static sdk::Result<BranchContent> open_for(Services& services, sdk::Context& context,
                                               const sdk::Principal& principal,
                                               std::string_view branch);

    Services& services() const { return services_; }
    sdk::Context& context() const { return context_; }
    const sdk::RecordKey& branch() const { return branch_; }
    const BranchPlace& place() const { return place_; }
    const sdk::CollectionName& nodes() const { return nodes_; }
    Changes& changes() const { return Changes::of(context_, services_.branches); }
    const ViewReader& view() const { return *view_; }
    Graph graph() const { return Graph(*view_); }
    sdk::Result<GraphWriter> graph_writer() const;
    /// Who acts, or whom a job acts for (`Changes::act_for`).
    const sdk::Principal& principal() const;
    /// Whether they have the permission on a record of any family; the server has every one.
    sdk::Result<bool> may(const sdk::RecordKey& record, sdk::Permission permission) const;

    /// Whether whoever acts may READ every node.
    sdk::Result<bool> reads_all() const;

    /// By id, `root` or QName, associations included; `not_found` (`document.unknown`).
    sdk::Result<sdk::Document> node(std::string_view id) const;
    /// The same for whoever acts: `not_found` where they may not READ it.
    sdk::Result<sdk::Document> readable_node(std::string_view id) const;
    /// `forbidden` (`authority.permission_missing`) where whoever acts lacks the permission.
    sdk::Result<void> require(const sdk::Document& node, sdk::Permission permission) const;
    /// `forbidden` where whoever acts may not make nodes on the branch.
    sdk::Result<void> require_create() const;
    sdk::Result<void> require_on_branch(sdk::Permission permission) const;

    /// Makes a node or, with `_is_association` and its ends, an association. A `_doc` among the
    /// fields becomes the id, which must be one that the server made.
    sdk::Result<sdk::Document> create(sdk::Json fields) const;
    /// `invalid` when an end is an association, `not_found` when one is missing.
    sdk::Result<sdk::Document> associate(const NewAssociation& association) const;
    /// The same between nodes that were read already: a large one is not read for each of many.
    sdk::Result<sdk::Document> associate(const sdk::Document& source, const sdk::Document& target,
                                         const NewAssociation& association) const;
    /// Removes the associations from source to target; of undirected ones either end may be meant.
    /// Answers how many there were.
    sdk::Result<std::size_t> unassociate(const AssociationEnds& ends) const;

    /// Explicit associations only, at most `limit` of them; in order of creation.
    sdk::Result<std::vector<Edge>> edges(std::string_view node, Direction direction,
                                         std::string_view type = {},
                                         std::size_t limit = kEveryEdge) const;
    /// Those of docs/specification/nodes.md 11.4, which follow from who made a node, and the one
    /// that shows its lock.
    sdk::Result<std::vector<Edge>> implicit_edges(const sdk::Document& node, Direction direction,
                                                  std::string_view type = {},
                                                  std::size_t limit = kEveryEdge) const;
    /// The implicit ones are among them, before the others.
    sdk::Result<std::vector<Edge>> all_edges(const sdk::Document& node, Direction direction,
                                             std::string_view type = {},
                                             std::size_t limit = kEveryEdge) const;
    /// The record of an association that `all_edges` gave.
    sdk::Result<sdk::Document> association(const Edge& edge) const;

    /// Of a path below `from`, segments as `split_path` gives them; nothing when there is no such.
    sdk::Result<std::optional<std::string>> find_path(std::string_view from,
                                                      const std::vector<std::string>& path) const;
    /// The folder of a path below `from`, made where it is missing, as containers
    /// (docs/specification/nodes.md 7.2), so that something can be put into it. `forbidden` where
    /// whoever acts may not READ one that is there, or not CREATE_SUBOBJECTS in the last of these.
    sdk::Result<sdk::Document> make_folders(const sdk::Document& from,
                                            const std::vector<std::string>& path) const;
    /// The way from `root` down to the node by names (`/a/b`), through folders that whoever acts
    /// may READ; nothing when there is none.
    sdk::Result<std::optional<std::string>> path_of(const sdk::Document& node,
                                                    std::string_view root) const;
    /// Folders that the node lies in, nearest first, each once.
    sdk::Result<std::vector<std::string>> ancestors(std::string_view node) const;

    /// The node that stands for a user or group here; nothing when there is none yet.
    sdk::Result<std::optional<std::string>> find_person(std::string_view domain_id,
                                                        std::string_view principal_id) const;
    sdk::Result<std::string> ensure_person(const sdk::Principal& principal) const;

private:
    friend sdk::Result<BranchContent> content_of(Services& services, const sdk::Call& call);

    BranchContent(Services& services, sdk::Context& context, sdk::RecordKey branch,
                  BranchPlace place, View view);

    Services& services_;
    sdk::Context& context_;
    sdk::RecordKey branch_;
    BranchPlace place_;
    sdk::CollectionName nodes_;
    std::unique_ptr<VersionSpace> space_;
    std::unique_ptr<ViewReader> view_;
};

/// The branch's content of a call: below a branch's path, or on a branch.
sdk::Result<BranchContent> content_of(Services& services, const sdk::Call& call);

/// The name of a node in its folder (docs/specification/nodes.md 8).
std::string name_of(const sdk::Json& node);
/// Segments between slashes, empty ones left out.
std::vector<std::string> split_path(std::string_view path);
/// Whether a text is a prefix, a colon and a local name, fit for paths.
bool is_qname(std::string_view text);
bool has_feature(const sdk::Json& node, std::string_view feature);
bool is_association(const sdk::Json& node);
/// What an association's record says of its ends.
AssociationEnds ends_of(const sdk::Document& association);

/// Who made a node, by what it says.
struct Creator {
    std::string id;
    std::string domain_id;
};
Creator creator_of(const sdk::Json& node);

/// Ids of the implicit associations of a node, and the node of such an id.
std::string implicit_id(std::string_view node, std::string_view type);
struct ImplicitAssociation {
    std::string node;
    std::string type;
};
std::optional<ImplicitAssociation> find_implicit(std::string_view id);

}  // namespace stele::nodes
