#include "merge/line_difference.hpp"

#include <algorithm>
#include <limits>

#include "merge/rising_places.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kNoLine = std::numeric_limits<std::size_t>::max();
/// Lines that are removed and added between two anchors, at most, where the shortest difference
/// is looked for: its memory is the square of that.
constexpr std::size_t kFarthest = 1000;

/// Finds for lines of the base the lines of the other text that they are.
class LineMatcher {
public:
    LineMatcher(const TextLines& base, const TextLines& other, std::size_t distinct,
                std::size_t& steps)
        : base_(base),
          other_(other),
          steps_(steps),
          match_(base.size(), kNoLine),
          seen_(distinct) {}

    std::vector<ChangedLines> changes() {
        match_by_anchors({0, base_.size(), 0, other_.size()});
        std::vector<ChangedLines> changes;
        std::size_t i = 0;
        std::size_t j = 0;
        while (i < base_.size() || j < other_.size()) {
            if (i < base_.size() && match_[i] == j) {
                ++i;
                ++j;
                continue;
            }
            ChangedLines change{.base_begin = i, .begin = j};
            while (i < base_.size() && match_[i] == kNoLine)
                ++i;
            j = i < base_.size() ? match_[i] : other_.size();
            change.base_end = i;
            change.end = j;
            changes.push_back(change);
        }
        return changes;
    }

private:
    using Range = ChangedLines;

    /// How often a line is there, and where it was last.
    struct Seen {
        std::uint32_t in_base = 0;
        std::uint32_t in_other = 0;
        std::size_t base_line = 0;
    };

    /// Matches what is equal at both ends. False where nothing is left that could be matched.
    bool trim(Range& range) {
        while (has_lines(range) && base_[range.base_begin] == other_[range.begin])
            match_[range.base_begin++] = range.begin++;
        while (has_lines(range) && base_[range.base_end - 1] == other_[range.end - 1])
            match_[--range.base_end] = --range.end;
        return has_lines(range);
    }

    static bool has_lines(const Range& range) {
        return range.base_begin < range.base_end && range.begin < range.end;
    }

    void match_by_anchors(Range range) {
        if (!trim(range)) return;
        for (std::size_t i = range.base_begin; i < range.base_end; ++i) {
            Seen& seen = seen_[base_[i]];
            ++seen.in_base;
            seen.base_line = i;
        }
        for (std::size_t j = range.begin; j < range.end; ++j)
            ++seen_[other_[j]].in_other;
        std::vector<std::size_t> base_lines;
        std::vector<std::size_t> other_lines;
        for (std::size_t j = range.begin; j < range.end; ++j) {
            const Seen& seen = seen_[other_[j]];
            if (seen.in_base != 1 || seen.in_other != 1) continue;
            base_lines.push_back(seen.base_line);
            other_lines.push_back(j);
        }
        for (const std::size_t anchor : longest_rising(base_lines)) {
            const std::size_t i = base_lines[anchor];
            const std::size_t j = other_lines[anchor];
            match_nearest({range.base_begin, i, range.begin, j});
            match_[i] = j;
            range.base_begin = i + 1;
            range.begin = j + 1;
        }
        match_nearest(range);
    }

    /// Myers' greedy walk: how far it is possible to come with so many lines removed and added, on
    /// each diagonal.
    void match_nearest(Range range) {
        if (!trim(range)) return;
        const auto base_size = static_cast<std::ptrdiff_t>(range.base_end - range.base_begin);
        const auto other_size = static_cast<std::ptrdiff_t>(range.end - range.begin);
        const auto farthest =
            std::min(base_size + other_size, static_cast<std::ptrdiff_t>(kFarthest));
        reached_.assign(static_cast<std::size_t>(2 * farthest + 2), 0);
        trace_.clear();
        for (std::ptrdiff_t distance = 0; distance <= farthest; ++distance) {
            for (std::ptrdiff_t diagonal = -distance; diagonal <= distance; diagonal += 2) {
                std::ptrdiff_t i = step_onto(diagonal, distance);
                std::ptrdiff_t j = i - diagonal;
                for (; i < base_size && j < other_size && is_equal(range, i, j); ++i, ++j) {
                    if (!spend()) return;
                }
                if (!spend()) return;
                reached(diagonal) = i;
                if (i < base_size || j < other_size) continue;
                match_back(range, distance, i, j);
                return;
            }
            std::vector<std::ptrdiff_t> row;
            row.reserve(static_cast<std::size_t>(distance + 1));
            for (std::ptrdiff_t diagonal = -distance; diagonal <= distance; diagonal += 2)
                row.push_back(reached(diagonal));
            trace_.push_back(std::move(row));
        }
    }

    /// Where a walk of so many steps comes onto a diagonal, from the neighbour that is farther.
    std::ptrdiff_t step_onto(std::ptrdiff_t diagonal, std::ptrdiff_t distance) {
        if (distance == 0) return 0;
        return comes_from_above(diagonal, distance) ? reached(diagonal + 1)
                                                    : reached(diagonal - 1) + 1;
    }

    bool comes_from_above(std::ptrdiff_t diagonal, std::ptrdiff_t distance) {
        return diagonal == -distance ||
               (diagonal != distance && reached(diagonal - 1) < reached(diagonal + 1));
    }

    /// The walk in reverse, from its end: what it passed by equal lines is matched.
    void match_back(const Range& range, std::ptrdiff_t distance, std::ptrdiff_t i,
                    std::ptrdiff_t j) {
        for (; distance > 0; --distance) {
            const std::vector<std::ptrdiff_t>& row = trace_[static_cast<std::size_t>(distance - 1)];
            for (std::ptrdiff_t k = 0; k < distance; ++k)
                reached(2 * k - distance + 1) = row[static_cast<std::size_t>(k)];
            const std::ptrdiff_t diagonal = i - j;
            const std::ptrdiff_t from =
                comes_from_above(diagonal, distance) ? diagonal + 1 : diagonal - 1;
            const std::ptrdiff_t from_i = reached(from);
            match_diagonal(range, i, j, from < diagonal ? from_i + 1 : from_i);
            i = from_i;
            j = from_i - from;
        }
        match_diagonal(range, i, j, 0);
    }

    void match_diagonal(const Range& range, std::ptrdiff_t i, std::ptrdiff_t j,
                        std::ptrdiff_t down_to) {
        while (i > down_to) {
            --i;
            --j;
            match_[range.base_begin + static_cast<std::size_t>(i)] =
                range.begin + static_cast<std::size_t>(j);
        }
    }

    bool is_equal(const Range& range, std::ptrdiff_t i, std::ptrdiff_t j) const {
        return base_[range.base_begin + static_cast<std::size_t>(i)] ==
               other_[range.begin + static_cast<std::size_t>(j)];
    }

    bool spend() {
        if (steps_ == 0) return false;
        --steps_;
        return true;
    }

    /// Odd and even diagonals are reached in turn, so that one array has both.
    std::ptrdiff_t& reached(std::ptrdiff_t diagonal) {
        const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(reached_.size());
        return reached_[static_cast<std::size_t>((diagonal + size) % size)];
    }

    const TextLines& base_;
    const TextLines& other_;
    std::size_t& steps_;
    std::vector<std::size_t> match_;
    std::vector<Seen> seen_;
    std::vector<std::ptrdiff_t> reached_;
    std::vector<std::vector<std::ptrdiff_t>> trace_;
};

}  // namespace

std::vector<ChangedLines> changed_lines(const TextLines& base, const TextLines& other,
                                        std::size_t distinct, std::size_t& steps) {
    return LineMatcher(base, other, distinct, steps).changes();
}

}  // namespace stele::nodes
