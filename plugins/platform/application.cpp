#include "application.hpp"

#include <stele/sdk/members.hpp>

#include "application_mappings.hpp"
#include "collections.hpp"
#include "deployments.hpp"
#include "stack_stores.hpp"

namespace stele::platform {

namespace {

/// The stack of a project that the caller may read.
sdk::Result<sdk::Document> stack_of(sdk::Context& context, const std::string& project_id) {
    auto project = sdk::if_readable(context, context.documents().read(kProjects, project_id));
    if (!project) return project.error();
    if (!*project) {
        return sdk::make_error(
            {{"projectId", "platform.project_unknown", "there is no project " + project_id}});
    }
    return context.documents().read(kStacks, sdk::text_member((*project)->fields, "stackId"));
}

/// A record of the plugin that keeps web hosts, which need not be there.
std::vector<sdk::ShapeMember> deployed_members() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return {{"_doc", text()},
            optional("webhostId", text()),
            optional("applicationId", text()),
            optional("deploymentKey", text()),
            optional("state", text({"STARTED", "STOPPED"})),
            optional("urls", sdk::shape::array(text()))};
}

sdk::Shape undeployed() {
    return sdk::shape::status(
        {{"_doc", sdk::shape::text()}, {"deploymentKey", sdk::shape::text()}});
}

sdk::Shape deployed_info() {
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()},
                               {"deploymentKey", text()},
                               {"webhostId", text()},
                               {"state", text()},
                               {"urls", sdk::shape::array(text())}});
}

sdk::Action deployment_action(const char* name, const char* method, sdk::Permission permission,
                              sdk::Result<sdk::Reply> (*run)(const sdk::Call&), sdk::Shape answers,
                              const char* detail = "") {
    return {.name = std::string(name) + "/{deploymentKey}" + detail,
            .method = method,
            .permission = permission,
            .run = [run](sdk::Resource&, const sdk::Call& call) { return run(call); },
            .answers = std::move(answers)};
}

sdk::Shape mapping() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()},
                               optional("webhostId", text()),
                               optional("host", sdk::shape::null_or(text()))});
}

sdk::Action mapping_action(const char* name,
                           sdk::Result<sdk::Reply> (*run)(const sdk::Call&, sdk::RowQuery&),
                           sdk::RowQuery& rows) {
    return {.name = name,
            .method = "GET",
            .run = [run, &rows](sdk::Resource&, const sdk::Call& call) { return run(call, rows); },
            .paged = true,
            .answers = sdk::shape::page(mapping())};
}

}  // namespace

sdk::ResourceDescriptor Application::describe() const {
    using enum sdk::FieldKind;
    constexpr auto kRead = sdk::Permission::read;
    constexpr auto kUpdate = sdk::Permission::update;
    const sdk::Fields fields{
        {.name = "key", .kind = text, .addresses = true},
        {.name = "projectId", .kind = text},
        {.name = "applicationType", .kind = text},
        {.name = "source"},
        {.name = "deployments"},
        {.name = kDeployed, .kind = object, .read_only = true},
        {.name = "isTenantDefault", .kind = boolean},
    };
    return {
        .type = "application",
        .path = "applications",
        .placeholder = "applicationId",
        .fields = fields,
        .capabilities = {.data_store = true},
        .actions = {deployment_action("deploy", "POST", kUpdate, &deploy_application,
                                      sdk::shape::status(deployed_members())),
                    deployment_action("undeploy", "POST", kUpdate, &undeploy_application,
                                      undeployed()),
                    deployment_action("deployed", "GET", kRead, &read_deployed_application,
                                      sdk::shape::object(deployed_members())),
                    deployment_action("deployed", "POST", kRead, &read_deployed_application,
                                      sdk::shape::object(deployed_members())),
                    deployment_action("deployed", "GET", kRead, &read_deployed_info,
                                      deployed_info(), "/info"),
                    mapping_action("autoclientmappings", &list_auto_client_mappings, rows_),
                    mapping_action("trusteddomainmappings", &list_trusted_domain_mappings, rows_)},
        // Where it runs, until it is deployed anew.
        .unmoved_members = {kDeployed},
        .title = "applications"};
}

sdk::Result<void> Application::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    const std::string project = sdk::text_member(change.after->fields, "projectId");
    const bool is_new = change.kind == sdk::ChangeKind::create;
    const std::string previous =
        is_new ? std::string() : sdk::text_member(change.before->fields, "projectId");
    if (project.empty() || project == previous) return {};
    const auto stack = stack_of(context, project);
    if (!stack) return stack.error();
    const auto may_assign = sdk::holds(context, stack->key, sdk::Permission::update);
    if (!may_assign) return may_assign.error();
    if (!*may_assign) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "UPDATE on the stack of project " + project + " is needed for this");
    }
    if (!is_new) return {};
    return StackStores(context).assign(stack->key, change.after->id, change.after->key);
}

}  // namespace stele::platform
