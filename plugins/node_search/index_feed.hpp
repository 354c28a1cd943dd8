#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "node_index.hpp"

namespace stele::node_search {

struct FeedOptions {
    IndexOptions index = {};
    /// After so much of a repository others get their turn, also within a changeset.
    std::size_t documents_at_once = 500;
    /// How long a search waits for an index that is behind; then 503.
    std::chrono::milliseconds patience = std::chrono::seconds(20);
    /// Whether the disk has room for more than what must go on; always without it.
    std::function<bool()> has_room = {};
};

/// Keeps the index in step with the repositories and searches it. Reads the store as it is, not
/// as some transaction sees it: what is not committed never reaches the index. Any thread.
class IndexFeed {
public:
    /// Log and engine must outlive it.
    IndexFeed(sdk::ContentLog& log, sdk::Engine& engine, std::filesystem::path folder,
              FeedOptions options = {});

    /// Goes on with a repository; true when the index has all that was committed before the call.
    /// Ends early, with false, when `must_stop` says so.
    sdk::Result<bool> feed(const sdk::ContentSpace& space,
                           const std::function<bool()>& must_stop = {});

    /// The best `most` versions that show on one of the view's lines, from an index that has
    /// everything up to the revision, if that is committed. `unavailable`
    /// (`node_search.index_behind`) when that takes too long, and what `may_go_on` says meanwhile.
    sdk::Result<Candidates> find(const sdk::ContentView& view, std::uint64_t revision,
                                 const Expression& expression, std::size_t most,
                                 const std::function<sdk::Result<void>()>& may_go_on = {});

    /// Removes repositories that are not among these.
    sdk::Result<void> keep_only(const std::vector<sdk::ContentSpace>& spaces,
                                const std::function<bool()>& must_stop = {});
    /// Removes a repository and feeds it from its beginning. `unavailable`
    /// (`node_search.rebuild_stopped`) when `must_stop` says so.
    sdk::Result<void> rebuild(const sdk::ContentSpace& space,
                              const std::function<bool()>& must_stop = {});
    /// Writes to disk; true when there was something.
    sdk::Result<bool> commit();

private:
    /// What a pass over the log leaves to do.
    struct Pass;
    /// How far a repository is.
    struct Progress {
        std::uint64_t revision = 0;
        /// The index may have something of later revisions.
        bool is_beyond = false;
        /// The same, from the time before the index was opened.
        bool is_just_begun = false;
    };

    using Lock = std::unique_lock<std::mutex>;
    using MustStop = std::function<bool()>;

    Lock locked();
    /// Gives the lock to whoever waits for it, and takes it back.
    void let_others(Lock& lock);
    /// Where somebody else feeds the repository it waits a moment, and has not fed it. It ends
    /// early at once when `must_stop` says so, and after some documents when `is_late` does.
    sdk::Result<bool> feed_locked(Lock& lock, const sdk::ContentSpace& space,
                                  const MustStop& must_stop, const MustStop& is_late = {});
    sdk::Result<bool> feed_pass(Lock& lock, const sdk::ContentSpace& space,
                                const MustStop& must_stop, const MustStop& is_late);
    /// Whether what was begun with a repository may go on after others had their turn.
    bool is_still_fed(const sdk::ContentSpace& space) const;
    sdk::Result<bool> begin(const sdk::Reader& reader, const sdk::ContentSpace& space);
    sdk::Result<std::optional<Candidates>> try_find(const sdk::ContentView& view,
                                                    std::uint64_t revision,
                                                    const Expression& expression, std::size_t most,
                                                    const MustStop& is_late);
    sdk::Result<bool> clear_one(const std::vector<sdk::ContentSpace>& kept);

    sdk::ContentLog& log_;
    sdk::Engine& engine_;
    FeedOptions options_;
    std::mutex mutex_;
    std::atomic<int> waiting_ = 0;
    NodeIndex index_;
    /// Repositories in the midst of whose changesets somebody is.
    std::set<sdk::ContentSpace> fed_now_;
    std::condition_variable pass_ended_;
    /// How far repositories are, as far as their histories have been compared since the index was
    /// opened.
    std::map<sdk::ContentSpace, Progress> fed_to_;
    std::uint64_t generation_ = 0;
};

}  // namespace stele::node_search
