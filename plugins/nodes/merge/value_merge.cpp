#include "merge/value_merge.hpp"

#include <algorithm>
#include <unordered_map>

#include <stele/sdk/json_difference.hpp>

#include "merge/element_order.hpp"
#include "merge/value_parts.hpp"
#include "merge/value_path.hpp"

namespace stele::nodes {

namespace {

using sdk::Json;

bool is_same(const Json& one, const Json& other) {
    return one.is_structured() ? sdk::is_same_json(one, other) : one == other;
}

std::optional<Json> copy_of(const Json* value) {
    return value == nullptr ? std::nullopt : std::optional<Json>(*value);
}

template <class Test>
bool all_present(const Versions& versions, Test test) {
    const auto all = versions.all();
    return std::all_of(all.begin(), all.end(),
                       [&](const Json* value) { return value == nullptr || test(*value); });
}

/// A part that is in the merged value.
struct MergedPart {
    std::string_view name;
    Json value;
};

/// In the order that both sides made of them.
std::vector<MergedPart> in_order(std::vector<MergedPart> merged, const PartVersions& parts) {
    // The parts are looked at in the target's order.
    if (parts.source.names() == parts.target.names()) return merged;
    std::unordered_map<std::string_view, Json*> by_name;
    by_name.reserve(merged.size());
    for (MergedPart& part : merged)
        by_name.emplace(part.name, &part.value);
    const auto order = merge_order(parts.base.names(), parts.source.names(), parts.target.names(),
                                   [&](std::string_view name) { return by_name.contains(name); });
    std::vector<MergedPart> ordered;
    ordered.reserve(merged.size());
    for (const std::string_view name : order)
        ordered.push_back({name, std::move(*by_name.at(name))});
    return ordered;
}

/// Walks through the three versions at once, through each value once. A merged value that is
/// nothing is one that is not there.
class ValueMerger {
public:
    explicit ValueMerger(const ValueMergeOptions& options)
        : options_(options), text_left_(options.bounds.text) {}

    ValueMerge merge(const Versions& whole) {
        auto merged = merge_value(whole, 0);
        if (is_exceeded_) {
            left_.clear();
            merged = decide(ValueConflictKind::too_many, whole);
        }
        ValueMerge result{.merged = merged ? std::move(*merged) : *whole.target,
                          .conflicts = std::move(left_)};
        result.changes_target = !is_same(result.merged, *whole.target);
        return result;
    }

private:
    using Merged = std::optional<Json>;

    Merged merge_value(const Versions& versions, std::size_t depth) {
        if (versions.source == nullptr || versions.target == nullptr)
            return merge_missing(versions);
        if (depth < options_.bounds.depth) {
            if (is_object_of_members(versions, depth)) return merge_objects(versions, depth);
            if (is_array_in_bounds(versions)) {
                if (const auto elements = elements_of(versions))
                    return merge_elements(*elements, depth);
            }
        }
        return merge_whole(versions);
    }

    /// Where one side, or both, have no value.
    Merged merge_missing(const Versions& versions) {
        const Json* const there = versions.source == nullptr ? versions.target : versions.source;
        if (there == nullptr) return std::nullopt;
        if (versions.base == nullptr) return *there;
        if (is_same(*versions.base, *there)) return std::nullopt;
        return conflict(versions.source == nullptr ? ValueConflictKind::removed_on_source
                                                   : ValueConflictKind::removed_on_target,
                        versions);
    }

    static bool is_object_of_members(const Versions& versions, std::size_t depth) {
        return all_present(versions, [](const Json& value) { return value.is_object(); }) &&
               (depth == 0 || name_the_same(versions));
    }

    bool is_array_in_bounds(const Versions& versions) const {
        return all_present(versions, [this](const Json& value) {
            return value.is_array() && value.size() <= options_.bounds.elements;
        });
    }

    Merged merge_objects(const Versions& objects, std::size_t depth) {
        const PartVersions members = members_of(objects);
        auto merged = merge_parts(members, [&](std::string_view name) {
            return path_.at_member(name, [&] { return merge_value(members.of(name), depth + 1); });
        });
        Json object = Json::object();
        // Not by `Json`, which looks for each name among those before.
        auto& entries = object.get_ref<Json::object_t&>();
        entries.reserve(merged.size());
        for (MergedPart& member : merged)
            entries.emplace_back(std::string(member.name), std::move(member.value));
        return object;
    }

    Merged merge_elements(const ArrayParts& elements, std::size_t depth) {
        auto merged = merge_parts(elements.parts, [&](std::string_view id) {
            return path_.at_element(elements.identity, id,
                                    [&] { return merge_value(elements.parts.of(id), depth + 1); });
        });
        Json array = Json::array();
        for (MergedPart& element : merged)
            array.push_back(std::move(element.value));
        return array;
    }

    template <class MergePart>
    std::vector<MergedPart> merge_parts(const PartVersions& parts, MergePart merge_part) {
        std::vector<MergedPart> merged;
        const auto add = [&](std::string_view name) {
            if (is_exceeded_) return;
            if (Merged value = merge_part(name)) merged.push_back({name, std::move(*value)});
        };
        for (const std::string_view name : parts.target.names())
            add(name);
        for (const std::string_view name : parts.source.names()) {
            if (parts.target.find(name) == nullptr) add(name);
        }
        return in_order(std::move(merged), parts);
    }

    Merged merge_whole(const Versions& versions) {
        const auto& [base, source, target] = versions;
        if (base != nullptr && is_same(*base, *source)) return *target;
        if (base != nullptr && is_same(*base, *target)) return *source;
        if (is_same(*source, *target)) return *target;
        if (base == nullptr) return conflict(ValueConflictKind::both_added, versions);
        if (!is_text_of_lines(versions)) return conflict(ValueConflictKind::both_changed, versions);
        auto text =
            merge_texts(base->get_ref<const std::string&>(), source->get_ref<const std::string&>(),
                        target->get_ref<const std::string&>(), text_left_);
        if (!text) return conflict(ValueConflictKind::text_overlaps, versions);
        return Json(std::move(*text));
    }

    bool is_text_of_lines(const Versions& versions) const {
        return options_.is_text_of_lines &&
               all_present(versions, [](const Json& value) { return value.is_string(); }) &&
               options_.is_text_of_lines(path_.names());
    }

    Merged conflict(ValueConflictKind kind, const Versions& versions) {
        path_bytes_ += path_.text().size();
        is_exceeded_ = is_exceeded_ || ++conflicts_ > options_.bounds.conflicts ||
                       path_bytes_ > options_.bounds.path_bytes;
        if (is_exceeded_) return std::nullopt;
        return decide(kind, versions);
    }

    Merged decide(ValueConflictKind kind, const Versions& versions) {
        ValueConflict conflict{.path = path_.text(),
                               .base = copy_of(versions.base),
                               .source = copy_of(versions.source),
                               .target = copy_of(versions.target),
                               .kind = kind};
        auto choice = options_.choose ? options_.choose(conflict) : std::nullopt;
        if (!choice) {
            left_.push_back(std::move(conflict));
            return copy_of(versions.target);
        }
        if (choice->value) return std::move(choice->value);
        return copy_of(choice->side == Side::source ? versions.source : versions.target);
    }

    const ValueMergeOptions& options_;
    TextMergeBounds text_left_;
    ValuePath path_;
    std::vector<ValueConflict> left_;
    std::size_t conflicts_ = 0;
    std::size_t path_bytes_ = 0;
    bool is_exceeded_ = false;
};

}  // namespace

std::string_view value_conflict_name(ValueConflictKind kind) {
    switch (kind) {
        case ValueConflictKind::both_changed:
            return "bothChanged";
        case ValueConflictKind::both_added:
            return "bothAdded";
        case ValueConflictKind::removed_on_source:
            return "removedOnSource";
        case ValueConflictKind::removed_on_target:
            return "removedOnTarget";
        case ValueConflictKind::text_overlaps:
            return "textOverlaps";
        case ValueConflictKind::too_many:
            return "tooMany";
    }
    return {};
}

ValueMerge merge_values(const sdk::Json* base, const sdk::Json& source, const sdk::Json& target,
                        const ValueMergeOptions& options) {
    return ValueMerger(options).merge({base, &source, &target});
}

}  // namespace stele::nodes
