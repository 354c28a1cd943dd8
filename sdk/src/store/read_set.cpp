#include <stele/sdk/optimistic/read_set.hpp>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include <stele/sdk/optimistic/write_set.hpp>

namespace stele::sdk::optimistic {

void ReadSet::join_keys() {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    join_keys_at_ = std::max(kManyKeys, 2 * keys_.size());
}

void ReadSet::join_ranges() {
    std::erase_if(ranges_, [](const Range& range) { return range.is_empty; });
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::vector<Range> joined;
    for (Range& next : ranges_) {
        Range* const last = joined.empty() ? nullptr : &joined.back();
        if (last == nullptr || (!last->end.empty() && last->end < next.begin)) {
            joined.push_back(std::move(next));
        } else if (!last->end.empty() && (next.end.empty() || next.end > last->end)) {
            last->end = std::move(next.end);
        }
    }
    ranges_ = std::move(joined);
    are_ranges_joined_ = true;
}

bool ReadSet::has_range_with(std::string_view key) const {
    assert(are_ranges_joined_);
    const auto behind = std::upper_bound(
        ranges_.begin(), ranges_.end(), key,
        [](std::string_view wanted, const Range& range) { return wanted < range.begin; });
    if (behind == ranges_.begin()) return false;
    const Range& range = *std::prev(behind);
    return is_inside(key, range.begin, range.end);
}

}  // namespace stele::sdk::optimistic
