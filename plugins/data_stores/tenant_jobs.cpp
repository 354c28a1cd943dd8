#include "tenant_jobs.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/job_rights.hpp>
#include <stele/sdk/members.hpp>

#include "registrar_store.hpp"
#include "tenant.hpp"

namespace stele::data_stores {

namespace {

constexpr char kJobType[] = "create-tenant";
constexpr char kTenant[] = "tenant";

/// Named after the job, so that a repeated one finds what it had made.
sdk::Result<sdk::Document> create_once(sdk::Context& context, const sdk::Job& job) {
    const sdk::CollectionName tenants{kTenantType, sdk::text_member(job.input(), kRegistrarId)};
    if (job.attempt() > 1) {
        auto made = context.documents().read(tenants, job.id());
        if (made || !sdk::is_missing(made.error())) return made;
    }
    sdk::Json fields = job.input().value(kTenant, sdk::Json::object());
    fields["_doc"] = job.id();
    return context.documents().create(tenants, std::move(fields));
}

sdk::Result<sdk::Json> create_tenant(sdk::Registrar& registrar, sdk::Job& job) {
    sdk::Json result;
    auto done =
        registrar.run_as_system(job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto registrar_record = context.documents().read(
                {kRegistrarType, ""}, sdk::text_member(job.input(), kRegistrarId));
            if (!registrar_record) return registrar_record.error();
            auto may = sdk::require_of_starter(context, job, registrar_record->key,
                                               sdk::Permission::create_subobjects);
            if (!may) return may;
            auto tenant = create_once(context, job);
            if (!tenant) return tenant.error();
            auto granted = context.authorities().grant(tenant->key, job.run_as().key, "owner");
            if (!granted) return granted;
            result = {{"created-tenant-id", tenant->id}};
            return {};
        });
    if (!done) return done.error();
    return result;
}

}  // namespace

TenantJobs::TenantJobs(sdk::Jobs& jobs, sdk::Registrar& registrar) : jobs_(jobs) {
    jobs.define({.name = kJobType,
                 .run = [&registrar](sdk::Job& job) { return create_tenant(registrar, job); }});
}

sdk::Result<std::string> TenantJobs::start(sdk::Context& context, const std::string& registrar_id,
                                           const sdk::Json& tenant) const {
    return jobs_.start(
        context, {.type = kJobType, .input = {{kRegistrarId, registrar_id}, {kTenant, tenant}}});
}

}  // namespace stele::data_stores
