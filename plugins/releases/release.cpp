#include "release.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "publication.hpp"
#include "release_state.hpp"
#include "schedule.hpp"
#include "vocabulary.hpp"

namespace stele::releases {

namespace {

constexpr char kCreationJob[] = "create-release";
constexpr char kFinalizationJob[] = "finalize-release";
constexpr char kCreatedId[] = "created-release-id";
constexpr char kSourceId[] = "sourceId";

sdk::Fields kept_fields() {
    using enum sdk::FieldKind;
    sdk::Fields fields = {{.name = "platformId", .kind = text},
                          {.name = member::kBranch, .kind = text},
                          {.name = member::kIsFinalized, .kind = boolean},
                          {.name = member::kFinalizedBy, .kind = text},
                          {.name = member::kFinalizedOn, .kind = timestamp},
                          {.name = member::kHasConflicts, .kind = boolean},
                          {.name = member::kIsScheduled, .kind = boolean},
                          {.name = member::kScheduledBy, .kind = text},
                          {.name = member::kScheduledOn, .kind = timestamp},
                          {.name = member::kWork, .kind = text},
                          {.name = member::kIsReleased, .kind = boolean},
                          {.name = member::kSnapshot, .kind = text},
                          {.name = member::kIsArchived, .kind = boolean},
                          {.name = member::kJob, .kind = text, .withheld = true},
                          {.name = member::kConflictsWith, .kind = array, .withheld = true},
                          {.name = member::kFinalizedTip, .kind = text, .withheld = true},
                          {.name = member::kChangesetWord, .kind = text, .withheld = true}};
    for (sdk::Field& field : fields) {
        field.read_only = true;
        field.unindexed = field.withheld;
    }
    return fields;
}

sdk::Reply reply_with(const char* name, sdk::Json value) {
    return sdk::Reply::status({{name, std::move(value)}});
}

sdk::Result<sdk::Json> tell_creation(sdk::Job& job) {
    return sdk::Json{{kCreatedId, sdk::text_member(job.input(), kReleaseId)}};
}

sdk::Result<sdk::Json> tell_release(sdk::Job& job) {
    return sdk::Json{{kReleaseId, sdk::text_member(job.input(), kReleaseId)}};
}

}  // namespace

sdk::ResourceDescriptor Release::describe() const {
    using enum sdk::ActionScope;
    using sdk::Permission;
    namespace shape = sdk::shape;
    sdk::Fields fields = {{.name = member::kTitle, .kind = sdk::FieldKind::text},
                          {.name = "description", .kind = sdk::FieldKind::text},
                          {.name = member::kReleaseDate}};
    for (sdk::Field& kept : kept_fields())
        fields.push_back(std::move(kept));
    const sdk::Shape written = shape::written(kReleaseType);
    const auto step = [](const char* name, auto run) {
        return sdk::Action{.name = name,
                           .permission = Permission::update,
                           .run = std::move(run),
                           .slow = true,
                           .answers = shape::status({})};
    };
    sdk::Action finalize = step("finalize", sdk::action<&Release::finalize>());
    sdk::Action start_finalize = step("finalize/start", sdk::action<&Release::start_finalize>());
    start_finalize.answers = shape::job();
    return {.type = kReleaseType,
            .container = kRepositoryType,
            .path = "releases",
            .placeholder = kReleaseId,
            .container_member = kRepositoryId,
            .fields = std::move(fields),
            .operations = {.create = false, .transfer = false},
            .actions = {{.name = "",
                         .scope = collection,
                         .permission = Permission::create_subobjects,
                         .run = sdk::action<&Release::create>(),
                         .parameters = {{kSourceId}},
                         .body = sdk::BodyUse::record,
                         .takes = shape::object({shape::optional("title", shape::text())}),
                         .answers = written},
                        {.name = "create/start",
                         .scope = collection,
                         .permission = Permission::create_subobjects,
                         .run = sdk::action<&Release::start_create>(),
                         .parameters = {{kSourceId}},
                         .body = sdk::BodyUse::record,
                         .takes = shape::object({shape::optional("title", shape::text())}),
                         .answers = shape::job()},
                        std::move(finalize),
                        std::move(start_finalize),
                        step("unfinalize", sdk::action<&Release::unfinalize>()),
                        step("releaseimmediately", sdk::action<&Release::release_now>()),
                        step("archive", sdk::action<&Release::archive>()),
                        step("unarchive", sdk::action<&Release::unarchive>()),
                        {.name = "info",
                         .method = "GET",
                         .run = sdk::action<&Release::info>(),
                         .slow = true,
                         .answers = shape::object({{"info", shape::object()}})}},
            .is_presented = true,
            .title = "releases"};
}

void Release::define_jobs(sdk::Jobs& jobs) {
    jobs.define({.name = kCreationJob, .run = &tell_creation});
    jobs.define({.name = kFinalizationJob, .run = &tell_release});
}

sdk::Result<void> Release::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return prepare_removal(change, context);
    sdk::Json& fields = change.after->fields;
    auto ms = told_ms(fields, member::kReleaseDate);
    if (!ms) return ms.error();
    if (*ms) fields[member::kReleaseDate] = sdk::time_value(**ms);
    return change.kind == sdk::ChangeKind::update ? prepare_update(change, context)
                                                  : sdk::Result<void>();
}

/// Another date of a release that is scheduled is another schedule, of whoever says so.
sdk::Result<void> Release::prepare_update(sdk::Change& change, sdk::Context& context) const {
    const sdk::Json& before = change.before->fields;
    if (!sdk::flag_member(before, member::kIsScheduled, false)) return {};
    auto former = told_ms(before, member::kReleaseDate);
    auto wanted = told_ms(change.after->fields, member::kReleaseDate);
    if (!former || !wanted || *former == *wanted) return {};
    if (!*wanted) {
        return sdk::invalid_parameter(member::kReleaseDate,
                                      "is needed as long as the release is scheduled");
    }
    auto scheduled = schedule(services_, context, change.collection.container, *change.after);
    if (!scheduled) return scheduled.error();
    change.after->fields.update(*scheduled);
    return {};
}

/// Its branch goes along unless it is on the master.
sdk::Result<void> Release::prepare_removal(const sdk::Change& change, sdk::Context& context) const {
    const sdk::Json& release = change.before->fields;
    if (auto ended = unschedule(services_, context, release); !ended) return ended.error();
    if (sdk::flag_member(release, member::kIsReleased, false)) return {};
    auto branch = context.documents().read({kBranchType, change.collection.container},
                                           sdk::text_member(release, member::kBranch));
    // With the repository it goes by itself.
    if (!branch && sdk::is_missing(branch.error())) return {};
    if (!branch) return branch.error();
    // Whoever may not delete the branch leaves it behind.
    auto may = context.session().is_system
                   ? sdk::Result<bool>(true)
                   : sdk::holds(context, branch->key, sdk::Permission::remove);
    if (!may) return may.error();
    if (!*may) return {};
    return context.documents().remove({kBranchType, change.collection.container}, branch->id);
}

sdk::Result<void> Release::present(const sdk::Call& call, sdk::Json& record) {
    auto coming = is_coming(services_, call.context(), record);
    if (!coming) return coming.error();
    // The job of one whose starter was disabled ends without a word.
    if (record.contains(member::kIsScheduled)) record[member::kIsScheduled] = *coming;
    for (const char* own : {member::kChangesetWord, member::kFinalizedTip, member::kJob})
        record.erase(own);
    // Clients take a time that is there for one.
    for (const char* time : {member::kFinalizedOn, member::kScheduledOn, member::kReleaseDate}) {
        const auto found = record.find(time);
        if (found != record.end() && found->is_null()) record.erase(found);
    }
    const auto others = record.find(member::kConflictsWith);
    if (others == record.end() || !others->is_array()) return {};
    sdk::Json shown = sdk::Json::array();
    for (const sdk::Json& id : *others) {
        if (!id.is_string()) continue;
        auto other = sdk::if_readable(
            call.context(),
            call.context().documents().read({kReleaseType, call.collection().container},
                                            id.get_ref<const std::string&>()));
        if (!other) return other.error();
        if (*other) shown.push_back(id);
    }
    *others = std::move(shown);
    return {};
}

sdk::Result<std::string> Release::make_branch(const sdk::Call& call,
                                              const std::string& title) const {
    sdk::Context& context = call.context();
    const std::string& repository_id = call.collection().container;
    std::string from = kMasterAlias;
    const std::string source = call.parameter(kSourceId).value_or("");
    if (!source.empty()) {
        auto release =
            sdk::if_readable(context, context.documents().read(call.collection(), source));
        if (!release) return release.error();
        if (!*release) return sdk::invalid_parameter(kSourceId, "names no release");
        from = sdk::text_member((*release)->fields, member::kBranch);
        auto branch =
            sdk::if_readable(context, context.documents().read({kBranchType, repository_id}, from));
        if (!branch) return branch.error();
        if (!*branch) {
            return sdk::invalid_parameter(kSourceId,
                                          "names a release whose branch is not there any more");
        }
    }
    auto repository = context.documents().read({kRepositoryType, ""}, repository_id);
    if (!repository) return repository.error();
    auto made = services_.operations.on_collection(
        context, kBranchType, repository->key,
        {.method = "POST", .parameters = {{"branch", from}}, .body = {{member::kTitle, title}}});
    if (!made) return made.error();
    return sdk::text_member(sdk::Json::parse(made->body()), "_doc");
}

sdk::Result<sdk::Document> Release::make(const sdk::Call& call) {
    sdk::Json fields = call.body();
    for (const sdk::Field& kept : kept_fields())
        fields.erase(kept.name);
    // Before a branch is made for it.
    if (auto ms = told_ms(fields, member::kReleaseDate); !ms) return ms.error();
    const std::string title = sdk::text_member(fields, member::kTitle);
    auto branch = make_branch(call, title.empty() ? "Release" : title);
    if (!branch) return branch.error();
    sdk::Documents& documents = call.context().documents();
    auto made = documents.create(call.collection(), std::move(fields));
    if (!made) return made;
    sdk::Json kept = unfinalized_members();
    kept.update(unscheduled_members());
    kept[member::kBranch] = *branch;
    kept["platformId"] = call.context().platform().id;
    for (const char* flag : {member::kIsReleased, member::kIsArchived})
        kept[flag] = false;
    return documents.patch(call.collection(), made->id, kept);
}

sdk::Result<sdk::Reply> Release::create(const sdk::Call& call) {
    auto made = make(call);
    if (!made) return made.error();
    sdk::Json shown = made->fields;
    if (auto presented = present(call, shown); !presented) return presented.error();
    return sdk::Reply::status(shown);
}

sdk::Result<sdk::Reply> Release::start_create(const sdk::Call& call) {
    auto made = make(call);
    if (!made) return made.error();
    auto job = services_.jobs.start(call.context(), {.type = kCreationJob,
                                                     .input = {{kReleaseId, made->id}},
                                                     .result = {{kCreatedId, made->id}}});
    if (!job) return job.error();
    return sdk::reply_of_started(services_.jobs, call, *job);
}

sdk::Result<sdk::Document> Release::finalized(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& release = call.record();
    const std::string& repository = call.collection().container;
    if (auto may = check_open(release.fields); !may) return may.error();
    const auto wanted = call.body().find(kSchedule);
    const bool is_told = wanted != call.body().end() && !wanted->is_null();
    if (is_told && !wanted->is_boolean())
        return sdk::invalid_parameter(kSchedule, "must be true or false");
    const bool wants_schedule = is_told && wanted->get<bool>();
    auto members = look_for_conflicts(services_, context, call.collection(), release);
    if (!members) return members.error();
    if (!sdk::flag_member(release.fields, member::kIsFinalized, false)) {
        members->update(finalized_members(context));
        if (auto closed = open_branch(context, repository, release.fields, false); !closed)
            return closed.error();
    }
    if (wants_schedule) {
        if (auto may = require_approval(context, repository); !may) return may.error();
        auto scheduled = schedule(services_, context, repository, release);
        if (!scheduled) return scheduled.error();
        members->update(*scheduled);
    }
    return context.documents().patch(call.collection(), release.id, *members);
}

sdk::Result<sdk::Reply> Release::finalize(const sdk::Call& call) {
    auto release = finalized(call);
    if (!release) return release.error();
    sdk::Json shown = release->fields;
    if (auto presented = present(call, shown); !presented) return presented.error();
    return reply_with("result", std::move(shown));
}

sdk::Result<sdk::Reply> Release::start_finalize(const sdk::Call& call) {
    auto release = finalized(call);
    if (!release) return release.error();
    auto job = services_.jobs.start(
        call.context(), {.type = kFinalizationJob, .input = {{kReleaseId, release->id}}});
    if (!job) return job.error();
    return sdk::reply_of_started(services_.jobs, call, *job);
}

sdk::Result<sdk::Reply> Release::unfinalize(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& release = call.record();
    if (auto may = check_open(release.fields); !may) return may.error();
    auto members = unschedule(services_, context, release.fields);
    if (!members) return members.error();
    members->update(unfinalized_members());
    // A branch that somebody has closed before is not the release's to open.
    if (sdk::flag_member(release.fields, member::kIsFinalized, false)) {
        auto opened = open_branch(context, call.collection().container, release.fields, true);
        if (!opened) return opened.error();
    }
    auto patched = context.documents().patch(call.collection(), release.id, *members);
    if (!patched) return patched.error();
    return sdk::Reply::status({{"_doc", release.id}});
}

sdk::Result<sdk::Reply> Release::release_now(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& release = call.record();
    const std::string& repository = call.collection().container;
    if (auto may = check_open(release.fields); !may) return may.error();
    auto members = look_for_conflicts(services_, context, call.collection(), release);
    if (!members) return members.error();
    auto published = publish(services_, context, repository, release.fields);
    if (!published) return published.error();
    if (!sdk::flag_member(*published, member::kIsReleased, false)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "releases.conflicts",
                               "changes of the release and of the master do not go together: "
                               "merge its branch into the master, or schedule it, to decide them");
    }
    auto unscheduled = unschedule(services_, context, release.fields);
    if (!unscheduled) return unscheduled.error();
    members->update(*unscheduled);
    if (!sdk::flag_member(release.fields, member::kIsFinalized, false)) {
        members->update(finalized_members(context));
        if (auto closed = open_branch(context, repository, release.fields, false); !closed)
            return closed.error();
    }
    members->update(*published);
    // The snapshot is taken of the changeset that the commit makes.
    auto job = start_publication(services_, context, repository, release.id, 0);
    if (!job) return job.error();
    (*members)[member::kJob] = *job;
    auto patched = context.documents().patch(call.collection(), release.id, *members);
    if (!patched) return patched.error();
    return sdk::Reply::status({{"_doc", release.id}, {member::kIsReleased, true}});
}

sdk::Result<sdk::Reply> Release::set_archived(const sdk::Call& call, bool wants_archived) {
    sdk::Context& context = call.context();
    const sdk::Document& release = call.record();
    sdk::Json members = {{member::kIsArchived, wants_archived}};
    if (wants_archived) {
        auto unscheduled = unschedule(services_, context, release.fields);
        if (!unscheduled) return unscheduled.error();
        members.update(*unscheduled);
    }
    auto branch = sdk::if_readable(
        context, context.documents().read({kBranchType, call.collection().container},
                                          sdk::text_member(release.fields, member::kBranch)));
    if (!branch) return branch.error();
    auto is_gone = *branch ? sdk::Result<bool>(false)
                           : is_branch_gone(context, call.collection().container, release.fields);
    if (!is_gone) return is_gone.error();
    if (!*branch && !*is_gone) return branch_gone();
    if (*branch) {
        auto done = services_.operations.on_record(
            context, (*branch)->key,
            {.method = "POST", .path = wants_archived ? "/archive" : "/unarchive"});
        if (!done) return done.error();
    }
    auto patched = context.documents().patch(call.collection(), release.id, members);
    if (!patched) return patched.error();
    return sdk::Reply::status({{"_doc", release.id}, {member::kIsArchived, wants_archived}});
}

sdk::Result<sdk::Reply> Release::archive(const sdk::Call& call) {
    return set_archived(call, true);
}

sdk::Result<sdk::Reply> Release::unarchive(const sdk::Call& call) {
    return set_archived(call, false);
}

sdk::Result<sdk::Reply> Release::info(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Json& release = call.record().fields;
    auto branches = branches_of(context, call.collection().container, release);
    if (!branches) return branches.error();
    auto tip = services_.merging.tip(context, branches->source);
    if (!tip) return tip.error();
    auto changes = services_.merging.changes(context, *branches);
    if (!changes) return changes.error();
    std::size_t conflicts = 0;
    for (const sdk::Json& row : *changes)
        conflicts += sdk::flag_member(row, "conflict", false) ? 1U : 0U;
    sdk::Json told = {{member::kBranch, sdk::text_member(release, member::kBranch)},
                      {"tip", *tip},
                      {"changeCount", changes->size()},
                      {"conflictCount", conflicts}};
    for (const char* flag : {member::kIsFinalized, member::kIsScheduled, member::kIsReleased,
                             member::kIsArchived, member::kHasConflicts})
        told[flag] = sdk::flag_member(release, flag, false);
    return sdk::Reply::json({{"info", std::move(told)}});
}

}  // namespace stele::releases
