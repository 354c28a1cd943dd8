#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::tests {

/// All that a branch holds, by id: what of nodes and associations is merged.
using WholeCopy = std::map<std::string, sdk::Json>;

/// Changesets as whole copies, with those that they come from.
class CopiedHistory {
public:
    using Number = std::size_t;
    using Set = std::set<Number>;

    /// After `former`, with what it has brought besides, all of it.
    Number add(std::optional<Number> former, Set brought, WholeCopy copy);
    const WholeCopy& copy(Number number) const { return commits_[number].copy; }

    /// The changeset with all that it comes from.
    Set ancestors(Number number) const;
    /// What is in both: the copy of the nearest, or what the nearest hold together.
    WholeCopy common_copy(const Set& one, const Set& other) const;

private:
    struct Commit {
        std::optional<Number> former;
        Set brought;
        WholeCopy copy;
    };
    std::vector<Commit> commits_;
};

/// What a merge makes of whole copies.
struct NaiveMerge {
    WholeCopy merged = {};
    std::size_t steps = 0;
    /// Kinds and ids; of names and circles only whether there are any.
    std::multiset<std::pair<std::string, std::string>> conflicts = {};
    bool has_namesakes = false;
    bool has_circle = false;

    /// Whether all that it asks is whose value of a member holds.
    bool asks_for_values() const {
        return !conflicts.empty() && !has_namesakes && !has_circle &&
               std::all_of(conflicts.begin(), conflicts.end(),
                           [](const auto& conflict) { return conflict.first == "value"; });
    }
    bool is_clean() const { return conflicts.empty() && !has_namesakes && !has_circle; }
};
/// Whose value holds where both have changed a member.
enum class Preference { none, source, target };
NaiveMerge merge_copies(const WholeCopy& base, const WholeCopy& source, const WholeCopy& target,
                        Preference preference = Preference::none);

}  // namespace stele::tests
