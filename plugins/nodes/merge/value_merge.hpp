#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "merge/text_merge.hpp"

namespace stele::nodes {

enum class Side : std::uint8_t { source, target };

enum class ValueConflictKind : std::uint8_t {
    /// Both changed a value, to different ones.
    both_changed,
    /// Both made a value where the base has none, different ones.
    both_added,
    /// The source removed what the target changed.
    removed_on_source,
    /// The target removed what the source changed.
    removed_on_target,
    /// Both changed the same lines of a text, or lines beside one another.
    text_overlaps,
    /// The whole value, at the path "": there would be more conflicts than the bounds allow.
    too_many,
};
/// `bothChanged`, `bothAdded`, `removedOnSource`, `removedOnTarget`, `textOverlaps`, `tooMany`.
std::string_view value_conflict_name(ValueConflictKind kind);

struct ValueConflict {
    /// A JSON pointer. An element of an array that is merged by elements is a step of the member
    /// that tells it apart and what that says, as in `/items/_key=a7/title`, so that the path is
    /// the same in all versions and later ones; `find_value` (merge/value_path.hpp) follows it. ""
    /// is the whole value.
    std::string path;
    /// What the value is in each; nothing where it is not there.
    std::optional<sdk::Json> base;
    std::optional<sdk::Json> source;
    std::optional<sdk::Json> target;
    ValueConflictKind kind = ValueConflictKind::both_changed;
};

/// What a conflict is decided to: what a side has, or a value that was given.
struct ValueChoice {
    /// Of a side; that a side has no value removes it.
    ValueChoice(Side chosen) : side(chosen) {}
    explicit ValueChoice(sdk::Json given) : value(std::move(given)) {}

    Side side = Side::target;
    std::optional<sdk::Json> value;
};

/// Decides a conflict at once, or leaves it with nothing. A function that gives a `Side` or
/// `std::optional<Side>` is one, too.
using ValueChooser = std::function<std::optional<ValueChoice>(const ValueConflict&)>;

/// Beyond these a value is merged less finely; it takes about as long as the three are large.
struct ValueMergeBounds {
    /// Values deeper than that are one value each. What `sdk::parse_json` gives never is.
    std::size_t depth = 200;
    /// Arrays of more elements are one value each.
    std::size_t elements = 200'000;
    /// Conflicts, decided ones too, and bytes of their paths together.
    std::size_t conflicts = 10'000;
    std::size_t path_bytes = 4u << 20;
    /// Of one text each; the steps are those of all texts together.
    TextMergeBounds text;
};

struct ValueMergeOptions {
    /// Whether the text at a path is merged by lines. The path is that of conflicts without the
    /// steps of elements: `/items/body` for all that `/items/_key=a7/body` and its like name.
    std::function<bool(std::string_view path)> is_text_of_lines;
    ValueChooser choose;
    ValueMergeBounds bounds;
};

struct ValueMerge {
    /// Of a conflict that was left, the target's value.
    sdk::Json merged;
    /// Those that were left, in the order of the merged value.
    std::vector<ValueConflict> conflicts;
    /// Whether `merged` differs from the target, as `sdk::is_same_json` has it.
    bool changes_target = false;
};

/// What two sides made of a value, together; `base` is null where both made it.
///
/// Objects are merged by members. An array whose elements are objects that all versions tell apart
/// is merged by elements: by `_key`, else `id`, else `ref`; so that one side's additions, removals,
/// edits and moves hold beside the other's (`merge_order`). Anything else is one value, and so is
/// an object whose `ref` names something else in one version than in another. Of a value, what only
/// one side changed holds, and what both made alike; else it is a conflict. Values are the same as
/// `sdk::is_same_json` has it: 1 is 1.0, and the order of members is no difference. Any thread.
ValueMerge merge_values(const sdk::Json* base, const sdk::Json& source, const sdk::Json& target,
                        const ValueMergeOptions& options = {});

}  // namespace stele::nodes
