#include "kernel/config/nearest_name.hpp"

#include <algorithm>
#include <limits>

namespace stele::kernel::config {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Rows of the table of distances between the beginnings of both texts.
    std::vector<std::size_t> above_previous(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        current[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(above_previous, previous);
        std::swap(previous, current);
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
            const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap) current[j] = std::min(current[j], above_previous[j - 2] + 1);
        }
    }
    return current[b.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    std::string nearest;
    std::size_t smallest = std::numeric_limits<std::size_t>::max();
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < smallest) {
            smallest = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace stele::kernel::config
