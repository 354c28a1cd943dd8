#pragma once

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/jobs.hpp>

#include "kernel/job/job_runner.hpp"
#include "kernel/job/job_store.hpp"

namespace stele::kernel::job {

/// The jobs of all platforms of a store, as plugins use them. Made before plugins are opened;
/// `start_running` once they all are.
class JobService final : public sdk::Jobs {
public:
    /// `engine` must outlive it.
    JobService(sdk::Engine& engine, JobRunnerOptions options);

    void start_running() { runner_.start(); }
    /// Part of the server's orderly end; see `JobRunner::stop`.
    void stop() { runner_.stop(); }
    /// Forgets some jobs of the context's platform, which was removed; true when none are left.
    sdk::Result<bool> forget_platform(sdk::Context& context);

    void define(sdk::JobType type) override;
    sdk::Result<std::string> start(sdk::Context& context, const sdk::NewJob& job) override;
    sdk::Result<sdk::Json> read(sdk::Context& context, std::string_view id) override;
    sdk::Result<void> for_each(sdk::Context& context, const std::vector<sdk::JobState>& states,
                               const std::function<bool(const sdk::Json& job)>& visit) override;
    sdk::Result<void> kill(sdk::Context& context, std::string_view id) override;
    sdk::Result<sdk::Json> wait(const sdk::PlatformScope& platform, std::string_view id,
                                std::chrono::milliseconds patience) override;

private:
    sdk::Engine& engine_;
    JobStore store_;
    JobRunner runner_;
};

}  // namespace stele::kernel::job
