#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/services/jobs.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

/// Walks the deletions of a branch in the order of their keys, apart from the transaction that
/// purges them: whoever lists them in it has a conflict with everybody who deletes meanwhile.
class PurgeList {
public:
    /// The branch's record has the reference; `until` is the last changeset whose deletions count,
    /// `kUncommitted` where all do.
    PurgeList(Services& services, sdk::PlatformScope platform, sdk::Principal principal,
              std::string branch, Revision until)
        : services_(services),
          platform_(std::move(platform)),
          principal_(std::move(principal)),
          branch_(std::move(branch)),
          until_(until) {}

    /// Ids of at most `most` further ones that the principal may remove; fewer only at the end.
    /// `go_on` is asked for each that is looked at. Waits for the store.
    sdk::Result<std::vector<std::string>> next(std::size_t most,
                                               const std::function<sdk::Result<void>()>& go_on);
    bool is_at_end() const { return is_at_end_; }
    std::size_t kept() const { return kept_; }

private:
    sdk::Result<void> look_at(const BranchContent& content, const std::string& id,
                              std::vector<std::string>& found);

    Services& services_;
    const sdk::PlatformScope platform_;
    const sdk::Principal principal_;
    const std::string branch_;
    const Revision until_;
    std::string last_;
    std::size_t kept_ = 0;
    bool is_at_end_ = false;
};

/// Ids of deletions that have the node as their `source` or their `target` (`end`): those of its
/// associations, and of nodes that have such a member. At most `most` of them, after the first
/// `passed`.
sdk::Result<std::vector<std::string>> deletions_at(const BranchContent& content, const char* end,
                                                   const std::string& node, std::size_t passed,
                                                   std::size_t most);
inline constexpr std::array<const char*, 2> kAssociationEnds{member::kSource, member::kTarget};

struct PurgedAssociations {
    std::size_t purged = 0;
    std::size_t kept = 0;  ///< of other nodes, or of later than `until`
};
/// Purges those of the ids that are deletions of associations from no later than `until`. Whether
/// somebody may is the caller's matter: they can never come back without the node at their end.
sdk::Result<PurgedAssociations> purge_associations(const BranchContent& content, Revision until,
                                                   std::span<const std::string> ids);

/// The deletions of the associations of a node whose own is being purged. Those of a node that has
/// many, or of one that others write meanwhile, are left to a job, which the operation starts
/// (job/purge_job.hpp): the operation then has no conflict with whoever writes one of them. Answers
/// how many went at once.
sdk::Result<std::size_t> purge_associations_of(const BranchContent& content,
                                               const std::string& node);

/// Purges those that are still there, from no later than `until`, and that whoever acts may remove;
/// answers how many went, with those of `purge_associations_of`.
sdk::Result<std::size_t> purge_deletions(const BranchContent& content, Revision until,
                                         std::span<const std::string> ids);

/// Starts the job for what `purge_associations_of` left. `nodes` are ids.
sdk::Result<void> start_association_purge(Services& services, sdk::Context& context,
                                          const sdk::RecordKey& branch,
                                          std::span<const std::string> nodes);
inline constexpr char kAssociationPurgeJob[] = "purge-associations";
/// The nodes of such a job.
std::vector<std::string> purged_nodes(const sdk::Job& job);

/// Whoever purges beside others who write has fewer conflicts with fewer of them: a quarter each
/// time that the work is repeated.
std::size_t fewer_when_repeated(std::size_t most, const sdk::Context& context);

inline constexpr char kPurgeOvertaken[] = "nodes.deletion_branch_reset";

/// What jobs that purge are told of their branch: its reference (`input`), and which part of its
/// history they are about (`hidden`), for whoever may start one need not READ the branch.
struct PurgeOrder {
    std::string branch;
    /// The last changeset whose deletions go.
    Revision until = kUncommitted;
    /// One that the branch does not go on from when it was reset: what came back by that is not
    /// theirs.
    Line line = 0;

    static sdk::Result<PurgeOrder> now(Services& services, sdk::Context& context,
                                       const sdk::RecordKey& branch);
    static PurgeOrder of(const sdk::Job& job);
    /// A job with this order and nothing else.
    sdk::NewJob job(const char* type) const;
    /// The branch for whoever started the job; `conflict` (`nodes.deletion_branch_reset`) when it
    /// was reset since.
    sdk::Result<BranchContent> open(Services& services, sdk::Context& context,
                                    const sdk::Principal& principal) const;
};

}  // namespace stele::nodes
