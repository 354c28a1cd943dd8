#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "merge/merge_draft.hpp"

namespace stele::nodes {

/// What a draft makes of the graph: ends of associations, places of nodes in folders, names.
/// Completes the draft where a rule decides, and adds the conflicts that are left. Everything
/// outlives it.
class DraftStructure {
public:
    DraftStructure(const BranchContent& source, const BranchContent& target,
                   const MergeSides& sides, const Chooser& chooser, MergeDraft& draft)
        : source_(source), target_(target), sides_(sides), chooser_(chooser), draft_(draft) {}

    sdk::Result<void> check();

private:
    /// Memberships of one node that the source has made and taken away, by their ids.
    struct Moves {
        std::set<std::string> added;
        std::set<std::string> removed;
    };

    sdk::Result<bool> will_exist(const std::string& id) const;
    sdk::Result<bool> is_new_on_target(const sdk::Document& association) const;
    /// Memberships of a node on the target, with those that the source takes away.
    sdk::Result<std::vector<Edge>> folders_on_target(const std::string& node) const;
    sdk::Result<std::set<std::string>> folders_on_source(const std::string& node) const;

    // Associations that the source has made.
    sdk::Result<void> check_ends();
    sdk::Result<void> check_ends(const std::string& id);
    sdk::Result<bool> is_there_already(const std::string& id, const MergeStep& step) const;
    /// Where the target has given a node another owner, or another translation for one locale and
    /// edition, a conflict.
    sdk::Result<void> check_alone(const std::string& id, const MergeStep& step);
    /// Brings a node back that the target has deleted, with what joined it.
    sdk::Result<void> revive(const std::string& node);
    sdk::Result<void> revive_associations(const std::string& node);

    // Nodes that the source has deleted.
    sdk::Result<void> check_removals();
    sdk::Result<void> check_removal(const std::string& id, const sdk::Json& part);
    /// An association that the target has made with a node that goes.
    struct Joined {
        Edge edge;
        sdk::Document association;
    };
    sdk::Result<std::vector<Joined>> joined_since(const std::string& id) const;
    sdk::Result<MergeConflict> conflict_of_removal(const std::string& id, const sdk::Json& part,
                                                   const Joined& told,
                                                   const std::vector<Joined>& joined) const;
    /// Of an association that the target has made with a node that goes: whether its other end
    /// would be in no folder any more, or a translation of nothing.
    sdk::Result<bool> loses_place(const Edge& edge) const;
    sdk::Result<std::string> shown_type(const Edge& edge, const sdk::Document& association) const;
    /// A node that does not go, with what joins it to others, and what it lies in or translates.
    sdk::Result<void> keep(const std::string& node);
    /// What stays as the target has it although the source has deleted it.
    sdk::Result<void> check_kept();

    sdk::Result<void> check_moves();
    sdk::Result<void> check_move(const std::string& node, const Moves& moves);

    sdk::Result<void> check_names();
    sdk::Result<void> check_name(const std::string& folder, const std::string& node);
    /// Whether the node that has a name in a folder gives it up.
    sdk::Result<bool> gives_up(const Edge& member, const std::string& name) const;
    sdk::Result<void> decide_name(const std::string& folder, const std::string& node,
                                  const std::string& other);
    /// Gives a node a name that is free in each of its folders.
    sdk::Result<void> number(const std::string& folder, const std::string& node);
    /// Where a node lies afterwards.
    sdk::Result<std::set<std::string>> folders_of(const std::string& node) const;
    /// Whether another node has the name in one of the folders, or gets it.
    sdk::Result<bool> is_claimed(const std::set<std::string>& folders, const std::string& name,
                                 const std::string& node) const;

    sdk::Result<void> check_qnames();

    sdk::Result<void> check_circles();
    /// New places that close circles, by the ids of their associations.
    sdk::Result<std::vector<std::string>> closing_places() const;
    /// Leaves a node where the target has it.
    sdk::Result<void> leave_in_place(const std::string& association);
    /// What new associations put somewhere, with where.
    using Places = std::map<std::string, std::vector<std::string>>;
    /// Where a node lies afterwards.
    sdk::Result<std::vector<std::string>> places_of(const std::string& node,
                                                    const Places& made) const;

    void add(MergeConflict conflict) { draft_.conflicts.push_back(std::move(conflict)); }

    const BranchContent& source_;
    const BranchContent& target_;
    const MergeSides& sides_;
    const Chooser& chooser_;
    MergeDraft& draft_;
    /// Nodes by their folders and the names that they get there.
    std::map<std::pair<std::string, std::string>, std::string> claimed_;
    /// Folders that nodes come into.
    std::map<std::string, std::set<std::string>> placed_;
    /// Associations that are to be looked at.
    std::vector<std::string> left_;
};

}  // namespace stele::nodes
