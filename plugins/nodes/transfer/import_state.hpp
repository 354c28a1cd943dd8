#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <stele/sdk/services/content_transfer.hpp>

#include "transfer/import_plan.hpp"

namespace stele::nodes {

/// What the parts of one import share. All that it refers to outlives it.
class ImportState {
public:
    static constexpr std::size_t kMaxNotes = 1000;
    static constexpr std::size_t kMaxRefusals = 200;

    ImportState(const BranchContent& to, const sdk::ContentTarget& wanted, ImportPlan planned)
        : content(to),
          target(wanted),
          plan(std::move(planned)),
          made(scratch_folder(to)),
          unnamed(scratch_folder(to)),
          refused(scratch_folder(to)) {
        report.ids = sdk::TextTable(scratch_folder(to));
    }

    const BranchContent& content;
    const sdk::ContentTarget& target;
    ImportPlan plan;
    sdk::ContentReport report;
    /// Ids here of what the import has made.
    sdk::TextTable made;
    /// Ids in the source of what could not keep its QName.
    sdk::TextTable unnamed;
    /// Of a dry run: ids in the source of what was refused.
    sdk::TextTable refused;

    bool is_clone() const { return target.strategy == sdk::TransferStrategy::clone; }
    /// Each once.
    void note(std::string text) {
        if (report.notes.size() < kMaxNotes && said_.insert(text).second)
            report.notes.push_back(std::move(text));
    }
    /// Ends a link of an item: a note, or `conflict` (`nodes.import_link_missing`).
    sdk::Result<void> drop_link(const std::string& item, std::string_view to);

    /// What was done with an item; where that was refused and refusals are told, it is noted, and
    /// the item is taken for one that does not come.
    sdk::Result<void> tried(const std::string& item, sdk::Result<void> done);

    /// Whether whoever acts may make nodes, asked once: grants come after the content.
    sdk::Result<void> require_create();

    /// Whether whoever acts may change a node that the import writes to; what it has made is its
    /// own.
    sdk::Result<void> require_update(const sdk::Document& node) const;

    /// Between two steps of what goes over all items.
    sdk::Result<void> step() const { return content.changes().settle_loads(content.context()); }
    /// Ids that items stand under here as far as they are known before they are written.
    sdk::Result<void> know_ids();
    /// What stands here for an item that was brought; anything else is a logic error.
    sdk::Result<std::string> id_here(const std::string& item) const;
    /// What a whole text becomes by the substitutions.
    const std::string& substituted(const std::string& text) const;
    /// Whether somebody may READ such a node here.
    sdk::Result<bool> is_present(const std::string& id);

    /// What an id, as the source has it, stands for.
    struct Resolved {
        /// Empty where there is none.
        std::string id;
        /// It comes, and is not there yet.
        bool is_awaited = false;
    };
    sdk::Result<Resolved> resolve(const std::string& id);

private:
    /// What is known of so many others is forgotten then, and asked anew.
    static constexpr std::size_t kMaxPresences = 10'000;

    bool may_create_ = false;
    std::unordered_map<std::string, bool> presence_;
    std::unordered_set<std::string> said_;
};

}  // namespace stele::nodes
