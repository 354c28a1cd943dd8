#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/branch_content.hpp"
#include "history/history.hpp"

namespace stele::nodes {

/// What leaves of a branch with whoever acts (docs/reference/nodes_transfer.md).
///
/// Of what each branch has from its first changeset on, the root and `r:users` leave, because
/// others stand in them. A built-in definition that is as the server made it leaves only where
/// something is associated with it. A person leaves, to be found by its principal elsewhere, but
/// without the place under `r:users` that the server gives it. Locks, mounts, and who made what
/// are the branch's own and stay.
class ExportRules {
public:
    /// The state after a changeset of the branch, empty for the tip, and what of it is asked for.
    /// What the transaction has written itself is not in it. `not_found`
    /// (`nodes.changeset_unknown`).
    static sdk::Result<ExportRules> open(const BranchContent& content,
                                         const sdk::ContentSelection& selection);

    const BranchContent& content() const { return content_; }
    /// The state that is shown.
    const View& view() const { return view_; }
    /// A reader of it; the rules outlive it.
    ViewReader reader() const;
    bool reads_all() const { return reads_all_; }

    /// The first and the last revision that are asked for.
    Revision first_revision() const { return after_ + 1; }
    Revision last_revision() const { return up_to_; }
    /// Changesets after `first` and up to `last`.
    bool is_in_range(Revision revision) const { return revision > after_ && revision <= up_to_; }

    sdk::Result<bool> may_read(const std::string& id) const;

    enum class Verdict : std::uint8_t {
        leaves,
        is_hidden,  ///< whoever acts may not READ it, or one of its ends
        stays,      ///< not asked for, or nothing for elsewhere
    };
    /// Of a version, with its `_system`. `state` shows what `view` says.
    sdk::Result<Verdict> judge(const ViewReader& state, const std::string& id,
                               const VersionPlace& place, const sdk::Json& record) const;

private:
    ExportRules(const BranchContent& content, VersionSpace space)
        : content_(content), space_(std::move(space)) {}

    bool is_wanted(const VersionPlace& place, const sdk::Json& record) const;
    sdk::Result<bool> is_for_elsewhere(const ViewReader& state, const std::string& id,
                                       const sdk::Json& record) const;

    const BranchContent& content_;
    VersionSpace space_;
    View view_;
    bool reads_all_ = false;
    std::string users_;
    Revision after_ = 0;
    Revision up_to_ = kUncommitted;
    std::int64_t start_ms_ = 0;
    std::int64_t end_ms_ = 0;
};

}  // namespace stele::nodes
