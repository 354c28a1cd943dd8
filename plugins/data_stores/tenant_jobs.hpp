#pragma once

#include <string>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::data_stores {

/// Makes tenants behind their callers' backs.
class TenantJobs {
public:
    /// Both must outlive this object.
    TenantJobs(sdk::Jobs& jobs, sdk::Registrar& registrar);

    /// Starts a job that makes the tenant as the caller would have; the caller was checked. Answers
    /// the job's id.
    sdk::Result<std::string> start(sdk::Context& context, const std::string& registrar_id,
                                   const sdk::Json& tenant) const;
    sdk::Jobs& jobs() const { return jobs_; }

private:
    sdk::Jobs& jobs_;
};

}  // namespace stele::data_stores
