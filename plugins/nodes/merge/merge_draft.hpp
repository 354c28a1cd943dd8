#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "branch/branch_content.hpp"
#include "merge/merge_conflict.hpp"
#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// What a merge does to a record of the target.
struct MergeStep {
    enum class Kind : std::uint8_t { create, update, remove };

    Kind kind = Kind::update;
    /// What it is afterwards (`merged_part`); of one that goes, what it is in the base.
    sdk::Json part;
    /// Both sides have changed it.
    bool is_merged = false;
    bool is_renamed = false;
    std::int64_t source_ms = 0;
    std::int64_t target_ms = 0;

    bool is_removal() const { return kind == Kind::remove; }
};

/// What a merge is to do, before anything is written.
struct MergeDraft {
    /// By id.
    std::map<std::string, MergeStep> steps;
    /// Those that nobody has decided: with any of them the merge does not take place.
    std::vector<MergeConflict> conflicts;
    /// From what the source has made by itself to what is the same on the target: definitions of
    /// one QName, tags of one word, persons of one principal.
    std::map<std::string, std::string> aliases;
    /// Persons of the source whose principals have none on the target.
    std::set<std::string> missing_persons;

    /// Nodes that both sides have taken out of the same folder.
    std::set<std::string> left_by_both;
    /// Records that the source has deleted and the target has changed, and that stay by its rule.
    std::set<std::string> kept;
    /// Of a merge of single nodes: the associations that may come; null: all of them.
    const std::set<std::string>* associations = nullptr;
    /// Something of the source does not come, by the target's rule.
    bool leaves_out = false;

    const MergeStep* step(const std::string& id) const;
    bool removes(const std::string& id) const;
    /// The id on the target.
    const std::string& resolved(const std::string& id) const;
};

/// Takes away what every branch makes for itself as it needs it, and what follows from other
/// records: persons and groups that the source has got or lost, their places, and associations with
/// tags. Answers the persons and groups that the source has, by id.
std::map<std::string, sdk::Json> leave_own_out(std::vector<ChangedRecord>& changed);

/// Of everything else that the source has changed.
sdk::Result<MergeDraft> draft_merge(const BranchContent& source, const BranchContent& target,
                                    const MergeSides& sides,
                                    const std::vector<ChangedRecord>& changed,
                                    const std::map<std::string, sdk::Json>& persons,
                                    const Chooser& chooser,
                                    const std::set<std::string>* associations = nullptr);

/// Whether an association makes its target a member of a folder.
bool is_membership(const sdk::Json& part);
/// That, or whether it gives its target an owner.
bool is_place_in_tree(const sdk::Json& part);

/// How a record is called in sentences: its title or name, else its id.
std::string shown_title(const std::string& id, const sdk::Json& part);

}  // namespace stele::nodes
