#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/text_lists.hpp>
#include <stele/sdk/text_table.hpp>

#include "transfer/content_items.hpp"

namespace stele::nodes {

/// What is known of an item before anything is written. Of several versions the last one comes.
/// There is one for each item, so it holds nothing that can be read again.
struct PlannedItem {
    ItemKind kind = ItemKind::node;
    std::uint64_t position = 0;
    /// Of what it says, as JSON text.
    std::uint64_t bytes = 0;
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

/// Items by their ids in the source, most of them on disk. One thread; failures are those of
/// `sdk::TextTable`.
class PlannedItems {
public:
    explicit PlannedItems(std::filesystem::path scratch) : table_(std::move(scratch)) {}

    sdk::Result<void> put(const std::string& id, const PlannedItem& item);
    /// Nothing where there is none.
    sdk::Result<std::optional<PlannedItem>> find(const std::string& id) const;
    /// Of an id that is known; anything else is a logic error.
    sdk::Result<PlannedItem> at(const std::string& id) const;
    std::uint64_t size() const { return table_.size(); }

    using Visit = std::function<sdk::Result<void>(const std::string& id, const PlannedItem& item)>;
    sdk::Result<void> for_each(const Visit& visit) const;

private:
    sdk::TextTable table_;
};

/// A directed association that comes, by ids of the source.
struct PlannedLink {
    std::string type;
    std::string source;
    std::string target;
    std::string locale = {};
    std::string edition = {};
};

/// Links by the ids of their associations, and then by their ends, most of them on disk. One
/// thread; failures are those of `sdk::TextTable`.
class PlannedLinks {
public:
    explicit PlannedLinks(const std::filesystem::path& scratch) : links_(scratch), ends_(scratch) {}

    sdk::Result<void> put(const std::string& association, const PlannedLink& link);
    sdk::Result<void> erase(const std::string& association) { return links_.erase(association); }
    /// Once, when all are known; from then on those whose ends both `comes` is true of are found.
    sdk::Result<void> sort(const std::function<sdk::Result<bool>(const std::string& item)>& comes);

    /// False ends the walk.
    using Visit = std::function<sdk::Result<bool>(const PlannedLink& link)>;
    /// What lies in an item by links of a type, and what it lies in; of every type without one.
    sdk::Result<void> for_each_below(const std::string& item, std::string_view type,
                                     const Visit& visit) const;
    sdk::Result<void> for_each_above(const std::string& item, std::string_view type,
                                     const Visit& visit) const;

private:
    enum class End : char { source = 's', target = 't' };

    sdk::Result<void> add(End end, const std::string& item, std::string_view association);
    sdk::Result<void> walk(End end, const std::string& item, std::string_view type,
                           const Visit& visit) const;

    sdk::TextTable links_;
    /// By an end and the item that is there: ids of associations.
    sdk::TextLists ends_;
};

}  // namespace stele::nodes
