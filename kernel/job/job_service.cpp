#include "kernel/job/job_service.hpp"

#include <algorithm>
#include <utility>

#include "kernel/job/job_record.hpp"

namespace stele::kernel::job {

using sdk::Json;
using sdk::Result;

JobService::JobService(sdk::Engine& engine, JobRunnerOptions options)
    : engine_(engine), runner_(engine, std::move(options)) {}

Result<bool> JobService::forget_platform(sdk::Context& context) {
    constexpr int kForgottenAtOnce = 200;
    const auto forgotten =
        store_.forget_platform(context.transaction(), context.platform().number, kForgottenAtOnce);
    if (!forgotten) return forgotten.error();
    return *forgotten < kForgottenAtOnce;
}

void JobService::define(sdk::JobType type) {
    runner_.define(std::move(type));
}

Result<std::string> JobService::start(sdk::Context& context, const sdk::NewJob& job) {
    const sdk::JobType* type = runner_.find_type(job.type);
    if (type == nullptr) {
        return sdk::make_error(sdk::ErrorKind::invalid, "job.type_unknown",
                               "There are no jobs of type '" + job.type + "'.");
    }
    const std::int64_t now = runner_.now();
    JobRecord record;
    record.id = new_job_id(now);
    record.type = job.type;
    record.lane = type->lane;
    record.platform = context.platform();
    record.run_as = context.principal();
    record.priority = job.priority;
    record.most_attempts = std::max(type->attempts, 1);
    record.due_ms = job.start_ms;
    record.input = job.input;
    record.hidden = job.hidden;
    if (!job.secret.empty()) record.sealed_secret = runner_.sealer().seal(job.secret);
    record.result = job.result;
    record.shown_as = type->shown_as;
    if (auto stored = store_.insert(context.transaction(), record, now); !stored) {
        return stored.error();
    }
    return record.id;
}

Result<Json> JobService::read(sdk::Context& context, std::string_view id) {
    const auto record = store_.read(context.transaction(), context.platform().number, id);
    if (!record) return record.error();
    return job_json(*record);
}

Result<void> JobService::for_each(sdk::Context& context, const std::vector<sdk::JobState>& states,
                                  const std::function<bool(const Json& job)>& visit) {
    return store_.for_each(context.transaction(), context.platform().number, states,
                           [&](const JobRecord& record) { return visit(job_json(record)); });
}

Result<void> JobService::kill(sdk::Context& context, std::string_view id) {
    return store_.kill(context.transaction(), context.platform().number, id,
                       context.principal().name, runner_.now());
}

Result<Json> JobService::wait(const sdk::PlatformScope& platform, std::string_view id,
                              std::chrono::milliseconds patience) {
    using std::chrono::milliseconds;
    using Clock = std::chrono::steady_clock;
    // A job that another server runs ends without a signal here.
    constexpr milliseconds kMaxNap{500};
    const auto deadline = Clock::now() + patience;
    while (true) {
        const std::uint64_t generation = runner_.signals().generation();
        const auto record = store_.read(*engine_.snapshot(), platform.number, id);
        if (!record) return record.error();
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
        if (record->has_ended() || left <= milliseconds(0)) return job_json(*record);
        runner_.signals().wait_for_change(generation, std::min(left, kMaxNap));
    }
}

}  // namespace stele::kernel::job
