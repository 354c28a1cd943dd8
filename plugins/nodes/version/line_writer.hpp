#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "counts.hpp"
#include "layered_cursor.hpp"
#include "version_space.hpp"

namespace stele::nodes {

/// Writes one changeset at the tip of a line, inside a transaction of the store. To whoever writes
/// it is a transaction itself: it shows the tip and its own writes, keys of entries, records and
/// counts get their versions from it, plain ones are written as they are.
///
/// Two changesets conflict when one has read what the other writes, also on one line; their
/// revisions are given at commit. One thread at a time. The transaction outlives the writer.
class LineWriter final : public sdk::Transaction {
public:
    /// Which number the changeset gets.
    struct Place {
        /// How often the work met a conflict before (`sdk::Context::attempt`).
        std::size_t attempt = 0;
        /// How many other lines of the repository the transaction writes before this one.
        std::uint64_t step = 0;
        /// The first changeset of a repository has its number before the commit, so that those
        /// that the transaction writes on top of it come after it.
        bool is_first = false;
        /// The first one of a line that is loaded (`LineLoad`).
        bool is_load = false;
    };

    /// `view` is that of `find_view` for the line's tip, in the same transaction.
    LineWriter(sdk::Transaction& below, const VersionSpace& space, View view, Place place)
        : below_(below),
          space_(space),
          reader_(below, space, std::move(view)),
          parent_(below, space, reader_.view().inherited()),
          present_(space.present(line())),
          count_(space.count(line())),
          place_(place),
          last_to_end_(nodes::last_to_end(reader_.view().newest, place.attempt)) {}
    LineWriter(sdk::Transaction& below, const VersionSpace& space, View view)
        : LineWriter(below, space, std::move(view), Place()) {}

    const VersionSpace& space() const { return space_; }
    const ViewReader& reader() const { return reader_; }

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        return reader_.get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        return reader_.get_into(key, value);
    }
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override;
    bool is_distant() const override { return below_.is_distant(); }
    /// Where an entry lies at the tip, or that of a record.
    sdk::KeyRange present(std::string_view key) const { return sdk::only_key(present_key(key)); }
    void expect_writes(const std::vector<std::string>& keys) override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return reader_.scan(std::move(range), direction);
    }

    void put(std::string_view key, std::string_view value) override;
    void remove(std::string_view key) override;
    void remove_range(sdk::KeyRange range) override;
    void add(std::string_view key, std::int64_t delta) override;
    /// For plain keys only.
    void put_stamped(std::string_view counter, const sdk::StampedPut& put) override {
        below_.put_stamped(counter, put);
    }
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return below_.stamp(counter);
    }
    bool has_writes() const override { return below_.has_writes(); }
    /// Not for a writer: whoever began the transaction below commits it.
    void commit(Done done) override;

    /// Nothing was found under a record's key. Its entries, whose keys end like the record's, went
    /// with it, so writing them needs no look. A fork may still hide some that its parent shows:
    /// there this holds only where no line ever had the record.
    sdk::Result<void> note_absent(std::string_view record_key);

    /// Keeps the first failure for `finish`.
    void note(sdk::Result<void> done) {
        if (status_ && !done) status_ = std::move(done);
    }
    /// Ends the changeset, with what its writer says of it. Once, before the commit; answers what
    /// failed meanwhile, and then nothing must be committed. `later` lines of the repository are
    /// written with higher steps.
    sdk::Result<void> finish(std::string note, std::uint64_t later = 0);
    std::uint64_t step() const { return place_.step; }
    /// Says what the changeset has taken in of other lines (`Ancestry::encode`); once.
    void put_merge(std::string_view taken);
    /// Of the finished changeset, after the commit.
    std::optional<Revision> revision(const sdk::Transaction& committed) const;

private:
    Line line() const { return reader_.view().links.front().line; }
    bool is_fork() const { return reader_.view().links.size() > 1; }
    /// What the parent shows for a key.
    sdk::Result<bool> inherits(std::string_view key, std::string& value) const;

    bool is_of_new_record(std::string_view key) const;

    /// Puts what gets the number of the changeset.
    void put_numbered(sdk::StampedPut put);
    /// The same for rows that `row_revision` is about.
    void put_row(const sdk::StampedPut& put);
    void put_with(Revision number, const sdk::StampedPut& put);
    /// Empty while they are not complete.
    void put_changes(std::string_view bytes);
    sdk::Result<void> put_entry(std::string_view key, std::string_view value);
    sdk::Result<void> remove_entry(std::string_view key);
    sdk::Result<void> put_present(std::string_view key, char state, std::string_view value);
    sdk::Result<void> end_present(std::string_view key, const std::string& stored);
    /// Notes that an entry of a kind begins or ends here.
    sdk::Result<void> note_kind(std::string_view key, bool has_ended);
    void put_version(std::string_view key, char state, std::string_view record);

    /// The keys below of an entry at the tip, and of a count; until the next one is asked for.
    const std::string& present_key(std::string_view key) const {
        return key_.assign(present_).append(key);
    }
    const std::string& count_key(std::string_view key) const {
        return key_.assign(count_).append(key);
    }

    sdk::Transaction& below_;
    const VersionSpace& space_;
    ViewReader reader_;
    /// Of what the line comes from; not looked at where it comes from none.
    ViewReader parent_;
    /// What those keys begin with.
    const std::string present_;
    const std::string count_;
    const Place place_;
    /// The last revision that this changeset may get when it ends entries.
    const Revision last_to_end_;
    // A record has dozens of entries, so what is written is put together in the same places.
    mutable std::string key_;
    std::string value_;
    ChangeRecord changes_;
    bool ends_entries_ = false;
    /// Kinds that are there, and whether this changeset writes their rows.
    std::map<std::string, bool, std::less<>> kinds_;
    /// Last bytes of the keys of records whose entries are neither there nor hidden.
    std::unordered_set<std::string> new_records_;
    sdk::Result<void> status_;
};

}  // namespace stele::nodes
