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

/// How imports are written (docs/decisions/0151-imports-of-large-branches.md).
struct ImportBounds {
    /// Most that one import brings, each node and association once, where its transaction is held
    /// in memory, and where what it writes goes into the store meanwhile (`may_load`).
    std::size_t most_held = 100'000;
    std::size_t most_loaded = 3'000'000;
    /// What is held where that is no more than so many.
    std::size_t few = 1000;
    /// The same of what they say, as JSON text.
    std::uint64_t most_held_bytes = std::uint64_t{256} << 20;
    std::uint64_t few_bytes = std::uint64_t{4} << 20;
    /// How often others may write to the branch while something is loaded into it; what may be held
    /// is then, which bears with those who write elsewhere on the branch.
    std::size_t loads_of_held = 3;
    std::size_t loads = 8;
};

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
    /// Tests have others.
    ImportBounds import_bounds = {};
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
