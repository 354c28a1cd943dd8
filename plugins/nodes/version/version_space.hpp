#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "link.hpp"
#include "version_cache.hpp"

namespace stele::nodes {

/// How the versions of an entry are kept; told by its key.
enum class Keeping : std::uint8_t {
    entry,   ///< small, found by scans: present ones by themselves, ended ones in blocks
    record,  ///< large, found by key: a list of versions
    count,   ///< a counter that changesets add to, read by its key
    plain,   ///< no versions
};

/// Where a repository keeps its versions, below a prefix of its own. Keys of entries and records
/// must be no prefixes of one another.
///
///   l line                       -> line and revision that it was forked from; of one that was
///                                   loaded the number of its first changeset, too
///   c line key                   -> born, state, value: what shows at the tip beside the parent
///   h line level block key born  -> died, state, value: what has ended, in the smallest block of
///                                   revisions that holds all from birth to end
///   e line kind                  -> see KindNote; absent while the line has no entries of the kind
///   v key line revision          -> state, record; highest line and newest revision first
///   k line key                   -> counter: a count at the tip, with what was inherited
///   n line revision key          -> state: the records that a changeset wrote
///   b line name                  -> length: a binary that the line was loaded with, until the
///                                   repository counts it (attachment/counted_bytes.hpp)
///   s line revision              -> changes of counts, and what the caller says of the changeset;
///                                   empty until the changeset is finished
///   r revision                   -> line
///   m line revision              -> see Ancestry: what the line has taken in with that changeset,
///   m line revision 1 last          and what it turned out to have after it
///   i target source              -> empty: the one line has taken in the other, since when it is
///   o source target                 asked for from both sides
///   R                            -> the last revision that was given
///
/// In `c`, `v` and `n` of a line that was loaded `kLoadedRevision` stands for that first changeset.
/// A state is `p` for present or `r` for removed; `r` hides what the parent shows.
/// Copies are cheap: they share what never changes.
class VersionSpace {
public:
    /// What a key begins with tells its kind.
    static constexpr std::size_t kKindBytes = 2;
    using KeepingOf = Keeping (*)(std::string_view key);

    /// The cache outlives the space; spaces of all repositories may share one.
    VersionSpace(const std::string& prefix, KeepingOf keeping_of, VersionCache& cache)
        : parts_(std::make_shared<const Parts>(Parts{prefix, prefix + "R", keeping_of, cache})) {}

    VersionCache& cache() const { return parts_->cache; }
    Keeping keeping(std::string_view key) const { return parts_->keeping_of(key); }

    std::string line(Line number) const { return tagged('l', number); }
    std::string present(Line line) const { return tagged('c', line); }
    std::string past(Line line, int level, Revision block) const;
    /// Of the kind that a key has, or that all keys which begin so have.
    std::string kind(Line line, std::string_view key) const {
        return tagged('e', line).append(key.substr(0, kKindBytes));
    }
    /// Of all versions of a record, and of those from a line's revision downwards.
    std::string record(std::string_view key) const;
    std::string record(std::string_view key, Line line, Revision revision) const;
    std::string count(Line line) const { return tagged('k', line); }
    std::string written(Line line) const { return tagged('n', line); }
    std::string binaries(Line line) const { return tagged('b', line); }
    std::string changes(Line line) const { return tagged('s', line); }
    std::string line_of(Revision revision) const { return tagged('r', revision); }
    std::string merges(Line line) const { return tagged('m', line); }
    std::string incoming_merges(Line line) const { return tagged('i', line); }
    std::string outgoing_merges(Line line) const { return tagged('o', line); }
    /// By what a view of a line is read where the reader loads it.
    std::optional<VersionCache::Load> load_of(const sdk::Reader& reader, Line number) const {
        return cache().has_loads() ? cache().find_load(reader, line(number)) : std::nullopt;
    }
    const std::string& revision_counter() const { return parts_->revision_counter; }

private:
    struct Parts {
        std::string prefix;
        std::string revision_counter;
        KeepingOf keeping_of;
        VersionCache& cache;
    };

    std::string tagged(char tag, std::uint64_t number) const;

    std::shared_ptr<const Parts> parts_;
};

void append_number(std::string& bytes, std::uint64_t number);
/// Of the first eight bytes; `bytes` must have as many.
std::uint64_t read_number(std::string_view bytes);
inline constexpr std::size_t kNumberBytes = 8;

inline constexpr char kPresent = 'p';
inline constexpr char kRemoved = 'r';
/// What stands before the value of an entry: born or died, and the state.
inline constexpr std::size_t kHeadBytes = kNumberBytes + 1;

/// Revisions that other writers may add before a commit that ends entries, at least.
inline constexpr Revision kSlack = 64;
/// The last revision that such a commit may get, of a transaction that began at `newest` and whose
/// work met a conflict so often before: each time there is room for four times as many others. The
/// larger block that an entry gets by it is of no higher level than readers expect by the revision.
Revision last_to_end(Revision newest, std::size_t attempt);
/// A block reaches so far beyond the newest revision that lower levels stay empty.
inline constexpr int kLowestLevel = std::bit_width(kSlack);

/// The smallest block of 2^level revisions that holds `first` and `last`.
struct Block {
    int level = 0;
    Revision number = 0;

    static Block around(Revision first, Revision last);
};

/// What somebody looks at: a line, then those that it comes from.
struct View {
    std::vector<Link> links;
    /// The last revision of the repository; blocks of later ones are not looked at.
    Revision newest = 0;

    /// What shows through where the first link says nothing.
    View inherited() const { return {{links.begin() + 1, links.end()}, newest}; }

    /// Whether it goes on from a line: shows that line first, or one that was loaded on top of it.
    /// Not across a fork or a reset, which begin anew from what they come from.
    bool goes_on_from(Line line) const;
};

/// Whether what a reader shows was committed, so that it may be remembered.
bool shows_only_commits(const sdk::Reader& reader);

/// Bounds of when a line had entries of a kind, removals of inherited ones among them.
struct KindNote {
    /// None was there before.
    Revision first = 0;
    /// None has ended later.
    Revision last_ended = 0;
};

/// With the reader's own writes; nothing where the line has no entries of the kind. In a
/// transaction it makes no conflict with those who change it: what a line shows up to a revision
/// that was given stays so.
sdk::Result<std::optional<KindNote>> find_kind(const sdk::Reader& reader, const std::string& row);

/// The view of a line at its tip, or at a revision. `not_found` (`nodes.branch_line_unknown`). In a
/// transaction it makes no conflict with those who write to the line.
sdk::Result<View> find_view(const sdk::Reader& reader, const VersionSpace& space, Line line,
                            std::optional<Revision> revision = {});

/// What stands for a changeset of a line in the keys of records and in the list of what was
/// written: its number, but for the changeset that the line was loaded with.
sdk::Result<Revision> row_revision(const sdk::Reader& reader, const VersionSpace& space, Line line,
                                   Revision revision);

/// The number of the changeset that a line was loaded with; 0 where it was not.
sdk::Result<Revision> loaded_revision(const sdk::Reader& reader, const VersionSpace& space,
                                      Line line);

/// The row of a line that is being loaded, behind which the number of its first changeset is to
/// stand in the end.
std::string loaded_line_row(const Link& from);
inline constexpr std::size_t kLoadedPlace = 2 * kNumberBytes;

/// Makes a line that shows what `from` shows in `parent`, a picture of the store; the number must
/// be new and higher. A tip stands for the newest revision of that picture. The parent's counts are
/// read by a scan: where `parent` is the transaction itself, it conflicts with those who change
/// them, where it is a snapshot, with nobody.
sdk::Result<void> put_line(sdk::Transaction& transaction, const sdk::Reader& parent,
                           const VersionSpace& space, Line line, Link from);

}  // namespace stele::nodes
