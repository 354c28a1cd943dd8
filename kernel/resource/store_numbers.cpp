#include "kernel/resource/store_numbers.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

namespace {

constexpr std::array<std::string_view, 4> kNumbers{"size", "objectcount", "statisticsDate",
                                                   "statisticsDirty"};

bool is_number_path(std::string_view path) {
    const std::string_view member = path.substr(0, path.find('.'));
    return std::find(kNumbers.begin(), kNumbers.end(), member) != kNumbers.end();
}

/// Operators that stand where fields do hold conditions themselves.
bool asks_for_numbers(const sdk::Json& condition) {
    if (condition.is_array())
        return std::any_of(condition.begin(), condition.end(), &asks_for_numbers);
    if (!condition.is_object()) return false;
    for (const auto& [name, value] : condition.items()) {
        if (name.starts_with('$') ? asks_for_numbers(value) : is_number_path(name)) return true;
    }
    return false;
}

}  // namespace

bool has_store_numbers(const RegisteredResource& resource) {
    return resource.descriptor.capabilities.data_store;
}

sdk::Result<bool> may_know_numbers(Rooms& rooms, const sdk::Session& session,
                                   const sdk::Reader& reader, const sdk::RecordKey& store) {
    if (session.is_system) return true;
    return rooms.authorities.reads_inside(reader, session.principal.key, store);
}

void withhold_numbers(sdk::Json& fields) {
    for (const std::string_view name : kNumbers)
        fields.erase(std::string(name));
}

sdk::Result<std::string> without_numbers(std::string_view text) {
    auto fields = sdk::parse_json(text, {.depth = 200});
    if (!fields) return fields.error();
    withhold_numbers(*fields);
    return sdk::dump_json(*fields);
}

sdk::Result<void> check_asks_no_numbers(const sdk::Json& condition, const sdk::PageRequest& page) {
    const bool is_sorted_by =
        std::any_of(page.sort.begin(), page.sort.end(),
                    [](const sdk::SortKey& key) { return is_number_path(key.field); });
    if (!is_sorted_by && !asks_for_numbers(condition)) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "query.member_withheld",
                           "how much data stores hold can be asked for by callers who may read all "
                           "data stores and what is in them");
}

}  // namespace stele::kernel::resource
