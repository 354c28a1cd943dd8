#include "scan_cursor.hpp"

#include <algorithm>

#include "snapshot_reader.hpp"

namespace stele::storage_postgres {

namespace {

constexpr int kFirstRows = 16;
constexpr int kMaxRows = 1024;
constexpr int kGrowth = 4;
constexpr std::int64_t kBytes = 1024 * 1024;

std::string just_above(std::string_view key) {
    std::string above(key);
    above.push_back('\0');
    return above;
}

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
    const auto& view = reader_.view();
    if (!view) {
        status_ = view.error();
        return;
    }
    covered_ = std::move(from);
    is_last_ = true;
    if (covered_.begin >= covered_.end) return;
    auto rows = reader_.read(is_forward_ ? Statement::scan_forward : Statement::scan_backward,
                             Parameters()
                                 .bytes(covered_.begin)
                                 .bytes(covered_.end)
                                 .integer(static_cast<std::int64_t>((*view)->version))
                                 .integer(wanted_)
                                 .integer(kBytes));
    if (!rows) {
        status_ = rows.error();
        return;
    }
    rows_ = std::move(*rows);
    size_ = rows_.is_null(0, 1) ? 0 : rows_.size();
    std::size_t bytes = 0;
    for (int row = 0; row < size_; ++row)
        bytes += rows_.bytes(row, 2).size();
    is_last_ = size_ < wanted_ && bytes < static_cast<std::size_t>(kBytes);
    if (!is_last_) {
        const std::string_view last = key_at(size_ - 1);
        if (is_forward_) {
            covered_.end = just_above(last);
        } else {
            covered_.begin = last;
        }
    }
    wanted_ = std::min(wanted_ * kGrowth, kMaxRows);
}

void ScanCursor::stop() {
    size_ = 0;
    row_ = 0;
}

void ScanCursor::next() {
    ++row_;
    if (row_ < size_ || is_last_ || !status_) return;
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
    int low = 0;
    int high = size_;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const bool is_before = is_forward_ ? key_at(middle) < edge : key_at(middle) >= edge;
        if (is_before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    row_ = low;
}

}  // namespace stele::storage_postgres
