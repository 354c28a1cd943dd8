#include "merged_cursor.hpp"

#include <algorithm>
#include <optional>

namespace stele::sdk::optimistic {

namespace {

class MergedCursor final : public Cursor {
public:
    MergedCursor(std::unique_ptr<Cursor> stored, const WriteSet& writes, ReadSet& reads,
                 KeyRange range, ScanDirection direction)
        : stored_(std::move(stored)),
          writes_(writes),
          reads_(reads),
          range_(std::move(range)),
          is_forward_(direction == ScanDirection::forward) {
        reads_.cursor_opened();
        start_at_edge();
        settle();
    }

    ~MergedCursor() override { reads_.cursor_closed(); }
    MergedCursor(const MergedCursor&) = delete;
    MergedCursor& operator=(const MergedCursor&) = delete;

    bool is_valid() const override { return is_valid_; }
    std::string_view key() const override { return key_; }
    std::string_view value() const override { return value_; }

    void next() override {
        if (stored_->is_valid() && stored_->key() == key_) stored_->next();
        // Looked for anew, because the transaction may have written since the last step.
        own_ = is_forward_ ? first_above(key_) : last_below(key_);
        settle();
    }

    void seek(std::string_view key) override {
        if (is_forward_ ? key <= range_.begin : !range_.end.empty() && key >= range_.end) {
            stored_->seek(is_forward_ ? range_.begin : range_.end);
            start_at_edge();
        } else {
            stored_->seek(key);
            const Write* exact = writes_.find(key);
            own_ = exact != nullptr ? all().find(key)
                                    : (is_forward_ ? first_above(key) : last_below(key));
            start_tracking(key);
        }
        settle();
    }

    Result<void> status() const override { return stored_->status(); }

private:
    using Write = WriteSet::Write;
    using Kind = WriteSet::Kind;
    using Position = WriteSet::Writes::const_iterator;

    const WriteSet::Writes& all() const { return writes_.writes(); }

    Position first_above(std::string_view key) const {
        return all().empty() ? all().end() : all().upper_bound(key);
    }
    /// `end` when there is none.
    Position last_below(std::string_view key) const {
        if (all().empty()) return all().end();
        return before(all().lower_bound(key));
    }
    Position before(Position at) const { return at == all().begin() ? all().end() : std::prev(at); }

    void start_at_edge() {
        if (is_forward_) {
            own_ = all().empty() ? all().end() : all().lower_bound(range_.begin);
        } else {
            own_ = range_.end.empty() ? before(all().end()) : last_below(range_.end);
        }
        tracked_ = reads_.add_range();
        ReadSet::Range& read = reads_.range(tracked_);
        (is_forward_ ? read.begin : read.end) = is_forward_ ? range_.begin : range_.end;
    }

    /// The cursor looks at `key` and what lies beyond it.
    void start_tracking(std::string_view key) {
        tracked_ = reads_.add_range();
        ReadSet::Range& read = reads_.range(tracked_);
        if (is_forward_) {
            read.begin = key;
        } else {
            read.end.assign(key).push_back('\0');
        }
    }

    bool is_own_inside() const {
        return own_ != all().end() && is_inside(own_->first, range_.begin, range_.end);
    }

    /// Whether the own write comes before the stored entry; 0 when they have the same key.
    int order() const {
        if (!stored_->is_valid()) return -1;
        const int order = own_->first.compare(stored_->key());
        return is_forward_ ? order : -order;
    }

    /// Moves to the first visible entry from where both sides stand.
    void settle() {
        is_valid_ = find_entry();
        ReadSet::Range& read = reads_.range(tracked_);
        read.is_empty = false;
        if (is_forward_) {
            read.end.assign(is_valid_ ? key_ : range_.end);
            if (is_valid_) read.end.push_back('\0');
        } else {
            read.begin.assign(is_valid_ ? key_ : range_.begin);
        }
    }

    bool find_entry() {
        while (true) {
            const bool has_own = is_own_inside();
            if (!stored_->is_valid() && (!has_own || !stored_->status())) return false;
            const int place = has_own ? order() : 1;
            if (place > 0) {
                if (take_stored()) return true;
            } else {
                if (take_own(place == 0)) return true;
                if (place == 0) stored_->next();
                own_ = is_forward_ ? std::next(own_) : before(own_);
            }
        }
    }

    bool take_stored() {
        if (const KeyRange* hidden = writes_.removed_range_of(stored_->key())) {
            skip(*hidden);
            return false;
        }
        key_.assign(stored_->key());
        value_ = stored_->value();
        return true;
    }

    void skip(const KeyRange& hidden) {
        if (is_forward_ && !hidden.end.empty()) {
            stored_->seek(hidden.end);
        } else if (!is_forward_ && stored_->key() > hidden.begin) {
            stored_->seek(hidden.begin);
        } else {
            stored_->next();
        }
    }

    bool take_own(bool is_stored) {
        const auto& [key, write] = *own_;
        if (write.kind == Kind::remove) return false;
        key_.assign(key);
        if (write.kind == Kind::put) {
            value_ = write.value;
        } else {
            std::optional<std::string> before_add;
            if (is_stored) before_add.emplace(stored_->value());
            sum_ = counter_bytes(read_counter(before_add) + write.delta);
            value_ = sum_;
        }
        return true;
    }

    std::unique_ptr<Cursor> stored_;
    const WriteSet& writes_;
    ReadSet& reads_;
    KeyRange range_;
    bool is_forward_;
    bool is_valid_ = false;
    Position own_;
    std::size_t tracked_ = 0;
    std::string key_;
    std::string_view value_;
    std::string sum_;
};

}  // namespace

std::unique_ptr<Cursor> merge_writes(std::unique_ptr<Cursor> stored, const WriteSet& writes,
                                     ReadSet& reads, KeyRange range, ScanDirection direction) {
    return std::make_unique<MergedCursor>(std::move(stored), writes, reads, std::move(range),
                                          direction);
}

}  // namespace stele::sdk::optimistic
