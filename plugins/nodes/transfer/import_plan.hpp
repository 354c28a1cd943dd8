#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/branch_content.hpp"
#include "transfer/planned_items.hpp"

namespace stele::nodes {

/// When the item at a position of the source is written, tags before what is tagged; none: it is
/// not, or only an earlier or later version of it is.
enum class Turn : std::uint8_t { none, definition, tag, node, again, association };

/// What grows with the items is on disk but for `turns`
/// (docs/decisions/0162-what-transfers-know-of-each-item.md).
struct ImportPlan {
    /// `scratch` is a folder for files without names; empty: everything is in memory.
    explicit ImportPlan(const std::filesystem::path& scratch)
        : items(scratch), links(scratch), names(scratch) {}

    PlannedItems items;
    /// None where nothing is looked for by where it lies: what goes to the root of a branch, and is
    /// not matched with what is there.
    PlannedLinks links;
    /// Names of nodes in their folders, by id; none where nothing is matched by them.
    sdk::TextTable names;

    /// By position; what is already written and names what was not there gets another one.
    std::vector<Turn> turns;
    /// How many have a turn.
    std::size_t coming = 0;
    /// Of what these say, as JSON text.
    std::uint64_t coming_bytes = 0;

    /// The item that is the person of whoever acts, where they have none here yet.
    std::string own_person;
    /// Something that comes leads to it, or may.
    bool is_own_person_needed = false;

    /// Nothing for what does not come.
    sdk::Result<std::optional<PlannedItem>> find(const std::string& id) const;
    /// Before each step of what goes over all items; a failure ends it.
    using Step = std::function<sdk::Result<void>()>;
    /// To be called when all items are known.
    sdk::Result<void> finish(const Step& step);

private:
    sdk::Result<void> give_turns(const Step& step);
};

/// Looks through a source and finds what stands here for what comes: the root, or the folder that
/// the import goes to, for the root; `r:users`; persons by their principals; definitions by their
/// QNames; tags by their words; and what `_existing` asks for. Writes nothing. `too_large`
/// (`nodes.import_too_large`) for more than `most`.
sdk::Result<ImportPlan> plan_import(const BranchContent& content, sdk::ContentSource& source,
                                    const sdk::ContentTarget& target, std::size_t most);

/// Visits the items whose turn it is.
sdk::Result<void> for_each_coming(
    const BranchContent& content, sdk::ContentSource& source, const ImportPlan& plan, Turn turn,
    const std::function<sdk::Result<void>(const sdk::ContentItem& item,
                                          const PlannedItem& planned)>& visit);

/// A failure that says which item it is about.
sdk::Error of_item(const std::string& id, sdk::Error error);

}  // namespace stele::nodes
