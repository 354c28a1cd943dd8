#pragma once

#include <map>
#include <string>
#include <vector>

#include <stele/sdk/services/upkeep.hpp>

namespace stele::kernel::resource {

/// What plugins have added; nothing is added once they are open.
class Upkeep final : public sdk::Upkeep {
public:
    void add(std::string store_type, Work work) override;
    std::vector<std::string> store_types() const override;
    sdk::Result<sdk::Json> run(sdk::Job& job, sdk::UpkeepKind kind, const std::string& store_type,
                               const sdk::RecordKey& store) const override;

private:
    std::map<std::string, std::vector<Work>> works_;
};

}  // namespace stele::kernel::resource
