#include "kernel/resource/upkeep/upkeep.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

void Upkeep::add(std::string store_type, Work work) {
    works_[std::move(store_type)].push_back(std::move(work));
}

std::vector<std::string> Upkeep::store_types() const {
    std::vector<std::string> types;
    for (const auto& [type, works] : works_)
        types.push_back(type);
    return types;
}

sdk::Result<sdk::Json> Upkeep::run(sdk::Job& job, sdk::UpkeepKind kind,
                                   const std::string& store_type,
                                   const sdk::RecordKey& store) const {
    sdk::Json sum = sdk::Json::object();
    const auto works = works_.find(store_type);
    if (works == works_.end()) return sum;
    for (const Work& work : works->second) {
        auto counts = work(job, kind, store);
        if (!counts) return counts;
        sdk::add_counts(sum, *counts);
    }
    return sum;
}

}  // namespace stele::kernel::resource
