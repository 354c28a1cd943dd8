#include "index_feed.hpp"

#include <algorithm>
#include <thread>

#include "index_mark.hpp"

namespace stele::node_search {

namespace {

/// Bytes of a version's attachments that are searched.
constexpr std::size_t kMaxAttached = std::size_t{1} << 20;
/// For whoever waits while somebody else feeds, and for whoever feeds while others wait.
constexpr std::chrono::milliseconds kRest(20);
constexpr std::chrono::milliseconds kShortRest(1);

/// The index can be brought up later from the repositories, so it is the first to make do.
sdk::Error no_room() {
    sdk::Error error = sdk::make_error(
        sdk::ErrorKind::unavailable, "node_search.disk_full",
        "the disk is full, and the search index does not have the latest changes until there is "
        "room again");
    error.retry_after_seconds = 60;
    return error;
}

bool says_stop(const std::function<bool()>& must_stop) {
    return must_stop && must_stop();
}

}  // namespace

struct IndexFeed::Pass {
    /// That of the changeset whose versions come, 0 before the first.
    IndexMark mark;
    std::size_t documents = 0;
    bool is_cut_short = false;
    sdk::Result<void> failure;
};

IndexFeed::IndexFeed(sdk::ContentLog& log, sdk::Engine& engine, std::filesystem::path folder,
                     FeedOptions options)
    : log_(log), engine_(engine), options_(options), index_(std::move(folder), options.index) {}

sdk::Result<bool> IndexFeed::feed(const sdk::ContentSpace& space,
                                  const std::function<bool()>& must_stop) {
    Lock lock = locked();
    return feed_locked(lock, space, must_stop);
}

IndexFeed::Lock IndexFeed::locked() {
    ++waiting_;
    Lock lock(mutex_);
    --waiting_;
    return lock;
}

void IndexFeed::let_others(Lock& lock) {
    lock.unlock();
    // Who gives a lock back would mostly get it again at once.
    for (auto rested = kShortRest; waiting_ > 0 && rested < kRest; rested += kShortRest)
        std::this_thread::sleep_for(kShortRest);
    lock.lock();
}

bool IndexFeed::is_still_fed(const sdk::ContentSpace& space) const {
    return index_.is_open() && generation_ == index_.generation() && fed_to_.contains(space);
}

/// True when the repository can be fed: what the index has of it comes from this history, not from
/// one that a restored store has forgotten.
sdk::Result<bool> IndexFeed::begin(const sdk::Reader& reader, const sdk::ContentSpace& space) {
    auto half_cleared = index_.is_half_cleared(space);
    if (!half_cleared) return half_cleared;
    if (generation_ != index_.generation()) {
        generation_ = index_.generation();
        fed_to_.clear();
    }
    if (fed_to_.contains(space)) return true;
    auto mark = index_.mark(space);
    if (!mark) return mark.error();
    auto same = has_history(log_, reader, space, *mark);
    if (!same) return same;
    if (!*same || *half_cleared) {
        auto cleared = index_.clear_some(space);
        if (!cleared || !*cleared) return cleared;
        mark = IndexMark{};
    }
    fed_to_[space] = {mark->revision, false, true};
    return true;
}

sdk::Result<bool> IndexFeed::feed_locked(Lock& lock, const sdk::ContentSpace& space,
                                         const MustStop& must_stop, const MustStop& is_late) {
    if (!fed_now_.insert(space).second) {
        pass_ended_.wait_for(lock, kRest);
        return false;
    }
    struct Ended {
        IndexFeed& feed;
        const sdk::ContentSpace& space;
        ~Ended() {
            feed.fed_now_.erase(space);
            feed.pass_ended_.notify_all();
        }
    } const ended{*this, space};
    return feed_pass(lock, space, must_stop, is_late);
}

sdk::Result<bool> IndexFeed::feed_pass(Lock& lock, const sdk::ContentSpace& space,
                                       const MustStop& must_stop, const MustStop& is_late) {
    const auto reader = engine_.snapshot();
    auto begun = begin(*reader, space);
    if (!begun || !*begun) return begun;
    auto newest = log_.newest(*reader, space);
    if (!newest) return newest.error();
    Progress& progress = fed_to_[space];
    if (progress.revision >= *newest) return true;
    if (options_.has_room && !options_.has_room()) return no_room();

    Pass pass;
    // Of the changeset behind the mark something may be there from before.
    const bool may_repeat = progress.is_beyond || progress.is_just_begun;
    std::uint64_t first_revision = 0;
    // For each changeset: of a node only one version may come again behind the mark.
    const auto end_changeset = [&]() -> sdk::Result<void> {
        if (pass.mark.revision == 0) return {};
        auto marked = index_.set_mark(space, pass.mark);
        if (marked) progress = {pass.mark.revision, false};
        return marked;
    };
    const auto visit = [&](const sdk::ContentVersion& version) {
        if (says_stop(must_stop)) {
            pass.is_cut_short = true;
            return false;
        }
        if (version.revision != pass.mark.revision) {
            pass.failure = end_changeset();
            pass.is_cut_short = pass.documents >= options_.documents_at_once;
            if (!pass.failure || pass.is_cut_short) return false;
            pass.mark = {version.revision, digest_of(version)};
        } else if (pass.documents % options_.documents_at_once == 0) {
            // A large import is one changeset.
            let_others(lock);
            pass.is_cut_short = says_stop(is_late) || !is_still_fed(space);
            if (pass.is_cut_short) return false;
        }
        ++pass.documents;
        progress.is_beyond = true;
        if (first_revision == 0) first_revision = version.revision;
        const bool may_be_there = may_repeat && version.revision == first_revision;
        auto attached = version.is_removed
                            ? sdk::Result<std::string>(std::string())
                            : log_.attached_text(*reader, space, version, kMaxAttached);
        pass.failure = attached ? index_.write(space, version, *attached, may_be_there)
                                : sdk::Result<void>(attached.error());
        return pass.failure.has_value();
    };
    auto read = log_.for_each_after(*reader, space, progress.revision, visit);
    if (!read) return read.error();
    if (!pass.failure) return pass.failure.error();
    if (pass.is_cut_short) return false;
    if (auto ended = end_changeset(); !ended) return ended.error();
    progress = {*newest, false};
    return true;
}

/// Nothing while the index is behind.
sdk::Result<std::optional<Candidates>> IndexFeed::try_find(const sdk::ContentView& view,
                                                           std::uint64_t revision,
                                                           const Expression& expression,
                                                           std::size_t most,
                                                           const MustStop& is_late) {
    Lock lock = locked();
    const auto fed_to = fed_to_.find(view.space);
    const bool is_known = index_.is_open() && generation_ == index_.generation();
    if (!is_known || fed_to == fed_to_.end() || fed_to->second.revision < revision) {
        auto fed = feed_locked(lock, view.space, {}, is_late);
        if (!fed) return fed.error();
        if (!*fed) return std::optional<Candidates>();
    }
    const Progress& progress = fed_to_[view.space];
    const std::uint64_t indexed_to = progress.is_beyond ? 0 : progress.revision;
    auto found = index_.find(view, expression, most, indexed_to);
    if (!found) return found.error();
    return std::optional(std::move(*found));
}

sdk::Result<Candidates> IndexFeed::find(const sdk::ContentView& view, std::uint64_t revision,
                                        const Expression& expression, std::size_t most,
                                        const std::function<sdk::Result<void>()>& may_go_on) {
    const auto deadline = std::chrono::steady_clock::now() + options_.patience;
    const auto is_late = [deadline] { return std::chrono::steady_clock::now() > deadline; };
    bool is_repeated = false;
    while (true) {
        if (may_go_on) {
            if (auto may = may_go_on(); !may) return may.error();
        }
        auto found = try_find(view, revision, expression, most, is_late);
        if (found && *found) return std::move(**found);
        if (!found) {
            // A failure has closed the index: it is opened and brought up once more.
            const bool is_index = found.error().code == "node_search.index_unavailable";
            if (!is_index || is_repeated) return found.error();
            is_repeated = true;
        }
        if (is_late()) {
            sdk::Error behind =
                sdk::make_error(sdk::ErrorKind::unavailable, "node_search.index_behind",
                                "the search index is being built; try again in some seconds");
            behind.retry_after_seconds = 5;
            return behind;
        }
        std::this_thread::yield();
    }
}

/// Some documents of the first repository that is not kept; true when there is none.
sdk::Result<bool> IndexFeed::clear_one(const std::vector<sdk::ContentSpace>& kept) {
    const Lock lock = locked();
    auto present = index_.spaces();
    if (!present) return present.error();
    for (const sdk::ContentSpace& space : *present) {
        if (std::find(kept.begin(), kept.end(), space) != kept.end()) continue;
        fed_to_.erase(space);
        auto cleared = index_.clear_some(space);
        if (!cleared) return cleared;
        return false;
    }
    return true;
}

sdk::Result<void> IndexFeed::keep_only(const std::vector<sdk::ContentSpace>& spaces,
                                       const std::function<bool()>& must_stop) {
    while (!says_stop(must_stop)) {
        auto is_done = clear_one(spaces);
        if (!is_done) return is_done.error();
        if (*is_done) return {};
    }
    return {};
}

/// Others get their turn between the steps; a half removed repository is removed to its end by
/// whoever feeds it.
sdk::Result<void> IndexFeed::rebuild(const sdk::ContentSpace& space,
                                     const std::function<bool()>& must_stop) {
    const auto stopped = [] {
        return sdk::make_error(sdk::ErrorKind::unavailable, "node_search.rebuild_stopped",
                               "the search index is built anew by whoever searches next");
    };
    {
        const Lock lock = locked();
        fed_to_.erase(space);
        auto cleared = index_.clear_some(space);
        if (!cleared) return cleared.error();
    }
    while (true) {
        if (says_stop(must_stop)) return stopped();
        auto fed = feed(space, must_stop);
        if (!fed) return fed.error();
        if (*fed) return {};
    }
}

sdk::Result<bool> IndexFeed::commit() {
    const Lock lock = locked();
    if (!index_.has_pending()) return false;
    if (auto committed = index_.commit(); !committed) return committed.error();
    return true;
}

}  // namespace stele::node_search
