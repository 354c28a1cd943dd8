#include "request_state.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "vocabulary.hpp"

namespace stele::pull_requests {

sdk::Result<std::string> state_of(sdk::Jobs& jobs, sdk::Context& context,
                                  const sdk::Json& request) {
    std::string state = sdk::text_member(request, member::kState);
    if (state != kMerging) return state;
    auto job = jobs.read(context, sdk::text_member(request, member::kMergeJob));
    if (!job && sdk::is_missing(job.error())) return std::string(kOpen);
    if (!job) return job.error();
    const std::string of_job = sdk::text_member(*job, "state");
    const bool has_ended = of_job == sdk::job_state_name(sdk::JobState::finished) ||
                           of_job == sdk::job_state_name(sdk::JobState::error);
    return has_ended ? std::string(kOpen) : std::move(state);
}

sdk::Error is_closed() {
    return sdk::make_error(sdk::ErrorKind::conflict, "pull_requests.closed",
                           "the request is closed");
}

sdk::Error is_merged() {
    return sdk::make_error(sdk::ErrorKind::conflict, "pull_requests.merged",
                           "the request is merged");
}

sdk::Error is_merging() {
    return sdk::make_error(sdk::ErrorKind::conflict, "pull_requests.merging",
                           "the request is being merged");
}

sdk::Json nothing_known() {
    return {{member::kSourceTip, ""},    {member::kTargetTip, ""},
            {member::kConflictCount, 0}, {member::kConflicts, sdk::Json::array()},
            {member::kFaultCount, 0},    {member::kFaults, sdk::Json::array()},
            {member::kMergeJob, ""},     {member::kValidateJob, ""},
            {member::kProblem, ""}};
}

sdk::Json first_of(const std::vector<sdk::Json>& rows, std::size_t most) {
    sdk::Json first = sdk::Json::array();
    for (std::size_t i = 0; i < std::min(rows.size(), most); ++i)
        first.push_back(rows[i]);
    return first;
}

}  // namespace stele::pull_requests
