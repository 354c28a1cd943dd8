#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::nodes {

/// Which associations of a node are meant (docs/specification/nodes.md 11.3). Undirected ones count
/// in every direction.
enum class Direction { any, outgoing, incoming, mutual };

/// The direction of a wire name in any letter case; nothing when unknown.
std::optional<Direction> find_direction(std::string_view name);

/// An association as one of its ends sees it. Ids are those of `_doc`.
struct Edge {
    std::string association;
    std::string type;
    std::string other;
    /// `outgoing`, `incoming`, or `mutual` for an undirected one.
    Direction end = Direction::outgoing;
};

/// What an association says, for the rows of the graph.
struct AssociationEnds {
    std::string association;
    std::string type;
    std::string source;
    std::string target;
    bool is_undirected = false;
};

/// The rows of a branch that lead from node to node, beside the documents of the associations:
///
///   E node end type association -> other node
///   P folder name association   -> child: members of a folder by the names that they have in it
///   M domain principal         -> the node that stands for it
///   K record of the principal  -> the same
///
/// Others keep rows here, too: M persons (`BranchContent`), L locks (protection.hpp), C origins of
/// copies (node_copy.hpp), A records that were taken over (merge/adopted_versions.hpp).
///
/// Nodes and associations are the ten bytes of their ids. Implicit associations are not here.
class Graph {
public:
    /// `content` shows a branch: a `ViewReader` or a `LineWriter`, which outlives the graph.
    explicit Graph(const sdk::Reader& content) : content_(content) {}

    /// In order of end, type and creation, until `visit` answers false. In any direction and of all
    /// types it is one scan.
    sdk::Result<void> for_each_edge(std::string_view node, Direction direction,
                                    std::string_view type,
                                    const std::function<bool(const Edge&)>& visit) const;
    /// The first child of that name; nothing when there is none.
    sdk::Result<std::optional<Edge>> find_child(std::string_view folder,
                                                std::string_view name) const;
    /// Who has that name in a folder: the node, and others.
    struct Namesakes {
        bool has_node = false;
        bool has_other = false;
    };
    sdk::Result<Namesakes> namesakes(std::string_view folder, std::string_view name,
                                     std::string_view node) const;
    /// Whether the two are associated this way.
    sdk::Result<bool> has_edge(const AssociationEnds& ends) const;
    /// Whether both ends know of it.
    sdk::Result<bool> has_both_rows(const AssociationEnds& ends) const;

    struct Member {
        std::string name;
        std::string association;
        std::string child;
    };
    sdk::Result<std::vector<Member>> members(std::string_view folder) const;
    sdk::Result<bool> has_member(std::string_view folder, const Member& member) const;

    /// The node of a principal, by its ids or by its record.
    sdk::Result<std::optional<std::string>> find_person(std::string_view domain_id,
                                                        std::string_view principal_id) const;
    sdk::Result<std::optional<std::string>> find_person(std::string_view principal_key) const;

private:
    sdk::Result<std::optional<std::string>> node_at(const std::string& row) const;

    const sdk::Reader& content_;
};

/// Writes rows of the graph; `content` is the branch's `LineWriter`.
class GraphWriter {
public:
    explicit GraphWriter(sdk::Transaction& content) : content_(content) {}

    void put(const AssociationEnds& ends);
    void remove(const AssociationEnds& ends);
    void put_name(std::string_view folder, std::string_view name, std::string_view association,
                  std::string_view child);
    void remove_name(std::string_view folder, std::string_view name, std::string_view association);
    void put_person(const sdk::Principal& principal, std::string_view node);

private:
    sdk::Transaction& content_;
};

/// Folders that a node lies in (`a:child`), however far up, nearest first, each once.
sdk::Result<std::vector<std::string>> ancestors_of(const Graph& graph, std::string_view node);

/// The ten bytes of an id; empty when the text is none.
std::string id_bytes(std::string_view id);
std::string id_text(std::string_view bytes);

inline constexpr std::size_t kIdBytes = 10;

}  // namespace stele::nodes
