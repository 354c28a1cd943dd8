#pragma once

#include <optional>

#include "kernel/audit/audit_log.hpp"
#include "kernel/config/settings.hpp"
#include "kernel/http/connection/server_options.hpp"
#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/http/log/access_log.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/job/job_runner.hpp"
#include "kernel/resource/upkeep/usage_counter.hpp"

namespace stele::kernel::instance {

/// The listener's options from the settings `server.*`.
sdk::Result<http::ServerOptions> read_server_options(const config::Settings& settings);

struct WorkerOptions {
    std::size_t threads = 0;
    std::size_t queue = 0;
};
sdk::Result<WorkerOptions> read_worker_options(const config::Settings& settings);

sdk::Result<http::LockPatience> read_lock_patience(const config::Settings& settings);

/// An empty target: no access log.
sdk::Result<http::AccessLog::Options> read_access_log_options(const config::Settings& settings);

sdk::Result<audit::AuditLogOptions> read_audit_log_options(const config::Settings& settings);

sdk::Result<http::RateLimits> read_rate_limits(const config::Settings& settings);

/// Nothing when usage is not counted.
sdk::Result<std::optional<resource::UsageCounter::Intervals>> read_usage_intervals(
    const config::Settings& settings);

sdk::Result<job::JobRunnerOptions> read_job_options(const config::Settings& settings);

}  // namespace stele::kernel::instance
