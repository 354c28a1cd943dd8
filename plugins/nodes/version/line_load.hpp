#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/unchecked_writes.hpp>

#include "version_space.hpp"

namespace stele::nodes {

/// A transaction in which one line is written that nobody else sees yet, whatever its size
/// (docs/decisions/0151-imports-of-large-branches.md). Rows of the line that grow with its nodes
/// (present entries, versions, what was written, binaries) go into the store in pieces, before the
/// transaction below ends; all others go to that. Reads of the line see the pieces, reads of the
/// lines that it comes from see them in the picture in which it was begun. One thread.
class LineLoad final : public sdk::Transaction {
public:
    struct Hooks {
        /// Called before each piece is committed; what fails ends the load.
        std::function<sdk::Result<void>()> before_piece;
        /// Called when the load goes, whatever became of it; must not throw.
        std::function<void()> at_end;
    };

    /// Whether an engine lets a transaction write so.
    static bool is_possible(sdk::Engine& engine);

    /// What the line comes from.
    struct Base {
        std::shared_ptr<const sdk::Reader> rows;
        /// Up to this revision.
        Revision newest = 0;
        /// The store does not have the versions yet: the repository is new.
        bool is_uncommitted = false;
    };
    /// The transaction and the engine outlive the load.
    LineLoad(sdk::Transaction& below, sdk::Engine& engine, VersionSpace space, Line line, Base base,
             Hooks hooks);
    ~LineLoad() override;

    Line line() const { return line_; }
    /// Whether anything was written to the line that grows with its nodes.
    bool has_loaded() const { return has_loaded_; }

    /// Notes a binary that the line brings, until its repository counts it; false when the line has
    /// brought it already.
    sdk::Result<bool> add_binary(std::string_view name, std::string_view length);

    /// Begins to commit what waits once it is much, and answers what has become of what was begun
    /// before. Only while nobody reads or walks the line: cursors do not outlive it.
    sdk::Result<void> settle();
    /// Commits what waits, and waits until all of it is in the store: before the transaction below
    /// is committed.
    sdk::Result<void> commit_rest();

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;
    sdk::Result<void> note_get(std::string_view key) const override;
    sdk::Result<void> note_scan(sdk::KeyRange range) const override;

    void put(std::string_view key, std::string_view value) override;
    void remove(std::string_view key) override;
    void remove_range(sdk::KeyRange range) override { below_.remove_range(std::move(range)); }
    void add(std::string_view key, std::int64_t delta) override { below_.add(key, delta); }
    sdk::Result<void> add_within(std::string_view key, std::int64_t delta,
                                 std::int64_t most) override {
        return below_.add_within(key, delta, most);
    }
    void put_stamped(std::string_view counter, const sdk::StampedPut& put) override {
        below_.put_stamped(counter, put);
    }
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return below_.stamp(counter);
    }
    bool has_writes() const override { return true; }
    /// Not for a load: whoever began the transaction below commits it.
    void commit(Done done) override;

private:
    /// Two of them are there at the same time: one is filled while the other one is committed.
    static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
    /// What a row takes beside its bytes, about.
    static constexpr std::size_t kRowBytes = 200;

    /// Whether the line stands at the beginning of a key, and the row grows with its nodes.
    bool is_of_line(std::string_view key) const;
    /// Whether a row of the line grows with its nodes.
    bool is_loaded(std::string_view key) const;
    /// Where a key, or a range that begins with it, is read.
    const sdk::Reader& reader_of(std::string_view key) const;
    /// Waits for the piece that is being committed.
    sdk::Result<void> land();
    sdk::Result<void> begin_commit();

    sdk::Transaction& below_;
    sdk::Engine& engine_;
    const VersionSpace space_;
    const Line line_;
    const Base base_;
    const Hooks hooks_;
    // What keys begin with: those of all content, of the line, and of kinds of rows.
    const std::string present_;
    const std::string written_;
    const std::string binaries_;
    const std::string versions_;
    const std::string presents_;
    const std::string pasts_;
    const std::string kinds_;
    const std::string own_kinds_;
    /// A piece that is being committed, and what becomes of it; null between.
    std::unique_ptr<sdk::Transaction> landing_;
    std::future<sdk::Result<void>> landed_;
    /// Of all pieces so far; nothing is committed any more when one has failed.
    sdk::Result<void> outcome_;
    /// Reads `landing_` while that is there.
    std::unique_ptr<sdk::Transaction> piece_;
    std::size_t waiting_ = 0;
    bool has_loaded_ = false;
};

}  // namespace stele::nodes
