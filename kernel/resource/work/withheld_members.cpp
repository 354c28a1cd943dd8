#include "kernel/resource/work/withheld_members.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

namespace {

bool is_one_of(const std::vector<std::string_view>& members, std::string_view path) {
    const std::string_view member = path.substr(0, path.find('.'));
    return std::find(members.begin(), members.end(), member) != members.end();
}

/// Operators that stand where fields do hold conditions themselves.
bool condition_asks_for(const std::vector<std::string_view>& members, const sdk::Json& condition) {
    const auto asks = [&members](const sdk::Json& part) {
        return condition_asks_for(members, part);
    };
    if (condition.is_array()) return std::any_of(condition.begin(), condition.end(), asks);
    if (!condition.is_object()) return false;
    for (const auto& [name, value] : condition.items()) {
        if (name.starts_with('$') ? asks(value) : is_one_of(members, name)) return true;
    }
    return false;
}

}  // namespace

std::vector<std::string_view> withheld_members(const RegisteredResource& resource) {
    std::vector<std::string_view> members;
    for (const sdk::Field& field : resource.descriptor.fields) {
        if (field.withheld) members.emplace_back(field.name);
    }
    return members;
}

void withhold_members(const RegisteredResource& resource, sdk::Json& fields) {
    for (const std::string_view name : withheld_members(resource))
        fields.erase(std::string(name));
}

bool asks_for_members(const std::vector<std::string_view>& members, const sdk::Json& condition,
                      const sdk::PageRequest& page) {
    const bool is_sorted_by =
        std::any_of(page.sort.begin(), page.sort.end(),
                    [&members](const sdk::SortKey& key) { return is_one_of(members, key.field); });
    return is_sorted_by || condition_asks_for(members, condition);
}

sdk::Result<void> check_asks_nothing_withheld(const RegisteredResource& resource,
                                              const sdk::Json& condition,
                                              const sdk::PageRequest& page) {
    const std::vector<std::string_view> members = withheld_members(resource);
    if (members.empty() || !asks_for_members(members, condition, page)) return {};
    std::string names;
    for (const std::string_view name : members)
        names.append(names.empty() ? "" : ", ").append(name);
    return sdk::make_error(sdk::ErrorKind::forbidden, "query.member_withheld",
                           "no condition and no order can ask for " + names);
}

}  // namespace stele::kernel::resource
