#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stele::sdk::optimistic {

/// What a transaction has read: hashes of keys, and ranges.
class ReadSet {
public:
    /// Keys from `begin` up to, not including, `end`; no upper bound when that is empty.
    struct Range {
        std::string begin;
        std::string end;
        bool is_empty = true;
    };

    /// Nobody will ask what was read: only ranges that cursors still add to are kept.
    void keep_nothing() { keeps_reads_ = false; }

    void add_key(std::uint64_t hash) {
        if (!keeps_reads_) return;
        keys_.push_back(hash);
        if (keys_.size() >= join_keys_at_) join_keys();
    }
    /// A new range with nothing in it yet; the number is for `range`.
    std::size_t add_range() {
        are_ranges_joined_ = false;
        ranges_.emplace_back();
        return ranges_.size() - 1;
    }
    Range& range(std::size_t number) { return ranges_[number]; }

    /// When no cursor is there: puts the ranges in order, those that touch become one. Numbers of
    /// ranges are good for nothing afterwards.
    void join_ranges();

    /// Cursors that still add to a range.
    void cursor_opened() { ++open_cursors_; }
    void cursor_closed() {
        --open_cursors_;
        if (!keeps_reads_ && open_cursors_ == 0) ranges_.clear();
    }
    bool has_cursors() const { return open_cursors_ > 0; }

    const std::vector<std::uint64_t>& keys() const { return keys_; }
    const std::vector<Range>& ranges() const { return ranges_; }
    bool are_ranges_joined() const { return are_ranges_joined_; }
    /// Whether a range holds the key. After `join_ranges`.
    bool has_range_with(std::string_view key) const;

private:
    static constexpr std::size_t kManyKeys = 65'536;

    /// Each once: what takes long reads the same again and again.
    void join_keys();

    std::vector<std::uint64_t> keys_;
    std::size_t join_keys_at_ = kManyKeys;
    std::vector<Range> ranges_;
    bool are_ranges_joined_ = false;
    std::size_t open_cursors_ = 0;
    bool keeps_reads_ = true;
};

}  // namespace stele::sdk::optimistic
