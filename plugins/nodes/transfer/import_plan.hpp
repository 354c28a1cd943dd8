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
struct PlannedItem {
    ItemKind kind = ItemKind::node;
    std::uint64_t position = 0;
    /// False for what was removed, and for what is no content of another branch.
    bool comes = true;
    /// Stands for something that each branch has, and is written to nothing.
    bool is_fixed = false;
    /// Id of what stands for it here already; empty: nothing does, as far as is known.
    std::string match = {};
    std::string qname = {};
    std::string type = {};
    /// In its folder.
    std::string name = {};
};

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
    /// By the ids of the associations.
    std::unordered_map<std::string, PlannedLink> links;

    /// The item that is the person of whoever acts, where they have none here yet.
    std::string own_person;

    /// Null for what does not come.
    const PlannedItem* find(const std::string& id) const;
    /// What lies in an item by links of a type, and what it lies in.
    std::vector<const PlannedLink*> below(const std::string& id, std::string_view type) const;
    std::vector<const PlannedLink*> above(const std::string& id, std::string_view type) const;
    /// To be called when all items are known.
    void sort_links();

private:
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

/// Visits what comes of a kind and is not fixed.
sdk::Result<void> for_each_coming(
    const BranchContent& content, sdk::ContentSource& source, const ImportPlan& plan, ItemKind kind,
    const std::function<sdk::Result<void>(const sdk::ContentItem& item,
                                          const PlannedItem& planned)>& visit);

/// A failure that says which item it is about.
sdk::Error of_item(const std::string& id, sdk::Error error);

}  // namespace stele::nodes
