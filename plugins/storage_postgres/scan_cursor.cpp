#include "scan_cursor.hpp"

#include <algorithm>

#include "snapshot_reader.hpp"

namespace stele::storage_postgres {

namespace {

constexpr int kFirstRows = 16;
constexpr int kMaxRows = 1024;
constexpr int kGrowth = 4;
constexpr std::int64_t kBytes = 1024 * 1024;

}  // namespace

ScanCursor::ScanCursor(const SnapshotReader& reader, sdk::KeyRange range,
                       sdk::ScanDirection direction)
    : reader_(reader),
      range_(std::move(range)),
      is_forward_(direction == sdk::ScanDirection::forward),
      wanted_(kFirstRows) {
    range_.end = upper_bound(range_.end);
    fetch(range_);
}

void ScanCursor::fetch(sdk::KeyRange from) {
    stop();
    if (auto sound = reader_.status(); !sound) {
        status_ = sound;
        return;
    }
    covered_ = std::move(from);
    is_last_ = true;
    if (covered_.begin >= covered_.end) return;
    // What is known may end before an entry is met.
    while (find()) {
        if (!entries_.empty() || is_last_) return;
        covered_ = is_forward_ ? sdk::KeyRange{covered_.end, range_.end}
                               : sdk::KeyRange{range_.begin, covered_.begin};
    }
    read();
}

bool ScanCursor::find() {
    auto known = reader_.cache_.find_range(
        covered_, is_forward_ ? sdk::ScanDirection::forward : sdk::ScanDirection::backward,
        (*reader_.view())->version, static_cast<std::size_t>(wanted_));
    if (!known) return false;
    is_last_ =
        is_forward_ ? known->covered.end >= range_.end : known->covered.begin <= range_.begin;
    covered_ = std::move(known->covered);
    entries_ = std::move(known->entries);
    return true;
}

void ScanCursor::read() {
    auto rows = reader_.read(is_forward_ ? Statement::scan_forward : Statement::scan_backward,
                             Parameters()
                                 .bytes(covered_.begin)
                                 .bytes(covered_.end)
                                 .integer(static_cast<std::int64_t>((*reader_.view())->version))
                                 .integer(wanted_)
                                 .integer(kBytes));
    if (!rows) {
        status_ = rows.error();
        return;
    }
    const int size = rows->is_null(0, 1) ? 0 : rows->size();
    entries_.reserve(static_cast<std::size_t>(size));
    std::size_t bytes = 0;
    for (int row = 0; row < size; ++row) {
        entries_.push_back({std::string(rows->bytes(row, 1)), std::string(rows->bytes(row, 2))});
        bytes += entries_.back().value.size();
    }
    is_last_ = size < wanted_ && bytes < static_cast<std::size_t>(kBytes);
    if (!is_last_) {
        const std::string& last = entries_.back().key;
        if (is_forward_) {
            covered_.end = just_above(last);
        } else {
            covered_.begin = last;
        }
    }
    wanted_ = std::min(wanted_ * kGrowth, kMaxRows);
    if (bytes > EntryCache::kMaxPartBytes) return;
    std::vector<Entry> found = entries_;
    if (!is_forward_) std::reverse(found.begin(), found.end());
    reader_.feed_.remember(covered_, std::move(found), *reader_.view());
}

void ScanCursor::stop() {
    entries_.clear();
    row_ = 0;
}

void ScanCursor::next() {
    ++row_;
    go_on();
}

/// What is known may end behind the last entry.
void ScanCursor::go_on() {
    if (row_ < entries_.size() || is_last_ || !status_) return;
    if (is_forward_) {
        fetch({covered_.end, range_.end});
    } else {
        fetch({range_.begin, covered_.begin});
    }
}

void ScanCursor::seek(std::string_view key) {
    if (!status_) return;
    // The edge from which on entries are wanted.
    const std::string edge = is_forward_ ? std::max(std::string(key), range_.begin)
                                         : std::min(just_above(key), range_.end);
    const bool is_covered = is_forward_
                                ? edge >= covered_.begin && (is_last_ || edge < covered_.end)
                                : edge <= covered_.end && (is_last_ || edge > covered_.begin);
    if (!is_covered) {
        fetch(is_forward_ ? sdk::KeyRange{edge, range_.end} : sdk::KeyRange{range_.begin, edge});
        return;
    }
    std::size_t low = 0;
    std::size_t high = entries_.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const bool is_before =
            is_forward_ ? entries_[middle].key < edge : entries_[middle].key >= edge;
        if (is_before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    row_ = low;
    go_on();
}

}  // namespace stele::storage_postgres
