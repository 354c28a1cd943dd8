#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

namespace stele::sdk::optimistic {

/// Reads a snapshot, notes what it reads, and keeps its writes to itself: everything of a
/// transaction but the commit, which an engine adds.
class BufferedTransaction : public Transaction {
public:
    Result<std::optional<std::string>> get(std::string_view key) const override;
    Result<bool> get_into(std::string_view key, std::string& value) const override;
    std::unique_ptr<Cursor> scan(KeyRange range, ScanDirection direction) const override;
    Result<std::optional<std::string>> peek(std::string_view key) const override;
    Result<void> note_get(std::string_view key) const override;
    Result<void> note_scan(KeyRange range) const override;
    std::optional<std::uint64_t> state() const override {
        return has_writes() ? std::nullopt : stored().state();
    }
    bool is_distant() const override { return stored().is_distant(); }
    void expect(const std::vector<KeyRange>& ranges) const override { stored().expect(ranges); }

    void put(std::string_view key, std::string_view value) override { writes_.put(key, value); }
    void remove(std::string_view key) override { writes_.remove(key); }
    void remove_range(KeyRange range) override { writes_.remove_range(std::move(range)); }
    void add(std::string_view key, std::int64_t delta) override { writes_.add(key, delta); }
    Result<void> add_within(std::string_view key, std::int64_t delta, std::int64_t most) override;
    void put_stamped(std::string_view counter, const StampedPut& put) override {
        writes_.put_stamped(counter, put);
    }
    bool has_writes() const override { return !writes_.is_empty(); }

protected:
    /// Whether somebody walks what it shows.
    bool has_cursors() const { return reads_.has_cursors(); }
    /// Before anything is read: its committer will not ask what was.
    void note_no_reads() { reads_.keep_nothing(); }
    /// When nothing is read at the moment, as its committer wants it.
    const ReadSet& finish_reads() {
        reads_.join_ranges();
        return reads_;
    }
    const WriteSet& writes() const { return writes_; }

private:
    enum class Tracking { noted, unnoted };

    /// The state beneath the writes.
    virtual const Reader& stored() const = 0;

    Result<bool> look_up(std::string_view key, std::string& value, Tracking tracking) const;
    Result<std::optional<std::string>> look_up(std::string_view key, Tracking tracking) const;

    mutable ReadSet reads_;  // reading is const to callers, but a transaction remembers it
    WriteSet writes_;
};

}  // namespace stele::sdk::optimistic
