#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "candidates.hpp"
#include "expression.hpp"
#include "index_mark.hpp"

namespace stele::node_search {

struct IndexOptions {
    /// What is held in memory at most before it goes to disk. So few documents fit into the
    /// processor's caches: with five times as many each one costs a quarter more.
    std::size_t pending_documents = 1000;
    std::size_t pending_bytes = std::size_t{32} << 20U;
};

/// The words of every version of every node of a store, in a Xapian database. What was written is
/// found at once and is on disk after `commit`; a crash takes it back to the last one, marks and
/// documents together.
///
/// `mark`, `spaces` and the two that clear open it: a folder that is missing or damaged becomes an
/// empty index. The others want it open, so that nobody goes on with what a failure took away.
/// Failures: `unavailable` (`node_search.index_unavailable`); they close it. One thread at a time.
class NodeIndex {
public:
    NodeIndex(std::filesystem::path folder, IndexOptions options);
    /// Commits.
    ~NodeIndex();

    /// Grows whenever the index was opened: what is known about marks is then out of date.
    std::uint64_t generation() const { return generation_; }
    bool is_open() const { return database_ != nullptr; }
    bool has_pending() const { return pending_.documents > 0 || !pending_.marks.empty(); }

    sdk::Result<IndexMark> mark(const sdk::ContentSpace& space);
    /// Adds a version, which ends the one before on its line. Versions come in the order of their
    /// revisions; one that has come before must be said to (`may_be_there`). `attached` is what its
    /// attachments say.
    sdk::Result<void> write(const sdk::ContentSpace& space, const sdk::ContentVersion& version,
                            std::string_view attached, bool may_be_there);
    /// Everything up to the mark has been written.
    sdk::Result<void> set_mark(const sdk::ContentSpace& space, const IndexMark& mark);
    sdk::Result<void> commit();

    /// Removes a repository, some hundred documents at a time; true when nothing is left. One that
    /// is half removed counts as empty in `mark` and must be removed before it is written to.
    sdk::Result<bool> clear_some(const sdk::ContentSpace& space);
    sdk::Result<bool> is_half_cleared(const sdk::ContentSpace& space);
    /// Every repository that has something in the index.
    sdk::Result<std::vector<sdk::ContentSpace>> spaces();

    /// The best `most` versions that fit and show on one of the view's lines, hidden ones included;
    /// all are counted. `indexed_to` as `view_query` wants it.
    sdk::Result<Candidates> find(const sdk::ContentView& view, const Expression& expression,
                                 std::size_t most, std::uint64_t indexed_to);

private:
    class Database;

    /// What is not on disk. Marks are written with the commit: one for each changeset would cost as
    /// much as a document.
    struct Pending {
        std::size_t documents = 0;
        std::size_t bytes = 0;
        std::map<sdk::ContentSpace, IndexMark> marks;
    };

    template <class Work>
    auto opened(Work work) -> decltype(work(std::declval<Database&>()));
    template <class Work>
    auto guarded(Work work) -> decltype(work(std::declval<Database&>()));
    sdk::Result<void> open();
    void write_down(Database& database);
    void keep_marks();
    sdk::Error close_after(const std::string& what, bool is_damaged);
    sdk::Result<void> commit_when_full(std::size_t bytes);

    std::filesystem::path folder_;
    IndexOptions options_;
    std::unique_ptr<Database> database_;
    std::uint64_t generation_ = 0;
    simdjson::dom::parser parser_;
    Pending pending_;
};

}  // namespace stele::node_search
