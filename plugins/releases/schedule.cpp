#include "schedule.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "publication.hpp"
#include "release_state.hpp"
#include "vocabulary.hpp"

namespace stele::releases {

namespace {

sdk::CollectionName works() {
    return {kWorkType, ""};
}

/// Whoever reaches into the repository reaches the work, too.
sdk::Result<sdk::Document> make_work(sdk::Context& context, const std::string& repository_id,
                                     const sdk::Document& release) {
    auto repository = context.documents().read({kRepositoryType, ""}, repository_id);
    if (!repository) return repository.error();
    auto reference = context.reference(release.key);
    if (!reference) return reference.error();
    auto made = context.documents().create(
        works(), {{member::kTitle, sdk::text_member(release.fields, member::kTitle)}});
    if (!made) return made;
    if (auto reached = context.authorities().inherit(made->key, repository->key); !reached)
        return reached.error();
    return context.documents().patch(works(), made->id,
                                     {{work::kType, kReleaseType},
                                      {work::kReference, *reference},
                                      {kRepositoryId, repository_id},
                                      {kReleaseId, release.id}});
}

/// That of the release, or a new one.
sdk::Result<sdk::Document> work_of(sdk::Context& context, const std::string& repository,
                                   const sdk::Document& release) {
    const std::string id = sdk::text_member(release.fields, member::kWork);
    if (!id.empty()) {
        auto present = context.documents().read(works(), id);
        if (present || !sdk::is_missing(present.error())) return present;
    }
    return make_work(context, repository, release);
}

}  // namespace

sdk::Json unscheduled_members() {
    return {{member::kIsScheduled, false},
            {member::kScheduledBy, ""},
            {member::kScheduledOn, nullptr},
            {member::kWork, ""},
            {member::kJob, ""}};
}

sdk::Json work_members(const sdk::Json& scheduled, std::int64_t start_ms) {
    return {{work::kStartDate, sdk::time_value(start_ms)},
            {work::kJob, sdk::text_member(scheduled, member::kJob)},
            {work::kScheduledBy, sdk::text_member(scheduled, member::kScheduledBy)}};
}

sdk::Result<void> kill_job(const ReleaseServices& services, sdk::Context& context,
                           const sdk::Json& release) {
    const std::string job = sdk::text_member(release, member::kJob);
    if (job.empty() || !sdk::flag_member(release, member::kIsScheduled, false)) return {};
    auto killed = services.jobs.kill(context, job);
    if (!killed && !sdk::is_missing(killed.error())) return killed;
    return {};
}

sdk::Result<sdk::Json> start_job(const ReleaseServices& services, sdk::Context& context,
                                 const std::string& repository, const sdk::Document& release,
                                 std::int64_t start_ms) {
    if (auto killed = kill_job(services, context, release.fields); !killed) return killed.error();
    auto job = start_publication(services, context, repository, release.id, start_ms);
    if (!job) return job.error();
    return sdk::Json{{member::kIsScheduled, true},
                     {member::kScheduledBy, context.principal().name},
                     {member::kScheduledOn, sdk::time_value(sdk::now_ms())},
                     {member::kJob, *std::move(job)}};
}

sdk::Result<sdk::Json> schedule(const ReleaseServices& services, sdk::Context& context,
                                const std::string& repository, const sdk::Document& release) {
    auto ms = told_ms(release.fields, member::kReleaseDate);
    if (!ms) return ms.error();
    if (!*ms) return sdk::invalid_parameter(member::kReleaseDate, "is needed for a schedule");
    auto members = start_job(services, context, repository, release, **ms);
    if (!members) return members;
    auto found = work_of(context, repository, release);
    if (!found) return found.error();
    auto told = context.documents().patch(works(), found->id, work_members(*members, **ms));
    if (!told) return told.error();
    (*members)[member::kWork] = found->id;
    return members;
}

sdk::Result<sdk::Json> unschedule(const ReleaseServices& services, sdk::Context& context,
                                  const sdk::Json& release) {
    if (auto killed = kill_job(services, context, release); !killed) return killed.error();
    const std::string id = sdk::text_member(release, member::kWork);
    if (!id.empty()) {
        auto gone = context.as_system().documents().remove(works(), id);
        if (!gone && !sdk::is_missing(gone.error())) return gone.error();
    }
    return unscheduled_members();
}

sdk::Result<std::string> job_state(const ReleaseServices& services, sdk::Context& context,
                                   const std::string& job) {
    auto found = services.jobs.read(context, job);
    if (!found && sdk::is_missing(found.error()))
        return std::string(sdk::job_state_name(sdk::JobState::finished));
    if (!found) return found.error();
    return sdk::text_member(*found, "state");
}

sdk::Result<bool> is_coming(const ReleaseServices& services, sdk::Context& context,
                            const sdk::Json& release) {
    if (!sdk::flag_member(release, member::kIsScheduled, false)) return false;
    auto state = job_state(services, context, sdk::text_member(release, member::kJob));
    if (!state) return state.error();
    return *state != sdk::job_state_name(sdk::JobState::finished) &&
           *state != sdk::job_state_name(sdk::JobState::error);
}

}  // namespace stele::releases
