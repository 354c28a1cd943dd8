#include <stele/sdk/services/jobs.hpp>

#include <stele/sdk/letter_case.hpp>

namespace stele::sdk {

Job::~Job() = default;
Jobs::~Jobs() = default;

std::string_view job_state_name(JobState state) {
    switch (state) {
        case JobState::none:
            return "NONE";
        case JobState::waiting:
            return "WAITING";
        case JobState::running:
            return "RUNNING";
        case JobState::paused:
            return "PAUSED";
        case JobState::awaiting:
            return "AWAITING";
        case JobState::finished:
            return "FINISHED";
        case JobState::error:
            return "ERROR";
    }
    return "NONE";
}

Result<Reply> reply_of_started(Jobs& jobs, const Call& call, const std::string& id) {
    // Which words there are is looked at before an operation that declares it runs.
    const std::string schedule = call.parameter("schedule").value_or("");
    if (equals_ignoring_case(schedule, "synchronous") ||
        equals_ignoring_case(schedule, "\"synchronous\""))
        return reply_when_ended(jobs, call.context().platform(), id);
    auto job = jobs.read(call.context(), id);
    if (!job) return job.error();
    return Reply::status(*job);
}

Reply reply_when_ended(Jobs& jobs, const PlatformScope& platform, std::string id,
                       std::chrono::milliseconds patience) {
    // A body is only asked for after the commit, which is what the job waits for, too.
    const auto body = [&jobs, platform, id = std::move(id),
                       patience](std::string& out) -> Result<bool> {
        const Result<Json> job = jobs.wait(platform, id, patience);
        if (!job) return job.error();
        out += dump_json(*job);
        return false;
    };
    return Reply::stream(body, "application/json;charset=UTF-8");
}

}  // namespace stele::sdk
