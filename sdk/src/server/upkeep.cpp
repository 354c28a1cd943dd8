#include <stele/sdk/services/upkeep.hpp>

#include <nlohmann/json.hpp>

namespace stele::sdk {

Upkeep::~Upkeep() = default;

void add_counts(Json& sum, const Json& counts) {
    for (const auto& [name, count] : counts.items()) {
        if (!count.is_number_unsigned() && !count.is_number_integer()) continue;
        const auto before = sum.find(name);
        const std::int64_t so_far = before == sum.end() ? 0 : before->get<std::int64_t>();
        sum[name] = so_far + count.get<std::int64_t>();
    }
}

}  // namespace stele::sdk
