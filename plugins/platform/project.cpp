#include "project.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/services/project_templates.hpp>

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

/// The project type that brings nothing, whatever archives are called.
constexpr char kEmptyType[] = "empty";

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

/// The project as the one who started the job would make it by a request, with the job's end.
sdk::Result<sdk::Json> create_project(sdk::InnerOperations& operations, sdk::Job& job) {
    sdk::Json result;
    auto done = operations.run_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto made = operations.on_collection(context, kProjects.type, context.platform().root,
                                                 {.method = "POST", .body = job.input()});
            if (!made) return made.error();
            auto project = sdk::parse_json(made->body());
            if (!project) return project.error();
            result = {{"created-project-id", sdk::text_member(*project, "_doc")}};
            return job.finish(context.transaction(), result);
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
            // One that is made from an archive takes as long as an import.
            .slow_writes = true,
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
    if (change.kind == sdk::ChangeKind::create) return fill(*change.after, context);
    if (change.kind != sdk::ChangeKind::remove) return {};
    return remove_own_stack(context, change.before->fields);
}

/// With what the archive holds that its type names.
sdk::Result<void> Project::fill(const sdk::Document& project, sdk::Context& context) const {
    const std::string type = sdk::text_member(project.fields, "projectType");
    if (type.empty() || type == kEmptyType) return {};
    auto* const templates = services_.registrar.find<sdk::ProjectTemplates>();
    if (templates) return templates->apply(context, type, project.key);
    if (!type.starts_with("archive://")) return {};
    return sdk::make_error(
        {{"projectType", "platform.project_type_unknown", "no enabled plugin keeps archives"}});
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
    auto reference = context.reference(companion.record);
    if (!reference) return reference.error();
    // A config names its project itself. Anything else would come along unseen.
    const std::string_view type = std::string_view(*reference).substr(0, reference->find(':'));
    const bool is_config = companion.name.starts_with(kUiConfigName) &&
                           sdk::equals_ignoring_case(type, kUiConfigs.type);
    if (is_config) return {};
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

ProjectJobs::ProjectJobs(sdk::Jobs& jobs, sdk::InnerOperations& operations) : jobs_(jobs) {
    jobs.define({.name = kType,
                 .run = [&operations](sdk::Job& job) { return create_project(operations, job); }});
}

sdk::Result<sdk::Reply> ProjectJobs::start(const sdk::Call& call) const {
    if (!call.body().is_object()) return sdk::invalid_parameter("body", "must be an object");
    sdk::Context& context = call.context();
    // What the job would be refused is refused here.
    const std::string stack = sdk::text_member(call.body(), "stackId");
    if (!stack.empty()) {
        if (auto checked = check_stack(context, stack); !checked) return checked.error();
    }
    auto job = jobs_.start(context, {.type = kType, .input = call.body()});
    if (!job) return job.error();
    return sdk::reply_of_started(jobs_, call, *job);
}

sdk::Result<sdk::Reply> list_project_types(sdk::Registrar& registrar, const sdk::Call& call) {
    const sdk::Json empty{{"_doc", kEmptyType},
                          {"identifier", kEmptyType},
                          {"reference", kEmptyType},
                          {"title", "Empty project"},
                          {"description", "A project with an empty content repository"}};
    sdk::Json rows = sdk::Json::array({empty});
    if (auto* const templates = registrar.find<sdk::ProjectTemplates>()) {
        auto published = templates->list(call.context());
        if (!published) return published.error();
        for (sdk::Json& type : *published)
            rows.push_back(std::move(type));
    }
    return sdk::Reply::page_of(rows, call.page());
}

}  // namespace stele::platform
