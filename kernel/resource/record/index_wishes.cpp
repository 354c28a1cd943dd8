#include "kernel/resource/record/index_wishes.hpp"

#include <fmt/format.h>

namespace stele::kernel::resource {

std::optional<std::string> IndexWishes::note(const std::string& list,
                                             const storage::WantedIndex& wanted,
                                             Clock::time_point now) {
    ++lists_;
    const std::string members = fmt::format("{}", fmt::join(wanted.members, ", "));
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(told_, [now](const auto& one) { return now - one.second >= kBetween; });
        if (told_.size() >= kMostTold || !told_.try_emplace(list + ": " + members, now).second)
            return std::nullopt;
    }
    return fmt::format(
        "{} looked at {} entries and records for {} rows; an index of these members "
        "would find them at once: {}",
        list, wanted.looked_at, wanted.rows, members);
}

std::string IndexWishes::metrics() const {
    return fmt::format(
        "# HELP stele_lists_wanting_index_total Lists of branches that an index would have made "
        "ten times cheaper.\n"
        "# TYPE stele_lists_wanting_index_total counter\n"
        "stele_lists_wanting_index_total {}\n",
        lists_.load());
}

}  // namespace stele::kernel::resource
