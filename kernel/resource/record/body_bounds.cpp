#include "kernel/resource/record/body_bounds.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

namespace {

sdk::Violation too_many_inside(const std::string& path) {
    const std::string member = path.substr(0, path.find('.'));
    return {member, "request.too_many_entries",
            fmt::format("the arrays inside {} must have at most {} entries together", member,
                        kMaxInnerEntries)};
}

const sdk::Bound* find_bound(const sdk::Bounds& bounds, std::string_view member) {
    const auto found = std::find_if(bounds.begin(), bounds.end(), [member](const sdk::Bound& each) {
        return each.member == member;
    });
    return found == bounds.end() ? nullptr : &*found;
}

/// `left` is how many entries may follow in the same member.
sdk::Result<void> check_entries(const sdk::Json& value, const std::string& path, std::size_t& left);

/// What lies in a value, each with the bound of what nobody declares.
sdk::Result<void> check_inside(const sdk::Json& value, const std::string& path, std::size_t& left) {
    const std::string prefix = path.empty() ? path : path + ".";
    std::size_t number = 0;
    for (auto member = value.begin(); member != value.end(); ++member, ++number) {
        if (!member->is_structured()) continue;
        const std::string name = value.is_object() ? member.key() : std::to_string(number);
        auto checked = check_entries(*member, prefix + name, left);
        if (!checked) return checked;
    }
    return {};
}

sdk::Result<void> check_entries(const sdk::Json& value, const std::string& path,
                                std::size_t& left) {
    constexpr std::size_t kMax = sdk::kMaxBodyEntries;
    if (value.size() > kMax) return sdk::make_error({too_many_entries(path, kMax)});
    if (value.is_array()) {
        if (value.size() > left) return sdk::make_error({too_many_inside(path)});
        left -= value.size();
    }
    return check_inside(value, path, left);
}

/// The place of the first object that is too large; nothing where there is none.
std::optional<std::string> find_wide_object(const sdk::Json& value) {
    if (!value.is_structured()) return std::nullopt;
    if (value.is_object() && value.size() > kMaxMembers) return std::string();
    std::size_t number = 0;
    for (auto member = value.begin(); member != value.end(); ++member, ++number) {
        auto found = find_wide_object(*member);
        if (!found) continue;
        const std::string name = value.is_object() ? member.key() : std::to_string(number);
        return found->empty() ? name : name + "." + *found;
    }
    return std::nullopt;
}

/// The place of the first member with too long a name; nothing where there is none.
std::optional<std::string> find_long_name(const sdk::Json& value) {
    if (!value.is_structured()) return std::nullopt;
    std::size_t number = 0;
    for (auto member = value.begin(); member != value.end(); ++member, ++number) {
        const bool is_long = value.is_object() && member.key().size() > kMaxNameBytes;
        auto found = is_long ? std::optional(std::string()) : find_long_name(*member);
        if (!found) continue;
        std::string name = value.is_object() ? member.key() : std::to_string(number);
        if (!is_long) name.append(1, '.').append(*found);
        return name;
    }
    return std::nullopt;
}

}  // namespace

sdk::Result<void> check_names(const sdk::Json& fields) {
    for (const auto& [name, value] : fields.items()) {
        if (name == "_system") continue;
        const bool is_long = name.size() > kMaxNameBytes;
        const auto found = is_long ? std::optional(std::string()) : find_long_name(value);
        if (!found) continue;
        return sdk::make_error(
            {{is_long ? name : name + "." + *found, "field.name_too_long",
              fmt::format("the name of a member must have at most {} bytes", kMaxNameBytes)}});
    }
    return {};
}

sdk::Violation too_many_members(std::string_view object) {
    const std::string_view name = object.empty() ? std::string_view("body") : object;
    return {
        std::string(name), "request.too_many_members",
        fmt::format("{}, and each object in it, must have at most {} members", name, kMaxMembers)};
}

sdk::Result<void> check_members(const sdk::Json& body) {
    if (const auto found = find_wide_object(body))
        return sdk::make_error({too_many_members(*found)});
    return {};
}

sdk::Violation too_many_entries(std::string_view member, std::size_t most) {
    const std::string_view name = member.empty() ? std::string_view("body") : member;
    return {std::string(name), "request.too_many_entries",
            fmt::format("{} must have at most {} entries", name, most)};
}

sdk::Result<void> check_bounds(const sdk::Json& body, sdk::BodyUse use, const sdk::Bounds& bounds) {
    const bool is_open = use != sdk::BodyUse::parameters;
    const auto check = [&](const sdk::Json& value, const std::string& name) -> sdk::Result<void> {
        if (!value.is_structured()) return {};
        const sdk::Bound* const bound = find_bound(bounds, name);
        if (!bound && is_open) return {};
        const std::size_t most = bound ? bound->most : sdk::kMaxBodyEntries;
        if (value.size() > most) return sdk::make_error({too_many_entries(name, most)});
        const bool ends_here = is_open || (bound && bound->holds_records);
        std::size_t left = kMaxInnerEntries;
        return ends_here ? sdk::Result<void>() : check_inside(value, name, left);
    };
    if (!body.is_object()) return check(body, "");
    for (const auto& [name, value] : body.items()) {
        if (auto checked = check(value, name); !checked) return checked;
    }
    return {};
}

}  // namespace stele::kernel::resource
