#include "kernel/resource/work/store_numbers.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "kernel/resource/work/withheld_members.hpp"

namespace stele::kernel::resource {

namespace {

constexpr std::array<std::string_view, 4> kNumbers{"size", "objectcount", "statisticsDate",
                                                   "statisticsDirty"};

}  // namespace

bool has_store_numbers(const RegisteredResource& resource) {
    return resource.descriptor.capabilities.data_store;
}

sdk::Result<bool> may_know_numbers(Services& services, const sdk::Session& session,
                                   const sdk::Reader& reader, const sdk::RecordKey& store) {
    if (session.is_system) return true;
    return services.authorities.reads_inside(reader, session.principal.key, store);
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
    if (!asks_for_members({kNumbers.begin(), kNumbers.end()}, condition, page)) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "query.member_withheld",
                           "how much data stores hold can be asked for by callers who may read all "
                           "data stores and what is in them");
}

}  // namespace stele::kernel::resource
