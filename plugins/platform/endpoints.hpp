#pragma once

namespace stele::sdk {
class Registrar;
class RowQuery;
}  // namespace stele::sdk

namespace stele::platform {

class JobOperations;
class LogOperations;
class ProjectJobs;
class ReferenceOperations;
class UpkeepJobs;

/// What works behind the endpoints; lives until the process ends.
struct EndpointWork {
    const ReferenceOperations& references;
    const JobOperations& jobs;
    const LogOperations& logs;
    const ProjectJobs& project_jobs;
    const UpkeepJobs& upkeep;
    sdk::RowQuery& rows;
};

/// Adds the operations that no family owns.
void add_endpoints(sdk::Registrar& registrar, const EndpointWork& work);

}  // namespace stele::platform
