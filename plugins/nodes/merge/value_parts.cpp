#include "merge/value_parts.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "merge/value_path.hpp"

namespace stele::nodes {

namespace {

/// Up to so many, parts are found fast enough one after another.
constexpr std::size_t kFewParts = 16;

Parts members_of(const sdk::Json* object) {
    Parts parts;
    if (object == nullptr) return parts;
    for (auto member = object->begin(); member != object->end(); ++member)
        parts.add(member.key(), *member);
    parts.index();
    return parts;
}

/// False where the member does not tell all elements apart.
bool take_apart(const sdk::Json* array, const char* identity, std::vector<std::string>& ids,
                Parts& parts) {
    if (array == nullptr) return true;
    ids.reserve(array->size());
    for (const sdk::Json& element : *array) {
        if (!element.is_object()) return false;
        ids.push_back(identity_of(element, identity));
        if (ids.back().empty()) return false;
    }
    for (std::size_t i = 0; i < ids.size(); ++i)
        parts.add(ids[i], (*array)[i]);
    return parts.index();
}

/// Empty where the object is none that names something elsewhere.
std::string_view reference_of(const sdk::Json& object) {
    const auto found = object.find("ref");
    if (found == object.end() || !found->is_string()) return {};
    const std::string_view reference = found->get_ref<const std::string&>();
    return reference.find("://") == std::string_view::npos ? std::string_view() : reference;
}

}  // namespace

void Parts::add(std::string_view name, const sdk::Json& value) {
    names_.push_back(name);
    values_.push_back(&value);
}

bool Parts::index() {
    if (names_.size() <= kFewParts) {
        for (auto name = names_.begin(); name != names_.end(); ++name) {
            if (std::find(names_.begin(), name, *name) != name) return false;
        }
        return true;
    }
    by_name_.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i)
        by_name_.emplace(names_[i], values_[i]);
    return by_name_.size() == names_.size();
}

const sdk::Json* Parts::find(std::string_view name) const {
    if (names_.size() <= kFewParts) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end()) return nullptr;
        return values_[static_cast<std::size_t>(found - names_.begin())];
    }
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

Versions PartVersions::of(std::string_view name) const {
    return {base.find(name), source.find(name), target.find(name)};
}

PartVersions members_of(const Versions& objects) {
    return {members_of(objects.base), members_of(objects.source), members_of(objects.target)};
}

std::optional<ArrayParts> elements_of(const Versions& arrays) {
    for (const char* const identity : kIdentities) {
        ArrayParts found;
        found.identity = identity;
        if (take_apart(arrays.base, identity, found.ids[0], found.parts.base) &&
            take_apart(arrays.source, identity, found.ids[1], found.parts.source) &&
            take_apart(arrays.target, identity, found.ids[2], found.parts.target))
            return found;
    }
    return std::nullopt;
}

bool name_the_same(const Versions& objects) {
    const std::string_view reference = reference_of(*objects.target);
    for (const sdk::Json* const object : objects.all()) {
        if (object != nullptr && reference_of(*object) != reference) return false;
    }
    return true;
}

}  // namespace stele::nodes
