#include "job_operations.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/members.hpp>

namespace stele::platform {

namespace {

sdk::Result<bool> sees_all(sdk::Context& context) {
    return sdk::holds(context, context.platform().root, sdk::Permission::update);
}

bool runs_as(const sdk::Json& job, const sdk::Principal& principal) {
    return sdk::text_member(job, "runAsPrincipalId") == principal.id &&
           sdk::text_member(job, "runAsPrincipalDomainId") == principal.domain_id;
}

}  // namespace

sdk::Result<sdk::Json> JobOperations::find(const sdk::Call& call) const {
    sdk::Context& context = call.context();
    const std::string id(call.path("jobId"));
    auto job = jobs_.read(context, id);
    if (!job || runs_as(*job, context.principal())) return job;
    const auto all = sees_all(context);
    if (!all) return all.error();
    if (*all) return job;
    return sdk::make_error(sdk::ErrorKind::not_found, "job.unknown", "there is no job " + id);
}

sdk::Result<sdk::Reply> JobOperations::read(const sdk::Call& call) const {
    auto job = find(call);
    if (!job) return job.error();
    return sdk::Reply::json(*job);
}

sdk::Result<sdk::Reply> JobOperations::kill(const sdk::Call& call) const {
    auto job = find(call);
    if (!job) return job.error();
    const std::string id(call.path("jobId"));
    if (auto killed = jobs_.kill(call.context(), id); !killed) return killed.error();
    return sdk::Reply::status({{"_doc", id}});
}

sdk::Result<sdk::Reply> JobOperations::list_attachments(const sdk::Call& call) const {
    auto job = find(call);
    if (!job) return job.error();
    return rows_.page({}, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> JobOperations::read_attachment(const sdk::Call& call) const {
    auto job = find(call);
    if (!job) return job.error();
    auto attachment = sdk::find_attachment(sdk::Json::object(), call.path(sdk::kAttachmentId));
    return attachment.error();
}

sdk::Result<sdk::Reply> JobOperations::query(const sdk::Call& call,
                                             const std::vector<sdk::JobState>& states) const {
    sdk::Context& context = call.context();
    const auto all = sees_all(context);
    if (!all) return all.error();
    std::vector<sdk::Json> visible;
    auto visited = jobs_.for_each(context, states, [&](const sdk::Json& job) {
        if (*all || runs_as(job, context.principal())) visible.push_back(job);
        return true;
    });
    if (!visited) return visited.error();
    return rows_.page(visible, call.body(), call.page());
}

}  // namespace stele::platform
