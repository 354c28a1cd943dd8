#include "page_rendition.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/job_rights.hpp>
#include <stele/sdk/members.hpp>

namespace stele::platform {

namespace {

constexpr char kPageRendition[] = "pageRendition";
constexpr char kInvalidateJob[] = "invalidate-page-renditions";
constexpr char kRenditionKey[] = "key";
constexpr char kRenditionAddress[] = "address";
constexpr char kRenditionDeployment[] = "deploymentKey";
constexpr char kRenditionApplication[] = "applicationId";
constexpr char kActive[] = "active";
/// Renditions that one transaction marks.
constexpr std::int64_t kMarkedAtOnce = 500;

/// Marks some of a deployment; true when none was left.
sdk::Result<bool> mark_some(sdk::Context& context, const sdk::CollectionName& renditions,
                            const std::string& deployment) {
    sdk::PageRequest first;
    first.limit = kMarkedAtOnce;
    auto active = context.documents().query(
        renditions, {{kRenditionDeployment, deployment}, {kActive, true}}, first);
    if (!active) return active.error();
    for (const sdk::Document& rendition : active->rows) {
        auto marked = context.documents().patch(renditions, rendition.id, {{kActive, false}});
        if (!marked) return marked.error();
    }
    return active->rows.size() == active->total_rows;
}

sdk::Result<sdk::Json> mark_all(sdk::Registrar& registrar, sdk::Job& job) {
    const std::string deployment = sdk::text_member(job.input(), kRenditionDeployment);
    const std::string id = sdk::text_member(job.input(), kRenditionApplication);
    bool is_done = false;
    while (!is_done && !job.must_stop()) {
        auto worked = registrar.run_as_system(
            job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto confirmed = job.confirm(context.transaction()); !confirmed)
                    return confirmed;
                auto application = context.documents().read({"application", ""}, id);
                if (!application) return application.error();
                auto may = sdk::require_of_starter(context, job, application->key,
                                                   sdk::Permission::update);
                if (!may) return may;
                auto marked =
                    mark_some(context, {kPageRendition, id, application->key}, deployment);
                if (!marked) return marked.error();
                is_done = *marked;
                return {};
            });
        if (!worked) return worked.error();
    }
    if (is_done) return sdk::Json::object();
    return sdk::make_error(sdk::ErrorKind::unavailable, "platform.rendition_job_stopped",
                           "the job was stopped");
}

/// The one that was told of under the same key goes, where whoever acts could remove it.
sdk::Result<void> make_room(const sdk::Change& change, sdk::Context& context) {
    const std::string address = sdk::text_member(change.after->fields, kRenditionAddress);
    auto former = context.documents().read(change.collection, address);
    if (!former) return sdk::is_missing(former.error()) ? sdk::Result<void>() : former.error();
    auto may = sdk::holds(context, former->key, sdk::Permission::remove);
    if (!may) return may.error();
    return *may ? context.documents().remove(change.collection, former->id) : sdk::Result<void>();
}

}  // namespace

PageRenditionJobs::PageRenditionJobs(sdk::Jobs& jobs, sdk::Registrar& registrar) : jobs_(jobs) {
    jobs.define({.name = kInvalidateJob,
                 .run = [&registrar](sdk::Job& job) { return mark_all(registrar, job); }});
}

sdk::Result<void> PageRenditionJobs::start(sdk::Context& context, const std::string& application,
                                           const std::string& deployment) const {
    auto started = jobs_.start(context, {.type = kInvalidateJob,
                                         .input = {{kRenditionApplication, application},
                                                   {kRenditionDeployment, deployment}}});
    return started ? sdk::Result<void>() : started.error();
}

sdk::ResourceDescriptor PageRendition::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = kRenditionDeployment, .kind = text, .read_only = true},
        {.name = kRenditionKey, .kind = text},
        {.name = kRenditionAddress, .kind = text, .read_only = true, .addresses = true},
        {.name = kActive, .kind = boolean},
        {.name = "scope", .kind = text},
        {.name = "pageCacheKey", .kind = text},
        {.name = "page", .kind = object},
        {.name = "request", .kind = object},
        {.name = "dependencies", .kind = object},
    };
    return {
        .type = kPageRendition,
        .container = "application",
        .path = "deployments/{deploymentKey}/pagerenditions",
        .placeholder = "pageRenditionId",
        .container_member = kRenditionApplication,
        .fields = fields,
        .actions = {{.name = "invalidateall",
                     .scope = sdk::ActionScope::collection,
                     .permission = sdk::Permission::update,
                     .run = sdk::action<&PageRendition::invalidate_all>(),
                     .slow = true,
                     .answers = sdk::shape::status({{kRenditionDeployment, sdk::shape::text()}})},
                    {.name = "invalidate",
                     .permission = sdk::Permission::update,
                     .run = sdk::action<&PageRendition::invalidate>(),
                     .answers = sdk::shape::written(kPageRendition)}},
        .title = "page renditions"};
}

sdk::Result<void> PageRendition::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    sdk::Json& fields = change.after->fields;
    if (sdk::text_member(fields, kRenditionKey).empty()) fields[kRenditionKey] = change.after->id;
    const auto active = fields.find(kActive);
    if (active == fields.end() || active->is_null()) fields[kActive] = true;
    fields[kRenditionAddress] = sdk::text_member(fields, kRenditionDeployment) + '/' +
                                sdk::text_member(fields, kRenditionKey);
    return change.kind == sdk::ChangeKind::create ? make_room(change, context)
                                                  : sdk::Result<void>();
}

void PageRendition::validate(const sdk::Change& change, sdk::Context&,
                             sdk::Violations& violations) {
    if (!change.after) return;
    const std::string deployment = sdk::text_member(change.after->fields, kRenditionDeployment);
    // The address of a rendition has one meaning.
    if (!deployment.empty() && deployment.find('/') == std::string::npos) return;
    violations.push_back({kRenditionDeployment, "platform.rendition_deployment_malformed",
                          "deploymentKey must not be empty and has no slash"});
}

sdk::Result<sdk::Reply> PageRendition::invalidate(const sdk::Call& call) {
    auto marked =
        call.context().documents().patch(call.collection(), call.record().id, {{kActive, false}});
    if (!marked) return marked.error();
    return sdk::Reply::status(marked->fields);
}

sdk::Result<sdk::Reply> PageRendition::invalidate_all(const sdk::Call& call) {
    const std::string deployment(call.path(kRenditionDeployment));
    const sdk::CollectionName& renditions = call.collection();
    auto is_done = mark_some(call.context(), renditions, deployment);
    if (!is_done) return is_done.error();
    if (!*is_done) {
        auto started = jobs_.start(call.context(), renditions.container, deployment);
        if (!started) return started.error();
    }
    return sdk::Reply::status({{kRenditionDeployment, deployment}});
}

}  // namespace stele::platform
