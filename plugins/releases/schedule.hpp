#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/context.hpp>

#include "services.hpp"

namespace stele::releases {

/// Starts a job in place of the one that a release has, which comes to the master at a time as
/// whoever acts; members that the release gets then.
sdk::Result<sdk::Json> start_job(const ReleaseServices& services, sdk::Context& context,
                                 const std::string& repository, const sdk::Document& release,
                                 std::int64_t start_ms);

/// The same, for the date of the release, with the work that says so (`ScheduledWork`). `invalid`
/// naming `releaseDate` where there is none.
sdk::Result<sdk::Json> schedule(const ReleaseServices& services, sdk::Context& context,
                                const std::string& repository, const sdk::Document& release);

/// Ends a job that waits or runs.
sdk::Result<void> kill_job(const ReleaseServices& services, sdk::Context& context,
                           const sdk::Json& release);

/// The same, and the work goes; members that the release gets then.
sdk::Result<sdk::Json> unschedule(const ReleaseServices& services, sdk::Context& context,
                                  const sdk::Json& release);

/// Members of a release without a schedule.
sdk::Json unscheduled_members();

/// What the work says of the job that a release has got by `start_job`.
sdk::Json work_members(const sdk::Json& scheduled, std::int64_t start_ms);

/// The state of a job as clients see it; `FINISHED` where it is forgotten.
sdk::Result<std::string> job_state(const ReleaseServices& services, sdk::Context& context,
                                   const std::string& job);

/// Whether a release will come: it is scheduled, and its job has not failed.
sdk::Result<bool> is_coming(const ReleaseServices& services, sdk::Context& context,
                            const sdk::Json& release);

}  // namespace stele::releases
