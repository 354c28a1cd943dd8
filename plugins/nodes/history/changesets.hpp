#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>

#include "branch/branch_content.hpp"
#include "branch/branch_store.hpp"
#include "branch/changeset_id.hpp"
#include "branch/services.hpp"

namespace stele::nodes {

/// A changeset of a repository.
struct Changeset {
    Revision revision = 0;
    Line line = 0;
    ChangesetNote note;

    std::string id() const { return changeset_id(revision, note.random_part); }
};

/// The changesets of a repository inside an operation, and which of them whoever acts may know:
/// those of branches that they may READ, and of removed branches what such branches show of them.
/// The context outlives it. One thread at a time.
class Changesets {
public:
    static sdk::Result<Changesets> open(Services& services, sdk::Context& context,
                                        const sdk::Document& repository);

    /// The last revision that was given; the first is 1.
    Revision newest() const { return newest_; }
    bool shows_everything() const { return shows_everything_; }
    bool shows(Line line, Revision revision) const;
    /// Revisions that are shown, from `first` on, until `visit` answers false. Reads keys only.
    sdk::Result<void> for_each(Revision first,
                               const std::function<bool(Line, Revision)>& visit) const;

    /// Of a revision that exists.
    sdk::Result<Changeset> read(Line line, Revision revision) const;
    /// `not_found` (`nodes.changeset_unknown`) where it is not shown.
    sdk::Result<Changeset> find(std::string_view id) const;
    /// The record that clients see.
    sdk::Result<sdk::Json> record(const Changeset& changeset) const;

    /// The one before on its way, then the one that was merged in. Shown or not.
    sdk::Result<std::vector<Changeset>> parents(const Changeset& changeset) const;
    struct Children {
        std::vector<Changeset> found;
        bool is_truncated = false;
    };
    /// Those shown that have it as a parent, in order. Later merges are looked for among the next
    /// `most_searched`.
    sdk::Result<Children> children(const Changeset& changeset, std::size_t most_searched) const;

    /// A branch that whoever acts may READ and that shows the changesets of the line; nothing when
    /// there is none.
    std::optional<sdk::RecordKey> branch_showing(Line line) const;
    /// Ids of the records that a changeset wrote to nodes, at most `most`, those that it removed
    /// left out.
    sdk::Result<std::vector<std::string>> nodes_of(const Changeset& changeset,
                                                   std::size_t most) const;
    const VersionSpace& space() const { return space_; }

private:
    struct ShownLine {
        std::string branch_id;
        /// The last revision that is shown; 0 for none.
        Revision bound = 0;
        sdk::RecordKey shown_by;
        bool is_gone = false;
    };

    Changesets(sdk::Context& context, BranchPlace place, VersionSpace space);
    sdk::Result<void> read_lines(Services& services);
    sdk::Result<void> read_line(Line line, const sdk::RecordKey& branch);
    /// What branches show of lines whose own branch was removed.
    sdk::Result<void> show_inherited();
    sdk::Result<std::optional<Changeset>> former(const Changeset& changeset) const;
    sdk::Result<void> add_first_children(const Changeset& changeset,
                                         std::vector<Changeset>& found) const;

    sdk::Context& context_;
    BranchPlace place_;
    VersionSpace space_;
    std::string repository_id_;
    Revision newest_ = 0;
    std::map<Line, ShownLine> lines_;
    bool shows_everything_ = true;
};

/// Those of the repository of a branch.
sdk::Result<Changesets> changesets_around(const BranchContent& content);

}  // namespace stele::nodes
