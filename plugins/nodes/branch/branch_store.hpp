#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/record_space.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "branch/changeset_id.hpp"
#include "version/ancestry.hpp"
#include "version/collection_keys.hpp"
#include "version/tip_cache.hpp"
#include "version/version_space.hpp"

namespace stele::nodes {

/// Key spaces of this plugin on each platform.
inline constexpr char kBranchSpace[] = "nodes.branch";
inline constexpr char kRepositorySpace[] = "nodes.repository";
inline constexpr char kContentSpace[] = "nodes.content";
inline constexpr char kLoadSpace[] = "nodes.loads";
inline constexpr char kAllSpaces[] = "nodes.spaces";

/// A branch as the store sees it: a line of its repository. A reset gives it another line.
struct BranchPlace {
    std::uint64_t platform = 0;
    /// Number of the repository on the platform; short, as it stands in every key of its content.
    std::uint64_t repository = 0;
    Line line = 0;
    /// Persons are told to have created what they made (docs/specification/nodes.md 11.4); of the
    /// repository.
    bool is_social = false;
};

/// A branch with what it shows at its tip.
struct PresentBranch {
    /// Key of the row that says where it is.
    std::string row;
    BranchPlace place;
    VersionSpace space;
    View view;
};

/// Knows which line each branch is, and makes lines. Rows below the key spaces of a platform:
///
///   nodes.branch       branch key      -> repository number, line, whether it is social (0 or 1)
///   nodes.repository   r repository    -> number
///                      n               -> the last number given
///                      l number        -> the last line of the repository
///                      b number line   -> key of the branch that the line belongs to; stays when
///                                         the branch gets another line, or goes
///   nodes.loads        number line     -> time of the last renewal, 0 where nobody writes it any
///                                         more: a line that is written, and not yet shown
///                      number line c   -> empty: it is being collected
///   nodes.content      number ...      -> see VersionSpace
///
/// and in a space of no platform:
///
///   nodes.spaces       platform number -> empty: every repository
///
/// Any thread; everything joins the given transaction.
class BranchStore {
public:
    /// `not_found` (`nodes.branch_unknown`) when the record is no branch, or was removed.
    sdk::Result<BranchPlace> find(const sdk::Reader& reader, const sdk::RecordKey& branch) const;
    VersionSpace space(const BranchPlace& place) const;
    /// What `find`, `space` and `view` tell of a branch; remembered for as long as nothing is
    /// committed.
    sdk::Result<std::shared_ptr<const PresentBranch>> present(const sdk::Reader& reader,
                                                              const sdk::RecordKey& branch) const;
    /// What the branch shows at its tip, or after a changeset. `not_found`
    /// (`nodes.changeset_unknown`) for one that the branch does not show.
    sdk::Result<View> view(const sdk::Reader& reader, const BranchPlace& place,
                           std::optional<Revision> revision = {}) const;

    /// The first line of a new repository.
    sdk::Result<BranchPlace> open_repository(sdk::Transaction& transaction, std::uint64_t number,
                                             const sdk::RecordKey& repository,
                                             const sdk::RecordKey& master) const;
    /// A new line that shows what a branch shows at one of its changesets, for a new branch or,
    /// after a reset, for the same. Where that is the last one, the line has what was noted on the
    /// branch, too (`Ancestry::note`). `parent` shows the changeset; where it is a snapshot,
    /// writers of the parent are no conflict.
    sdk::Result<BranchPlace> fork(sdk::Transaction& transaction, const sdk::Reader& parent,
                                  const sdk::RecordKey& branch, const BranchPlace& forked,
                                  const AncestryPoint& changeset) const;
    /// A line that nobody sees yet, which is to come from another
    /// (docs/decisions/0151-imports-of-large-branches.md).
    struct ReservedLine {
        BranchPlace place;
        Link from;
    };
    /// The next number of a repository; `open_repository` takes it.
    sdk::Result<std::uint64_t> next_repository(sdk::Transaction& transaction,
                                               std::uint64_t platform) const;
    /// Whether a transaction has numbered repositories that were not committed.
    sdk::Result<bool> has_more_repositories(const sdk::Transaction& transaction,
                                            const sdk::Reader& committed,
                                            std::uint64_t platform) const;
    /// Whether a transaction has made lines of a repository that were not committed.
    sdk::Result<bool> has_more_lines(const sdk::Transaction& transaction,
                                     const sdk::Reader& committed, const BranchPlace& place) const;
    sdk::Result<Line> next_line(sdk::Transaction& transaction, const BranchPlace& place) const;
    /// The last that was given; with `next_line` at the same time it is a conflict.
    sdk::Result<Line> last_line(sdk::Transaction& transaction, const BranchPlace& place) const;
    /// Says in the given transaction, which is committed first, that it is being written.
    void reserve_line(sdk::Transaction& transaction, const BranchPlace& place) const;
    /// Whether it is being written, or waits to be collected.
    sdk::Result<bool> is_reserved(const sdk::Reader& reader, const BranchPlace& place) const;
    /// It comes from what the branch shows in a picture in which it was reserved.
    sdk::Result<ReservedLine> reserved_line(const sdk::Reader& base, const BranchPlace& above,
                                            Line line) const;
    /// Whether somebody has written to what the line comes from, which makes showing it a conflict.
    sdk::Result<bool> is_overtaken(const sdk::Reader& reader, const ReservedLine& line) const;
    /// Whether a branch leads to what the line comes from no more, which makes it one, too: it was
    /// reset or loaded, or is gone.
    sdk::Result<bool> leads_elsewhere(const sdk::Reader& reader, const sdk::RecordKey& branch,
                                      const ReservedLine& line) const;
    /// Says that the line is still being written; false where somebody has begun to collect it.
    sdk::Result<bool> renew_line(sdk::Transaction& transaction, const BranchPlace& place) const;
    /// The branch leads to the line from now on; conflicts with whoever writes to the branch
    /// meanwhile, or collects the line. `base` shows what the line comes from.
    sdk::Result<void> show_line(sdk::Transaction& transaction, const sdk::Reader& base,
                                const sdk::RecordKey& branch, const ReservedLine& line) const;
    /// Undoes that where nothing was written to the line.
    sdk::Result<void> hide_line(sdk::Transaction& transaction, const sdk::RecordKey& branch,
                                const ReservedLine& line) const;
    /// Says that nobody writes the line any more, where it was not shown: it may be collected at
    /// once. Waits for nothing, and on any thread; where it fails, the line is collected later.
    void give_up_line(sdk::Engine& engine, const BranchPlace& place) const;
    /// Lines of the repository that nobody writes any more.
    sdk::Result<std::vector<Line>> given_up_lines(const sdk::Reader& reader,
                                                  const BranchPlace& place) const;
    /// Takes some rows of a line away that was reserved and that nobody writes any more.
    enum class Collected : std::uint8_t { wholly, in_part, not_yet };
    /// How far it came: what was removed is not looked at again.
    struct CollectedTo {
        std::string written;
        std::string present;
        std::string binaries;
    };
    /// Wholly where there is no such reservation: it was shown, or is collected already.
    sdk::Result<Collected> collect_line(sdk::Transaction& transaction, const BranchPlace& place,
                                        std::int64_t now_ms, CollectedTo& to) const;
    void forget(sdk::Transaction& transaction, const sdk::RecordKey& branch) const;
    /// The place of a repository's content, with the first line.
    sdk::Result<BranchPlace> find_repository(const sdk::Reader& reader,
                                             const sdk::RecordKey& repository) const;

    /// Of all branches of a repository.
    sdk::Result<void> set_social(sdk::Transaction& transaction, const BranchPlace& place,
                                 bool is_social) const;

    /// Every repository of the store.
    sdk::Result<std::vector<sdk::ContentSpace>> spaces(const sdk::Reader& reader) const;
    sdk::Result<bool> has_space(const sdk::Reader& reader, const sdk::ContentSpace& space) const;
    /// Takes repositories of a removed platform off the list, some hundred at a time; true when
    /// none was left.
    sdk::Result<bool> forget_platform(sdk::Transaction& transaction, std::uint64_t platform) const;

    /// Its content is nobody's from now on.
    sdk::Result<void> forget_repository(sdk::Transaction& transaction,
                                        const sdk::RecordKey& repository) const;
    /// Prefix of the rows of a repository's content.
    std::string content_prefix(const BranchPlace& place) const;

    /// The newest revision that the branch shows.
    sdk::Result<Revision> tip(const sdk::Reader& reader, const BranchPlace& place) const;
    /// What is said of a changeset; `not_found` (`nodes.changeset_unknown`) when there is none.
    sdk::Result<ChangesetNote> note(const sdk::Reader& reader, const BranchPlace& place,
                                    Revision revision) const;
    /// By its id, on whatever line of the place's repository; nothing where there is none.
    sdk::Result<std::optional<AncestryPoint>> find_changeset(const sdk::Reader& reader,
                                                             const BranchPlace& place,
                                                             std::string_view id) const;
    /// The same of one that a branch shows; `not_found` (`nodes.changeset_unknown`) otherwise.
    sdk::Result<AncestryPoint> shown_changeset(const sdk::Reader& reader, const BranchPlace& place,
                                               std::string_view id) const;
    /// The line that a revision was written on; nothing when it was never given.
    sdk::Result<std::optional<Line>> line_of(const sdk::Reader& reader, const BranchPlace& place,
                                             Revision revision) const;
    /// Branches whose content the branch came from, nearest first; none where it is no fork.
    sdk::Result<std::vector<sdk::RecordKey>> origins(const sdk::Reader& reader,
                                                     const sdk::RecordKey& branch) const;
    /// Those through which a record, of a versioned key, came into the branch; the one that it was
    /// made on is the last. None where that is the branch itself.
    sdk::Result<std::vector<sdk::RecordKey>> origins_of(const sdk::Reader& reader,
                                                        const sdk::RecordKey& branch,
                                                        std::string_view record) const;
    /// The branch that a line belongs to, or belonged to.
    sdk::Result<sdk::RecordKey> owner(const sdk::Reader& reader, const BranchPlace& place,
                                      Line line) const;
    /// The lines of a place's repository, in order of creation, until `visit` answers false.
    sdk::Result<void> for_each_line(
        const sdk::Reader& reader, const BranchPlace& place,
        const std::function<bool(Line line, const sdk::RecordKey& branch)>& visit) const;

private:
    /// The branches of the first links of a view but one, each once.
    sdk::Result<std::vector<sdk::RecordKey>> owners(const sdk::Reader& reader,
                                                    const sdk::RecordKey& branch,
                                                    const PresentBranch& present,
                                                    std::size_t links) const;

    static constexpr std::size_t kMaxSpaces = 10'000;

    static constexpr std::size_t kMaxPresentBytes = std::size_t{4} << 20;

    static constexpr std::size_t kMaxOwners = 100'000;

    mutable VersionCache cache_;
    /// By key, each at a state of the store.
    mutable TipCache<PresentBranch> presents_{kMaxPresentBytes};
    /// Those used before, by platform and repository.
    mutable std::mutex spaces_mutex_;
    mutable std::map<std::pair<std::uint64_t, std::uint64_t>, VersionSpace> spaces_;
    /// By the key of the row that says so, which never changes.
    mutable std::mutex owners_mutex_;
    mutable std::unordered_map<std::string, sdk::RecordKey> owners_;
};

/// Key of the row by which the list of all repositories has one.
std::string space_row(const sdk::ContentSpace& space);

/// Prefix of the rows that tell which branch a line belongs to, of all lines of a repository.
std::string line_rows(const BranchPlace& place);

/// The branch is at a place from now on, and the line is its own.
void put_place(sdk::Transaction& transaction, const sdk::RecordKey& branch,
               const BranchPlace& place);

/// The platform that a record lies on.
std::uint64_t platform_of(const sdk::RecordKey& record);

}  // namespace stele::nodes
