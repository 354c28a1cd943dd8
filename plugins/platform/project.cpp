#include "project.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/job_rights.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "collections.hpp"
#include "project_teams.hpp"
#include "stack_stores.hpp"
#include "upkeep_jobs.hpp"

namespace stele::platform {

namespace {

const sdk::CollectionName kRepositories{"repository", ""};
const sdk::CollectionName kUiConfigs{"uiconfig", ""};

/// The key under which a project's stack has the repository with the project's content.
constexpr char kContentKey[] = "content";

/// Before the ids of UI configs that leave with their project.
constexpr char kUiConfigName[] = "uiconfig/";

/// The stack that was made for the project, which need not be the one that it uses by now.
constexpr char kOwnStack[] = "ownStackId";

/// A family that no enabled plugin offers, where a project does without.
bool is_absent_family(const sdk::Error& error) {
    return error.code == "resource.type_unknown";
}

sdk::Result<std::string> make_stack(sdk::Context& context, const ProjectServices& services,
                                    const std::string& title) {
    auto stack = context.documents().create(kStacks, {{"title", title}});
    if (!stack) return stack.error();
    if (auto made = make_project_teams(context, services, stack->key); !made) return made.error();
    auto content = context.documents().create(
        kRepositories, {{"title", title}, {"platformId", context.platform().id}});
    if (!content && !is_absent_family(content.error())) return content.error();
    if (content) {
        auto assigned = StackStores(context).assign(stack->key, kContentKey, content->key);
        if (!assigned) return assigned.error();
    }
    return stack->id;
}

/// The stack of this id, where the caller may give it to a project.
sdk::Result<sdk::RecordKey> check_stack(sdk::Context& context, const std::string& id) {
    auto stack = sdk::if_readable(context, context.documents().read(kStacks, id));
    if (!stack) return stack.error();
    if (!*stack) {
        return sdk::make_error({{"stackId", "platform.stack_unknown", "there is no stack " + id}});
    }
    // Policies of the project count on the stack's data stores from now on.
    auto owned = sdk::require_inside(context, (*stack)->key, sdk::PermissionSet::all(),
                                     "platform.stack_not_owned",
                                     "only owners of stack " + id + " can give it to a project");
    if (!owned) return owned.error();
    return (*stack)->key;
}

/// What policies take away in the project comes back on a stack, and in its data stores, that the
/// project uses no longer.
sdk::Result<void> require_leaving(sdk::Context& context, const sdk::Document& project) {
    if (context.session().is_system) return {};
    auto stack = context.documents().read(kStacks, sdk::text_member(project.fields, "stackId"));
    if (!stack && sdk::is_missing(stack.error())) return {};
    if (!stack) return stack.error();
    auto covered = context.authorities().covers_disinheritance(context.principal().key, stack->key,
                                                               project.key);
    if (!covered) return covered.error();
    if (*covered) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "platform.project_policies_above_own",
                           "policies take away in the project what the caller does not hold in "
                           "its stack, and it would come back there");
}

/// A project gets a stack that was there before.
sdk::Result<void> take_stack(sdk::Context& context, const ProjectServices& services,
                             const sdk::Change& change, const std::string& id) {
    auto stack = check_stack(context, id);
    if (!stack) return stack.error();
    if (change.before) {
        // What the stack's teams have by policies in its projects they have on this one, too.
        auto owned = sdk::require_inside(
            context, change.before->key, sdk::PermissionSet::all(), "platform.project_not_owned",
            "only owners of project " + change.before->id + " can give it another stack");
        if (!owned) return owned;
        if (auto may = require_leaving(context, *change.before); !may) return may;
    }
    auto team = users_team(context, services, *stack);
    if (!team) return team.error();
    return {};
}

sdk::Result<void> remove_ui_configs(sdk::Context& context, const std::string& project) {
    sdk::PageRequest everything;
    everything.limit = -1;
    auto configs = context.documents().query(kUiConfigs, {{"projectId", project}}, everything);
    if (!configs && is_absent_family(configs.error())) return {};
    if (!configs) return configs.error();
    for (const sdk::Document& config : configs->rows) {
        auto removed = context.documents().remove(kUiConfigs, config.id);
        if (!removed) return removed;
    }
    return {};
}

/// Whether a project's stack goes with it: it was made for the project, or whoever removes the
/// project could remove the stack as well.
sdk::Result<bool> may_remove_stack(sdk::Context& context, const sdk::Json& project,
                                   const std::string& id) {
    if (sdk::text_member(project, kOwnStack) == id) return true;
    auto stack = context.documents().read(kStacks, id);
    if (!stack && sdk::is_missing(stack.error())) return false;
    if (!stack) return stack.error();
    return sdk::holds(context, stack->key, sdk::Permission::remove);
}

/// After the project itself, which its stack would be kept for.
sdk::Result<void> remove_own_stack(sdk::Context& context, const sdk::Json& project) {
    if (sdk::flag_member(project, "sharedStack", false)) return {};
    const std::string stack = sdk::text_member(project, "stackId");
    sdk::PageRequest none;
    none.limit = 0;
    auto others = context.documents().query(kProjects, {{"stackId", stack}}, none);
    if (!others) return others.error();
    if (others->total_rows > 0) return {};
    auto may = may_remove_stack(context, project, stack);
    if (!may) return may.error();
    if (!*may) return {};
    auto removed = context.documents().remove(kStacks, stack);
    if (!removed && sdk::is_missing(removed.error())) return {};
    return removed;
}

/// Keeps the projects of a stack in step with what projects say.
sdk::Result<void> note_stack(const sdk::Change& change, sdk::Context& context) {
    const std::string before =
        change.before ? sdk::text_member(change.before->fields, "stackId") : "";
    const std::string after = change.after ? sdk::text_member(change.after->fields, "stackId") : "";
    if (before == after) return {};
    const sdk::RecordKey& project = change.after ? change.after->key : change.before->key;
    for (const std::string& id : {before, after}) {
        if (id.empty()) continue;
        auto stack = context.documents().read(kStacks, id);
        if (!stack && sdk::is_missing(stack.error())) continue;
        if (!stack) return stack.error();
        const std::string row = project_rows(stack->key) + std::string(project);
        if (id == after) {
            context.transaction().put(row, {});
        } else {
            context.transaction().remove(row);
        }
    }
    return context.authorities().withdraw_decisions();
}

/// Named after the job, so that a repeated one finds what it had made.
sdk::Result<sdk::Document> create_once(sdk::Context& context, const sdk::Job& job) {
    sdk::Json fields = job.input();
    fields["_doc"] = job.id();
    if (job.attempt() > 1) {
        auto made = context.documents().read(kProjects, job.id());
        if (made || !sdk::is_missing(made.error())) return made;
    }
    return context.documents().create(kProjects, std::move(fields));
}

/// A stack that was made for the project belongs to whoever started the job; one that it was given
/// keeps its owners.
sdk::Result<void> give_stack(sdk::Context& context, sdk::Teams& teams, const sdk::Job& job,
                             const std::string& id) {
    if (!sdk::text_member(job.input(), "stackId").empty()) return {};
    auto stack = context.documents().read(kStacks, id);
    if (!stack) return stack.error();
    auto granted = context.authorities().grant(stack->key, job.run_as().key, "owner");
    if (!granted) return granted;
    auto owners = teams.find(context, stack->key, "owners");
    if (!owners) return owners.error();
    if (!*owners) return {};
    return context.authorities().add_member((*owners)->group, job.run_as().key, job.run_as().kind);
}

/// What the starter needed is needed now: the job itself acts as the server.
sdk::Result<void> require_starter(sdk::Context& context, const sdk::Job& job) {
    auto may = sdk::require_of_starter(context, job, context.platform().root,
                                       sdk::Permission::create_subobjects);
    const std::string id = sdk::text_member(job.input(), "stackId");
    if (!may || id.empty()) return may;
    auto stack = context.documents().read(kStacks, id);
    if (!stack) return stack.error();
    return sdk::require_of_starter(context, job, stack->key, sdk::Permission::read);
}

/// The project as the one who started the job would have made it.
sdk::Result<sdk::Json> create_project(sdk::Registrar& registrar, sdk::Teams& teams, sdk::Job& job) {
    sdk::Json result;
    auto done =
        registrar.run_as_system(job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            if (auto may = require_starter(context, job); !may) return may;
            auto project = create_once(context, job);
            if (!project) return project.error();
            auto granted = context.authorities().grant(project->key, job.run_as().key, "owner");
            if (!granted) return granted;
            const std::string stack = sdk::text_member(project->fields, "stackId");
            if (auto given = give_stack(context, teams, job, stack); !given) return given;
            result = {{"created-project-id", project->id}};
            return {};
        });
    if (!done) return done.error();
    return result;
}

std::vector<sdk::Parameter> invitation_to_project() {
    std::vector<sdk::Parameter> parameters = sdk::invitation_parameters();
    parameters.push_back({"teamKey"});
    return parameters;
}

sdk::Shape invited() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::status({{"_doc", text()},
                               {"domainId", text()},
                               {"teamKey", text()},
                               optional("emailId", text()),
                               optional("emailJobId", text())});
}

}  // namespace

sdk::ResourceDescriptor Project::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "stackId", .kind = text},
        {.name = "projectType", .kind = text},
        {.name = "family", .kind = text},
        {.name = "sharedStack", .kind = boolean},
        {.name = kOwnStack, .kind = text, .read_only = true},
    };
    const sdk::Actions actions{
        {.name = "users/invite",
         .permission = sdk::Permission::modify_permissions,
         .run = sdk::action<&Project::invite>(),
         .parameters = invitation_to_project(),
         .slow = true,
         .takes = sdk::invitation_body(),
         .answers = invited()},
        {.name = "admin/maintenance",
         .permission = sdk::Permission::update,
         .run = sdk::action<&Project::maintain>(),
         .parameters = {schedule_parameter()},
         .slow = true,
         .answers = sdk::shape::job()},
    };
    return {.type = "project",
            .path = "projects",
            .placeholder = "projectId",
            .fields = fields,
            .actions = actions,
            .bounds_policies = true,
            .title = "projects"};
}

sdk::Result<void> Project::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) {
        if (auto may = require_leaving(context, *change.before); !may) return may;
        return remove_ui_configs(context, change.before->id);
    }
    const std::string stack = sdk::text_member(change.after->fields, "stackId");
    const std::string before =
        change.before ? sdk::text_member(change.before->fields, "stackId") : "";
    if (stack.empty() && !before.empty()) {
        change.after->fields["stackId"] = before;
        return {};
    }
    if (!stack.empty() && stack == before) return {};
    if (!stack.empty()) return take_stack(context, services_, change, stack);
    auto made = make_stack(context, services_, sdk::text_member(change.after->fields, "title"));
    if (!made) return made.error();
    change.after->fields["stackId"] = *made;
    change.after->fields[kOwnStack] = *made;
    return {};
}

sdk::Result<void> Project::stored(const sdk::Change& change, sdk::Context& context) {
    if (auto noted = note_stack(change, context); !noted) return noted;
    if (change.kind != sdk::ChangeKind::remove) return {};
    return remove_own_stack(context, change.before->fields);
}

sdk::Result<std::vector<sdk::Companion>> Project::companions(sdk::Context& context,
                                                             const sdk::Document& project) {
    std::vector<sdk::Companion> companions;
    auto stack = context.documents().read(kStacks, sdk::text_member(project.fields, "stackId"));
    if (!stack && !sdk::is_missing(stack.error())) return stack.error();
    if (stack) companions.push_back({"stack", stack->key});
    sdk::PageRequest everything;
    everything.limit = -1;
    auto configs = context.documents().query(kUiConfigs, {{"projectId", project.id}}, everything);
    if (!configs && is_absent_family(configs.error())) return companions;
    if (!configs) return configs.error();
    for (const sdk::Document& config : configs->rows)
        companions.push_back({kUiConfigName + config.id, config.key});
    return companions;
}

sdk::Result<void> Project::accompany(sdk::Context& context, const sdk::Document& project,
                                     const sdk::Companion& companion) {
    if (companion.name.starts_with(kUiConfigName)) return {};
    return Resource::accompany(context, project, companion);
}

sdk::Result<std::vector<sdk::RecordKey>> Project::bounded_by(const sdk::Reader&,
                                                             const sdk::RecordKey& record) {
    return std::vector<sdk::RecordKey>{record};
}

sdk::Result<sdk::Reply> Project::invite(const sdk::Call& call) {
    return invite_to_project(call, services_);
}

sdk::Result<sdk::Reply> Project::maintain(const sdk::Call& call) {
    return services_.upkeep.maintain_project(call);
}

ProjectJobs::ProjectJobs(sdk::Jobs& jobs, sdk::Registrar& registrar, sdk::Teams& teams)
    : jobs_(jobs) {
    jobs.define({.name = kType, .run = [&registrar, &teams](sdk::Job& job) {
                     return create_project(registrar, teams, job);
                 }});
}

sdk::Result<sdk::Reply> ProjectJobs::start(const sdk::Call& call) const {
    if (!call.body().is_object()) return sdk::invalid_parameter("body", "must be an object");
    sdk::Context& context = call.context();
    // The job acts as the server; what the caller may not use is refused here.
    const std::string stack = sdk::text_member(call.body(), "stackId");
    if (!stack.empty()) {
        if (auto checked = check_stack(context, stack); !checked) return checked.error();
    }
    auto job = jobs_.start(context, {.type = kType, .input = call.body()});
    if (!job) return job.error();
    return sdk::reply_of_started(jobs_, call, *job);
}

sdk::Result<sdk::Reply> list_project_types(const sdk::Call& call) {
    const sdk::Json empty{{"_doc", "empty"},
                          {"identifier", "empty"},
                          {"reference", "empty"},
                          {"title", "Empty project"},
                          {"description", "A project with an empty content repository"}};
    return sdk::Reply::page_of(sdk::Json::array({empty}), call.page());
}

}  // namespace stele::platform
