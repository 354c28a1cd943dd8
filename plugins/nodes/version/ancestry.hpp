#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "version_space.hpp"

namespace stele::nodes {

/// What something has come from: of each line the last revision that is in it. With a revision all
/// earlier ones of its line are in it, and all that these have come from.
using Coverage = std::map<Line, Revision>;

/// Adds the other's.
void cover(Coverage& coverage, const Coverage& other);
/// The last revision of a line; 0 for none.
Revision covered(const Coverage& coverage, Line line);

/// A changeset in its line.
struct AncestryPoint {
    Line line = 0;
    Revision revision = 0;

    bool operator==(const AncestryPoint&) const = default;
};

/// Which changesets of a repository have come into which: by forks, which the lines themselves
/// tell, and by merges. A row for each merge says what it has brought that its line had not before:
///
///   m line revision -> (line, revision) ...
///
/// so nothing behind a merge needs to be walked. What a line turned out to have already, when it
/// had a changeset for its last, follows that:
///
///   m line revision 1 last -> (line, revision) ...
///
/// It holds for the line and for its later forks, whose contents go on from there, but not for that
/// changeset itself: who has taken in that has other contents beside. `last` is the repository's
/// last line of that time: forks up to it may have got other contents before. The store, a picture
/// of it, outlives this. One thread at a time.
class Ancestry {
public:
    Ancestry(const sdk::Reader& store, VersionSpace space)
        : store_(store), space_(std::move(space)) {}

    /// Of a view whose first link is no tip. Reads the rows of all merges of its lines, but not of
    /// what `floor` has come from where the view shows that: then they are left out.
    sdk::Result<Coverage> coverage(const View& view, const Link& floor = {}) const;
    /// Of a changeset itself.
    sdk::Result<Coverage> coverage(const AncestryPoint& point, const Link& floor = {}) const;

    /// The nearest changesets that are in both, the newest first: none of them has come from
    /// another. Several where the same was merged on different ways.
    sdk::Result<std::vector<AncestryPoint>> nearest_common(const Coverage& one,
                                                           const Coverage& other,
                                                           const Link& floor = {}) const;

    /// The last changeset of a line up to a revision; nothing before its first.
    sdk::Result<std::optional<Revision>> last_of(Line line, Revision bound) const;
    /// A view up to the newest changeset that it shows and that is no newer than a revision: what
    /// stays as it is, whatever its line gets later. Lines before that, which have no changesets,
    /// end at 0.
    sdk::Result<View> settled(View view, Revision newest) const;

    static std::string encode(const Coverage& taken);
    /// `internal` (`nodes.merge_row_broken`).
    static sdk::Result<Coverage> decode(std::string_view row);
    /// For what a line has in it already without a changeset that says so: adds to what follows its
    /// tip. Conflicts with whoever does that at the same time. `last` is the repository's last
    /// line.
    static sdk::Result<void> note(sdk::Transaction& transaction, const VersionSpace& space,
                                  const AncestryPoint& tip, const Coverage& taken, Line last);
    /// For a new line that comes from the last changeset of `forked`, which is of the line `from`:
    /// adds what was noted of lines without changesets that stand between the two.
    static sdk::Result<void> hand_on(sdk::Transaction& transaction, const VersionSpace& space,
                                     const View& forked, Line from, Line to);
    /// Says that one line has taken in another. Two that do so at the same time conflict.
    static sdk::Result<void> note_pair(sdk::Transaction& transaction, const VersionSpace& space,
                                       Line source, Line target);

private:
    /// Of a view, whose last changeset may be meant by itself.
    sdk::Result<Coverage> coverage(const View& view, const Link& floor, bool is_point) const;

    const sdk::Reader& store_;
    const VersionSpace space_;
};

}  // namespace stele::nodes
