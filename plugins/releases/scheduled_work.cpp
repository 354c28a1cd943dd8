#include "scheduled_work.hpp"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "release_state.hpp"
#include "schedule.hpp"
#include "vocabulary.hpp"

namespace stele::releases {

namespace {

sdk::Fields kept_of_work() {
    sdk::Fields fields;
    for (const char* name :
         {work::kType, work::kReference, kRepositoryId, kReleaseId, work::kJob, work::kScheduledBy})
        fields.push_back({.name = name, .kind = sdk::FieldKind::text, .read_only = true});
    return fields;
}

sdk::CollectionName releases_of(const sdk::Json& scheduled) {
    return {kReleaseType, sdk::text_member(scheduled, kRepositoryId)};
}

/// The release that the work is about, where it is still this work that brings it.
sdk::Result<std::optional<sdk::Document>> release_of(sdk::Context& context, const std::string& id,
                                                     const sdk::Json& scheduled) {
    auto release =
        context.documents().read(releases_of(scheduled), sdk::text_member(scheduled, kReleaseId));
    if (!release && sdk::is_missing(release.error())) return std::optional<sdk::Document>();
    if (!release) return release.error();
    if (sdk::text_member(release->fields, member::kWork) != id)
        return std::optional<sdk::Document>();
    return std::optional<sdk::Document>(*std::move(release));
}

/// Who may change when a release comes is a matter of the release.
sdk::Result<void> require_update(sdk::Context& context, const sdk::Document& release) {
    auto may = sdk::holds(context, release.key, sdk::Permission::update);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "UPDATE on the release is needed to change when it comes");
}

sdk::Error not_scheduled() {
    return sdk::make_error(sdk::ErrorKind::conflict, "releases.not_scheduled",
                           "the release does not come by this work any more");
}

/// The release that a reference names, which whoever asks may READ.
sdk::Result<sdk::Document> referenced_release(sdk::Context& context, const sdk::Json& body) {
    const sdk::Error none = sdk::invalid_parameter(work::kReference, "must name a release");
    const std::string reference = sdk::text_member(body, work::kReference);
    if (reference.empty()) return none;
    auto key = context.find_reference(reference);
    if (!key && sdk::is_refusal(key.error())) return none;
    if (!key) return key.error();
    auto found = sdk::if_readable(context, context.documents().read(*key));
    if (!found) return found.error();
    if (!*found) return none;
    auto release = context.documents().read(releases_of((*found)->fields), (*found)->id);
    if (!release && sdk::is_refusal(release.error())) return none;
    if (release && release->key != *key) return none;
    return release;
}

}  // namespace

sdk::ResourceDescriptor ScheduledWork::describe() const {
    sdk::Fields fields = kept_of_work();
    fields.push_back({.name = member::kTitle, .kind = sdk::FieldKind::text});
    fields.push_back({.name = work::kStartDate});
    return {.type = kWorkType,
            .path = "work/scheduled",
            .placeholder = "scheduledWorkId",
            .fields = std::move(fields),
            .operations = {.create = false, .transfer = false},
            .actions = {{.name = "",
                         .scope = sdk::ActionScope::collection,
                         .permission = sdk::Permission::connect,
                         .run = sdk::action<&ScheduledWork::create>(),
                         .slow = true,
                         .body = sdk::BodyUse::record,
                         .takes = sdk::shape::object({{work::kReference, sdk::shape::text()}}),
                         .answers = sdk::shape::written(kWorkType)},
                        {.name = "trigger",
                         .permission = sdk::Permission::update,
                         .run = sdk::action<&ScheduledWork::trigger>(),
                         .answers = sdk::shape::status({})}},
            .is_presented = true,
            .title = "scheduled work"};
}

sdk::Result<void> ScheduledWork::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return prepare_removal(change, context);
    // What clients say of it is no state.
    change.after->fields.erase(work::kState);
    return change.kind == sdk::ChangeKind::update ? prepare_update(change, context)
                                                  : sdk::Result<void>();
}

/// Another date is another job, and another date of the release.
sdk::Result<void> ScheduledWork::prepare_update(sdk::Change& change, sdk::Context& context) const {
    sdk::Json& fields = change.after->fields;
    auto former = told_ms(change.before->fields, work::kStartDate);
    if (!former) return former.error();
    auto wanted = told_ms(fields, work::kStartDate);
    if (!wanted) return wanted.error();
    const std::optional<std::int64_t> start = *wanted ? *wanted : *former;
    if (!start) return {};
    fields[work::kStartDate] = sdk::time_value(*start);
    if (start == *former) return {};
    auto release = release_of(context, change.after->id, fields);
    if (!release) return release.error();
    if (!*release || !sdk::flag_member((*release)->fields, member::kIsScheduled, false))
        return not_scheduled();
    if (auto may = require_update(context, **release); !may) return may;
    const std::string repository = sdk::text_member(fields, kRepositoryId);
    auto members = start_job(services_, context, repository, **release, *start);
    if (!members) return members.error();
    fields.update(work_members(*members, *start));
    (*members)[member::kReleaseDate] = sdk::time_value(*start);
    auto told = context.documents().patch(releases_of(fields), (*release)->id, *members);
    return told ? sdk::Result<void>() : told.error();
}

/// Ends the schedule of its release, unless the release itself lets it go.
sdk::Result<void> ScheduledWork::prepare_removal(const sdk::Change& change,
                                                 sdk::Context& context) const {
    if (context.session().is_system) return {};
    const sdk::Json& fields = change.before->fields;
    auto release = release_of(context, change.before->id, fields);
    if (!release) return release.error();
    if (!*release) return {};
    sdk::Json members = {{member::kWork, ""}};
    if (sdk::flag_member((*release)->fields, member::kIsScheduled, false)) {
        if (auto may = require_update(context, **release); !may) return may;
        if (auto killed = kill_job(services_, context, (*release)->fields); !killed) return killed;
        members = unscheduled_members();
    }
    auto told = context.documents().patch(releases_of(fields), (*release)->id, members);
    return told ? sdk::Result<void>() : told.error();
}

sdk::Result<void> ScheduledWork::present(const sdk::Call& call, sdk::Json& record) {
    const std::string job = sdk::text_member(record, work::kJob);
    if (job.empty()) return {};
    auto state = job_state(services_, call.context(), job);
    if (!state) return state.error();
    record[work::kState] = *std::move(state);
    return {};
}

sdk::Result<sdk::Reply> ScheduledWork::create(const sdk::Call& call) {
    sdk::Context& context = call.context();
    auto release = referenced_release(context, call.body());
    if (!release) return release.error();
    auto start = told_ms(call.body(), work::kStartDate);
    if (!start) return start.error();
    const sdk::CollectionName releases = releases_of(release->fields);
    if (*start) {
        if (auto may = require_update(context, *release); !may) return may.error();
        auto dated = context.documents().patch(releases, release->id,
                                               {{member::kReleaseDate, sdk::time_value(**start)}});
        if (!dated) return dated.error();
    }
    auto finalized = services_.operations.on_record(
        context, release->key,
        {.method = "POST", .path = "/finalize", .body = {{kSchedule, true}}});
    if (!finalized) return finalized.error();
    auto scheduled = context.documents().read(releases, release->id);
    if (!scheduled) return scheduled.error();
    const std::string id = sdk::text_member(scheduled->fields, member::kWork);
    sdk::Json fields = call.body();
    fields.erase(work::kStartDate);
    auto made = context.documents().update(call.collection(), id, std::move(fields));
    if (!made) return made.error();
    if (auto presented = present(call, made->fields); !presented) return presented.error();
    return sdk::Reply::status(made->fields);
}

sdk::Result<sdk::Reply> ScheduledWork::trigger(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& scheduled = call.record();
    auto release = release_of(context, scheduled.id, scheduled.fields);
    if (!release) return release.error();
    if (!*release) return not_scheduled();
    if (auto may = require_update(context, **release); !may) return may.error();
    if (auto may = check_open((*release)->fields); !may) return may.error();
    const std::string repository = sdk::text_member(scheduled.fields, kRepositoryId);
    const std::int64_t now = sdk::now_ms();
    auto members = start_job(services_, context, repository, **release, now);
    if (!members) return members.error();
    auto told = context.documents().patch(releases_of(scheduled.fields), (*release)->id, *members);
    if (!told) return told.error();
    auto noted =
        context.documents().patch(call.collection(), scheduled.id, work_members(*members, now));
    if (!noted) return noted.error();
    return sdk::Reply::status(
        {{"_doc", scheduled.id}, {work::kJob, sdk::text_member(*members, member::kJob)}});
}

}  // namespace stele::releases
