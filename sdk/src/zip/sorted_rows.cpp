#include "zip/sorted_rows.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <string>
#include <utility>

namespace stele::sdk::zip {

namespace {

constexpr std::size_t kMostWaiting = std::size_t{64} * 1024;
constexpr std::size_t kRowBytes = sizeof(SortedRows::Row);
constexpr std::size_t kRowsOfPage = 256;
/// Of each run that is merged: there may be hundreds.
constexpr std::size_t kMergedPiece = std::size_t{8} * 1024;

SortedRows::Row row_in(const std::string& bytes, std::size_t i) {
    SortedRows::Row row;
    std::memcpy(&row, bytes.data() + i * kRowBytes, kRowBytes);
    return row;
}

}  // namespace

Result<std::optional<SortedRows::Row>> SortedRows::Reading::next() {
    if (rows_) return at_ < rows_->size() ? std::optional((*rows_)[at_++]) : std::optional<Row>();
    if (at_ * kRowBytes == piece_.size()) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes_, end_ - begin_));
        if (size == 0) return std::optional<Row>();
        if (auto read = file_->read(begin_, piece_, size); !read) return read.error();
        begin_ += piece_.size();
        at_ = 0;
    }
    return std::optional(row_in(piece_, at_++));
}

SortedRows::Reading SortedRows::read() const {
    if (!runs_.empty()) return {&*file_, 0, runs_.front().end, kMostWaiting};
    Reading reading(nullptr, 0, 0, 0);
    reading.rows_ = &waiting_;
    return reading;
}

Result<void> SortedRows::add(const Row& row) {
    waiting_.push_back(row);
    const bool is_full = !folder_.empty() && waiting_.size() >= kMostWaiting;
    return is_full ? spill() : Result<void>();
}

void SortedRows::sort_waiting() {
    std::sort(waiting_.begin(), waiting_.end());
    if (!has_each_once_) return;
    const auto is_same = [](const Row& a, const Row& b) { return a.first == b.first; };
    waiting_.erase(std::unique(waiting_.begin(), waiting_.end(), is_same), waiting_.end());
}

Result<void> SortedRows::keep(UnnamedFile& file, const Row& row) {
    return file.append({reinterpret_cast<const char*>(&row), kRowBytes});
}

Result<void> SortedRows::spill() {
    if (waiting_.empty()) return {};
    if (!file_) {
        auto file = UnnamedFile::open(folder_);
        if (!file) return file.error();
        file_.emplace(*std::move(file));
    }
    sort_waiting();
    const std::uint64_t begin = file_->size();
    for (const Row& row : waiting_) {
        if (auto kept = keep(*file_, row); !kept) return kept;
    }
    runs_.push_back({begin, file_->size()});
    spilled_ += waiting_.size();
    waiting_.clear();
    return {};
}

Result<void> SortedRows::sort() {
    if (runs_.empty()) {
        sort_waiting();
        return {};
    }
    if (auto spilled = spill(); !spilled) return spilled;
    return merge();
}

Result<void> SortedRows::merge() {
    auto merged = UnnamedFile::open(folder_);
    if (!merged) return merged.error();
    std::vector<Reading> readings;
    using Next = std::pair<Row, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> lowest;
    const auto take_next = [&](std::size_t run) -> Result<void> {
        auto row = readings[run].next();
        if (!row) return row.error();
        if (*row) lowest.emplace(**row, run);
        return {};
    };
    for (std::size_t run = 0; run < runs_.size(); ++run) {
        readings.push_back(Reading(&*file_, runs_[run].begin, runs_[run].end, kMergedPiece));
        if (auto taken = take_next(run); !taken) return taken;
    }
    pages_.clear();
    spilled_ = 0;
    std::optional<Row> last;
    while (!lowest.empty()) {
        const auto [row, run] = lowest.top();
        lowest.pop();
        if (auto taken = take_next(run); !taken) return taken;
        if (has_each_once_ && last && last->first == row.first) continue;
        if (spilled_ % kRowsOfPage == 0) pages_.push_back(row);
        if (auto kept = keep(*merged, row); !kept) return kept;
        ++spilled_;
        last = row;
    }
    file_.emplace(*std::move(merged));
    runs_ = {{0, file_->size()}};
    return {};
}

Result<void> SortedRows::for_each(const std::function<Result<bool>(const Row& row)>& visit) const {
    Reading reading = read();
    while (true) {
        auto row = reading.next();
        if (!row) return row.error();
        if (!*row) return {};
        auto goes_on = visit(**row);
        if (!goes_on) return goes_on.error();
        if (!*goes_on) return {};
    }
}

Result<void> SortedRows::for_each_from(
    const Row& row, const std::function<Result<bool>(const Row& row)>& visit) const {
    if (runs_.empty()) {
        auto found = std::lower_bound(waiting_.begin(), waiting_.end(), row);
        for (; found != waiting_.end(); ++found) {
            auto goes_on = visit(*found);
            if (!goes_on) return goes_on.error();
            if (!*goes_on) break;
        }
        return {};
    }
    // The page that begins with the last row before it.
    const auto behind = std::lower_bound(pages_.begin(), pages_.end(), row);
    auto page = static_cast<std::uint64_t>(behind - pages_.begin());
    if (page > 0) --page;
    constexpr std::size_t kPage = kRowsOfPage * kRowBytes;
    std::string rows;
    for (; page < pages_.size(); ++page) {
        if (auto read = file_->read(page * kPage, rows, kPage); !read) return read;
        for (std::size_t i = first_in(rows, row); i < rows.size() / kRowBytes; ++i) {
            auto goes_on = visit(row_in(rows, i));
            if (!goes_on) return goes_on.error();
            if (!*goes_on) return {};
        }
    }
    return {};
}

std::size_t SortedRows::first_in(const std::string& page, const Row& row) {
    std::size_t begin = 0;
    std::size_t end = page.size() / kRowBytes;
    while (begin < end) {
        const std::size_t middle = (begin + end) / 2;
        if (row_in(page, middle) < row) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

Result<std::optional<SortedRows::Row>> SortedRows::first_from(const Row& row) const {
    std::optional<Row> found;
    auto walked = for_each_from(row, [&found](const Row& first) -> Result<bool> {
        found = first;
        return false;
    });
    if (!walked) return walked.error();
    return found;
}

}  // namespace stele::sdk::zip
