#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// The content of a repository, by numbers that never change.
struct ContentSpace {
    std::uint64_t platform = 0;
    std::uint64_t repository = 0;

    friend auto operator<=>(const ContentSpace&, const ContentSpace&) = default;
};

/// One version of a node or an association, as a changeset wrote it. A version shows from its
/// revision on, on its line, until a later one of the same node on the same line.
struct ContentVersion {
    std::uint64_t line = 0;
    std::uint64_t revision = 0;
    /// `_doc`.
    std::string node;
    /// The revision of the version before it on its line; 0 where there is none, or that one
    /// removed the node.
    std::uint64_t former = 0;
    bool is_removed = false;
    /// JSON as readers get it; empty when the changeset removed the node.
    std::string text;
};

/// What a branch shows: lines, nearest first, each up to a revision. Of several versions of a node
/// the one on the nearest line decides, there the newest.
struct ContentView {
    struct Link {
        std::uint64_t line = 0;
        std::uint64_t last_revision = 0;
        /// The line goes on with all that the branch showed on the next link: it got this one by a
        /// large import. Between others lies a fork or a reset.
        bool goes_on = false;
    };
    ContentSpace space;
    std::vector<Link> links;
};

/// The changesets of repositories in their order, for whoever keeps something in step with them (a
/// search index, a mirror). Reads through the given reader, so what it shows is one moment.
/// Published by nodes. Any thread.
class ContentLog {
public:
    virtual ~ContentLog();

    /// Every repository of the store.
    virtual Result<std::vector<ContentSpace>> spaces(const Reader& reader) = 0;
    /// The last revision of a repository; 0 before the first.
    virtual Result<std::uint64_t> newest(const Reader& reader, const ContentSpace& space) = 0;
    /// What the changesets after `revision` wrote, in their order, until `visit` answers false.
    virtual Result<void> for_each_after(
        const Reader& reader, const ContentSpace& space, std::uint64_t revision,
        const std::function<bool(const ContentVersion&)>& visit) = 0;

    /// What a branch shows at its tip; `not_found` (`nodes.branch_unknown`).
    virtual Result<ContentView> view(const Reader& reader, const RecordKey& branch) = 0;
    /// The version of a node that a view shows; nothing when it shows none.
    virtual Result<std::optional<ContentVersion>> shown(const Reader& reader,
                                                        const ContentView& view,
                                                        std::string_view node) = 0;
    /// The nodes that a line has versions of up to the link's revision, those that it removed
    /// included; nothing when it wrote more than `most` versions.
    virtual Result<std::optional<std::vector<std::string>>> written_on(
        const Reader& reader, const ContentSpace& space, const ContentView::Link& link,
        std::size_t most) = 0;
    /// The text of a version's attachments, of those that are text (`text/*`, JSON, XML): UTF-8,
    /// from the first `limit` bytes of all together; empty where there is none. What is read of a
    /// version stays the same.
    virtual Result<std::string> attached_text(const Reader& reader, const ContentSpace& space,
                                              const ContentVersion& version, std::size_t limit) = 0;
    /// Every change of content is a commit under this prefix of a platform's keys, for
    /// `Engine::observe`; it ends with the repository's number as `KeyWriter::integer` writes it.
    virtual std::string watched_prefix(std::uint64_t platform) = 0;
};

}  // namespace stele::sdk
