#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <stele/sdk/services/content_log.hpp>

namespace stele::node_search {

/// Histories in memory. A branch's key is the number of its line. Any thread.
class FakeContentLog final : public sdk::ContentLog {
public:
    static constexpr sdk::ContentSpace kSpace{3, 7};

    FakeContentLog() { lines_[1] = {}; }

    /// A line that shows what its parent shows up to the revision.
    std::uint64_t fork(std::uint64_t parent, std::uint64_t revision);
    /// One changeset; an empty text removes the node. Answers its revision.
    std::uint64_t write(std::uint64_t line,
                        const std::vector<std::pair<std::string, std::string>>& nodes);
    /// Forgets everything, as if another store had been put in its place.
    void forget();
    /// The log fails after so many versions were told, once.
    void fail_after(std::size_t versions) { failing_after_ = versions; }
    /// What a line shows at its tip: texts by node.
    std::map<std::string, std::string> shown_on(std::uint64_t line);
    std::size_t told() const { return told_; }
    std::uint64_t revision() const { return revision_; }
    bool has_space = true;
    /// What the attachments of nodes say, from now on.
    std::map<std::string, std::string> attached;

    sdk::Result<std::vector<sdk::ContentSpace>> spaces(const sdk::Reader&) override;
    sdk::Result<std::uint64_t> newest(const sdk::Reader&, const sdk::ContentSpace&) override;
    sdk::Result<void> for_each_after(
        const sdk::Reader&, const sdk::ContentSpace& space, std::uint64_t revision,
        const std::function<bool(const sdk::ContentVersion&)>& visit) override;
    sdk::Result<sdk::ContentView> view(const sdk::Reader&, const sdk::RecordKey& branch) override;
    sdk::Result<std::optional<sdk::ContentVersion>> shown(const sdk::Reader&,
                                                          const sdk::ContentView& view,
                                                          std::string_view node) override;
    sdk::Result<std::optional<std::vector<std::string>>> written_on(
        const sdk::Reader&, const sdk::ContentSpace&, const sdk::ContentView::Link& link,
        std::size_t most) override;
    sdk::Result<std::string> attached_text(const sdk::Reader&, const sdk::ContentSpace&,
                                           const sdk::ContentVersion& version,
                                           std::size_t limit) override;
    std::string watched_prefix(std::uint64_t platform) override;

private:
    struct Fork {
        std::uint64_t parent = 0;  ///< 0: none
        std::uint64_t revision = 0;
    };

    std::vector<sdk::ContentVersion> all_versions();
    bool fails_now();
    sdk::ContentView view_of(std::uint64_t line) const;
    const sdk::ContentVersion* find_shown(const sdk::ContentView& view,
                                          std::string_view node) const;

    std::mutex mutex_;
    std::vector<sdk::ContentVersion> versions_;
    std::map<std::uint64_t, Fork> lines_;
    std::uint64_t revision_ = 0;
    std::atomic<std::size_t> told_ = 0;
    std::optional<std::size_t> failing_after_;
};

}  // namespace stele::node_search
