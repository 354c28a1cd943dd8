#pragma once

#include <optional>
#include <string>

#include "transfer/import_state.hpp"

namespace stele::nodes {

/// An association of that type between the two; nothing when there is none.
sdk::Result<std::optional<std::string>> find_joined(const BranchContent& content,
                                                    const AssociationEnds& ends);

/// Ids of the subjects of an import into a folder: those that are named or, where none are, what
/// nothing leads to that comes. `invalid` (`nodes.import_subject_unknown`) for one that does not
/// come.
sdk::Result<sdk::TextTable> subjects_of(const ImportState& state);

/// Finds what a subject and what lies below it stand for where it was brought into the folder
/// before: what is there under its name, and in that under theirs; of a translation what is there
/// in its locale and edition. Looks nowhere else (docs/specification/merge_and_transfer.md T9).
sdk::Result<void> match_by_names(ImportState& state, const std::string& folder,
                                 const sdk::TextTable& subjects);

/// Makes the subjects members of the folder that do not come to lie in it by what lies between.
sdk::Result<void> place_subjects(ImportState& state, const std::string& folder,
                                 const sdk::TextTable& subjects);

/// Where the folder has another child of the node's name: gives it a numbered one, and answers that
/// it did. Clones are what they were: one whose name is taken is refused when it is put there.
sdk::Result<bool> fit_name(const ImportState& state, const std::string& folder,
                           const sdk::Document& node);

}  // namespace stele::nodes
