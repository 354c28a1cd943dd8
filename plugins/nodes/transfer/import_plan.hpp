#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/branch_content.hpp"
#include "transfer/content_items.hpp"

namespace stele::nodes {

/// Most that one import brings, each node and association once: it is one transaction.
inline constexpr std::size_t kMaxImported = 100'000;

/// What is known of an item before anything is written. Of several versions the last one comes.
/// There is one for each item, so it holds nothing that can be read again.
struct PlannedItem {
    ItemKind kind = ItemKind::node;
    std::uint64_t position = 0;
    /// False for what was removed, and for what is no content of another branch.
    bool comes = true;
    /// Stands for something that each branch has, and is written to nothing.
    bool is_fixed = false;
    /// Stands for `r:users`.
    bool is_users = false;
    bool is_tag = false;
    /// Id of what stands for it here already; empty: nothing does, as far as is known.
    std::string match = {};
};

/// When the item at a position of the source is written, tags before what is tagged; none: it is
/// not, or only an earlier or later version of it is.
enum class Turn : std::uint8_t { none, definition, tag, node, again, association };

/// A directed association that comes, by ids of the source.
struct PlannedLink {
    std::string type;
    std::string source;
    std::string target;
    std::string locale;
    std::string edition;
};

struct ImportPlan {
    std::unordered_map<std::string, PlannedItem> items;
    /// By the ids of the associations. None where nothing is looked for by where it lies: what goes
    /// to the root of a branch, and is not matched with what is there.
    std::unordered_map<std::string, PlannedLink> links;
    /// Names of nodes in their folders, by id; none where nothing is matched by them.
    std::unordered_map<std::string, std::string> names;

    /// By position; what is already written and names what was not there gets another one.
    std::vector<Turn> turns;

    /// The item that is the person of whoever acts, where they have none here yet.
    std::string own_person;
    /// Something that comes leads to it, or may.
    bool is_own_person_needed = false;

    /// Null for what does not come.
    const PlannedItem* find(const std::string& id) const;
    /// What lies in an item by links of a type, and what it lies in.
    std::vector<const PlannedLink*> below(const std::string& id, std::string_view type) const;
    std::vector<const PlannedLink*> above(const std::string& id, std::string_view type) const;
    /// To be called when all items are known.
    void finish();

private:
    void sort_links();
    void give_turns();

    using LinksByEnd = std::unordered_map<std::string, std::vector<const PlannedLink*>>;
    LinksByEnd below_;
    LinksByEnd above_;
};

/// Looks through a source and finds what stands here for what comes: the root, or the folder that
/// the import goes to, for the root; `r:users`; persons by their principals; definitions by their
/// QNames; tags by their words; and what `_existing` asks for. Writes nothing. `too_large`
/// (`nodes.import_too_large`).
sdk::Result<ImportPlan> plan_import(const BranchContent& content, sdk::ContentSource& source,
                                    const sdk::ContentTarget& target);

/// Visits the items whose turn it is.
sdk::Result<void> for_each_coming(
    const BranchContent& content, sdk::ContentSource& source, const ImportPlan& plan, Turn turn,
    const std::function<sdk::Result<void>(const sdk::ContentItem& item,
                                          const PlannedItem& planned)>& visit);

/// A failure that says which item it is about.
sdk::Error of_item(const std::string& id, sdk::Error error);

}  // namespace stele::nodes
