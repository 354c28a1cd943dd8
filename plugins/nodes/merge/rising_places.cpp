#include "merge/rising_places.hpp"

#include <algorithm>

namespace stele::nodes {

std::vector<std::size_t> longest_rising(const std::vector<std::size_t>& places) {
    // Of each length, the index at which a subsequence can end lowest.
    std::vector<std::size_t> ends;
    std::vector<std::size_t> previous(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto end = std::lower_bound(
            ends.begin(), ends.end(), places[i],
            [&places](std::size_t index, std::size_t place) { return places[index] < place; });
        if (end != ends.begin()) previous[i] = *std::prev(end);
        if (end == ends.end()) {
            ends.push_back(i);
        } else {
            *end = i;
        }
    }
    std::vector<std::size_t> rising(ends.size());
    for (std::size_t length = ends.size(), at = ends.empty() ? 0 : ends.back(); length-- > 0;) {
        rising[length] = at;
        at = previous[at];
    }
    return rising;
}

}  // namespace stele::nodes
