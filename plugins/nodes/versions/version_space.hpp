#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::nodes {

/// A branch's way through time: its own number, and the line and revision that it was forked from.
/// A line has a higher number than the one that it comes from.
using Line = std::uint64_t;
/// The number of a changeset in its repository, given at commit.
using Revision = std::uint64_t;

inline constexpr Line kFirstLine = 1;
/// Of entries that the present transaction writes: above every number that was given.
inline constexpr Revision kUncommitted = ~Revision{0};

/// How the versions of an entry are kept; told by its key.
enum class Keeping : std::uint8_t {
    entry,   ///< small, found by scans: present ones by themselves, ended ones in blocks
    record,  ///< large, found by key: a list of versions
    count,   ///< a counter that changesets add to
    plain,   ///< no versions
};

/// Where a repository keeps its versions, below a prefix of its own. Keys of entries and records
/// must be no prefixes of one another.
///
///   l line                       -> line and revision that it was forked from
///   c line key                   -> born, state, value: what shows at the tip beside the parent
///   h line level block key born  -> died, state, value: what has ended, in the smallest block of
///                                   revisions that holds all from birth to end
///   v key line revision          -> state, record; highest line and newest revision first
///   n line revision key          -> state: the records that a changeset wrote
///   s line revision              -> changes of counts, and what the caller says of the changeset
///   r revision                   -> line
///   R                            -> the last revision that was given
///
/// A state is `p` for present or `r` for removed; `r` hides what the parent shows.
class VersionSpace {
public:
    using KeepingOf = Keeping (*)(std::string_view key);

    VersionSpace(std::string prefix, KeepingOf keeping_of)
        : prefix_(std::move(prefix)), keeping_(keeping_of), revision_counter_(prefix_ + "R") {}

    Keeping keeping(std::string_view key) const { return keeping_(key); }

    std::string line(Line number) const { return tagged('l', number); }
    std::string present(Line line) const { return tagged('c', line); }
    std::string past(Line line, int level, Revision block) const;
    /// Of all versions of a record, and of those from a line's revision downwards.
    std::string record(std::string_view key) const;
    std::string record(std::string_view key, Line line, Revision revision) const;
    std::string written(Line line) const { return tagged('n', line); }
    std::string changes(Line line) const { return tagged('s', line); }
    std::string line_of(Revision revision) const { return tagged('r', revision); }
    const std::string& revision_counter() const { return revision_counter_; }

private:
    std::string tagged(char tag, std::uint64_t number) const;

    std::string prefix_;
    KeepingOf keeping_;
    std::string revision_counter_;
};

void append_number(std::string& bytes, std::uint64_t number);
/// Of the first eight bytes; `bytes` must have as many.
std::uint64_t read_number(std::string_view bytes);
inline constexpr std::size_t kNumberBytes = 8;

inline constexpr char kPresent = 'p';
inline constexpr char kRemoved = 'r';

/// Revisions that other writers may add before a commit that ends entries.
inline constexpr Revision kSlack = 64;

/// The smallest block of 2^level revisions that holds `first` and `last`.
struct Block {
    int level = 0;
    Revision number = 0;

    static Block around(Revision first, Revision last);
};

/// A line with the last of its revisions that shows.
struct Link {
    Line line = 0;
    Revision bound = kUncommitted;

    bool is_tip() const { return bound == kUncommitted; }
};

/// What somebody looks at: a line, then those that it comes from.
struct View {
    std::vector<Link> links;
    /// The last revision of the repository; blocks of later ones are not looked at.
    Revision newest = 0;

    /// What shows through where the first link says nothing.
    View inherited() const { return {{links.begin() + 1, links.end()}, newest}; }
};

/// The view of a line at its tip, or at a revision. `not_found` (`branch.line_unknown`).
sdk::Result<View> find_view(const sdk::Reader& reader, const VersionSpace& space, Line line,
                            std::optional<Revision> revision = {});
/// The same inside a transaction, without a conflict with those who write other records.
sdk::Result<View> find_view(const sdk::Transaction& transaction, const VersionSpace& space,
                            Line line);

/// Makes a line that shows what `from` shows; the number must be new and higher.
void put_line(sdk::Transaction& transaction, const VersionSpace& space, Line line,
              const Link& from);

}  // namespace stele::nodes
