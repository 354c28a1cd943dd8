#pragma once

#include <string>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/services/upkeep.hpp>

namespace stele::platform {

/// Of operations that start a job: whether their reply waits for its end.
inline sdk::Parameter schedule_parameter() {
    return {"schedule", false, sdk::FieldKind::text, {"ASYNCHRONOUS", "SYNCHRONOUS"}};
}

/// Keeps many data stores in order: those of the platform, or those of a project's stack, one after
/// the other in a job (docs/reference/platform.md, Upkeep). What is done to a store, the plugins
/// that know it say.
class UpkeepJobs {
public:
    /// All must outlive it.
    UpkeepJobs(sdk::Jobs& jobs, sdk::Registrar& registrar, sdk::Upkeep& upkeep);

    /// POST /admin/index and /admin/repair, for whoever holds everything on the platform.
    sdk::Result<sdk::Reply> index_platform(const sdk::Call& call) const;
    sdk::Result<sdk::Reply> repair_platform(const sdk::Call& call) const;
    /// POST {project}/admin/maintenance: both, for whoever holds everything in these stores.
    sdk::Result<sdk::Reply> maintain_project(const sdk::Call& call) const;

private:
    struct Store;
    using Stores = std::vector<Store>;

    sdk::Result<sdk::Reply> start_on_platform(const sdk::Call& call, const char* type) const;
    sdk::Result<Stores> stores_of_platform(sdk::Context& context) const;
    sdk::Result<Stores> stores_of_project(sdk::Context& context, const std::string& project) const;
    sdk::Result<Stores> stores_of_job(const sdk::Job& job) const;
    sdk::Result<sdk::Json> run(sdk::Job& job, const std::vector<sdk::UpkeepKind>& kinds) const;

    sdk::Jobs& jobs_;
    sdk::Registrar& registrar_;
    sdk::Upkeep& upkeep_;
};

}  // namespace stele::platform
