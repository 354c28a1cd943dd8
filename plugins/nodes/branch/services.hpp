#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/collection_indexes.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/record_lists.hpp>
#include <stele/sdk/services/row_query.hpp>

#include "branch/branch_store.hpp"
#include "version/tip_cache.hpp"

namespace stele::nodes {

inline constexpr std::size_t kMaxStatisticsBytes = std::size_t{16} << 20;

/// What the operations of this plugin work with. Lives until the process ends.
struct Services {
    sdk::Registrar& registrar;
    sdk::RowQuery& rows;
    sdk::RecordLists& lists;
    sdk::PrincipalDirectory& principals;
    sdk::Jobs& jobs;
    sdk::CollectionIndexes& indexes;
    BranchStore branches = {};
    /// Of nodes, as JSON text.
    TipCache<std::string> statistics{kMaxStatisticsBytes};
};

/// A family of this plugin: its operations are functions of the services and the call.
class ContentFamily : public sdk::Resource {
public:
    explicit ContentFamily(Services& services) : services_(services) {}
    Services& services() const { return services_; }

private:
    Services& services_;
};

/// Binds such a function to an action.
template <auto Function>
std::function<sdk::Result<sdk::Reply>(sdk::Resource&, const sdk::Call&)> operation() {
    return [](sdk::Resource& family, const sdk::Call& call) {
        return Function(static_cast<ContentFamily&>(family).services(), call);
    };
}

}  // namespace stele::nodes
