#include "tenant.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "plan.hpp"
#include "tenant_catalogue.hpp"
#include "tenant_jobs.hpp"
#include "tenant_platform.hpp"

namespace stele::data_stores {

namespace {

constexpr std::size_t kMaxSlugLength = 63;

sdk::CollectionName plans_of(const sdk::CollectionName& tenants) {
    return {kPlanType, tenants.container, tenants.container_key};
}

/// The plan of the key, or `invalid`.
sdk::Result<sdk::Document> find_plan(sdk::Context& context, const sdk::CollectionName& tenants,
                                     const sdk::Json& tenant) {
    const std::string key = sdk::text_member(tenant, "planKey");
    auto plan = context.documents().read(plans_of(tenants), key);
    if (!plan && is_missing(plan.error())) {
        return sdk::make_error(
            {{"planKey", "data_stores.tenant_plan_unknown", "the registrar has no plan " + key}});
    }
    return plan;
}

bool is_slug(const std::string& text) {
    const bool is_edged = text.front() == '-' || text.back() == '-';
    return !is_edged && text.size() <= kMaxSlugLength &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
           });
}

/// The tenant that stands for the platform on which its record lies.
bool is_own_tenant(const sdk::Json& tenant, const sdk::Context& context) {
    return sdk::text_member(tenant, "platformId") == context.platform().id;
}

sdk::Error own_tenant_required() {
    return sdk::make_error(sdk::ErrorKind::conflict, "data_stores.tenant_own_required",
                           "the tenant that stands for this platform itself can be neither "
                           "disabled nor removed");
}

sdk::Error ownership_missing() {
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "all permissions on this platform are needed to look inside its own "
                           "tenant");
}

sdk::Error unknown_tenant(const std::string& principal) {
    return sdk::make_error(sdk::ErrorKind::not_found, "tenant.unknown",
                           "no tenant was made for " + principal);
}

/// Of any family; what it is and where stand beside its own members.
sdk::Shape object_row() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object(
        {{"_doc", text()}, optional("typeId", text()), optional("ref", text())});
}

/// Of the plugin that keeps meters; of a row may be left what `_fields` names.
sdk::Shape meter() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object(
        {{"_doc", text()}, optional("tenantId", text()), optional("meterType", text())});
}

sdk::Actions meter_actions() {
    return {
        {.name = "closeout",
         .permission = sdk::Permission::update,
         .run = sdk::action<&Tenant::close_out>(),
         .answers = sdk::shape::changed()},
        {.name = "meters",
         .method = "GET",
         .run = sdk::action<&Tenant::list_meters>(),
         .paged = true,
         .slow = true,
         .answers = sdk::shape::page(meter())},
        {.name = "meters/query",
         .run = sdk::action<&Tenant::list_meters>(),
         .paged = true,
         .slow = true,
         .answers = sdk::shape::page(meter())},
        {.name = "meters/current/{meterType}",
         .method = "GET",
         .run = sdk::action<&Tenant::read_current_meter>(),
         .answers = meter()},
    };
}

sdk::Actions tenant_actions() {
    using enum sdk::Permission;
    sdk::Actions actions{
        {.name = "lookup",
         .method = "GET",
         .scope = sdk::ActionScope::collection,
         .permission = connect,
         .run = sdk::action<&Tenant::look_up>(),
         .parameters = {{"id", true}},
         .answers = sdk::shape::record(kTenantType)},
        {.name = "start",
         .scope = sdk::ActionScope::collection,
         .permission = create_subobjects,
         .run = sdk::action<&Tenant::start>(),
         .answers = sdk::shape::job()},
        // What is inside of a tenant is shown to those who could get inside anyway.
        {.name = "defaultclient",
         .method = "GET",
         .permission = modify_credentials,
         .run = sdk::action<&Tenant::read_default_client>(),
         .answers = sdk::shape::record("client")},
        {.name = "objects",
         .method = "GET",
         .permission = modify_credentials,
         .run = sdk::action<&Tenant::list_objects>(),
         .parameters = {{"type"}},
         .paged = true,
         .slow = true,
         .answers = sdk::shape::page(object_row())},
        {.name = "autoclientmappings",
         .method = "GET",
         .permission = modify_credentials,
         .run = sdk::action<&Tenant::list_mappings>(),
         .paged = true,
         .slow = true,
         .answers = sdk::shape::page(sdk::shape::record("autoClientMapping"))},
    };
    const sdk::Actions of_meters = meter_actions();
    actions.insert(actions.end(), of_meters.begin(), of_meters.end());
    return actions;
}

}  // namespace

sdk::ResourceDescriptor Tenant::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "dnsSlug", .kind = text, .unique = true},
        {.name = "planKey", .kind = text, .required = true},
        {.name = "principalId", .kind = text, .immutable = true},
        {.name = "domainId", .kind = text, .immutable = true},
        {.name = "platformId", .kind = text, .read_only = true},
        {.name = "enabled", .kind = boolean, .default_json = "true"},
    };
    return {.type = kTenantType,
            .container = kRegistrarType,
            .path = "tenants",
            .placeholder = "tenantId",
            .container_member = kRegistrarId,
            .fields = fields,
            // A platform of its own, which its owner exports.
            .operations = {.transfer = false},
            .actions = tenant_actions(),
            .slow_writes = true,
            .title = "tenants"};
}

sdk::Result<void> Tenant::prepare(sdk::Change& change, sdk::Context& context) {
    switch (change.kind) {
        case sdk::ChangeKind::create:
            return prepare_create(change, context);
        case sdk::ChangeKind::update:
            return prepare_update(change, context);
        case sdk::ChangeKind::remove:
            return prepare_remove(change, context);
    }
    return {};
}

sdk::Result<void> Tenant::prepare_create(sdk::Change& change, sdk::Context& context) {
    sdk::Json& fields = change.after->fields;
    auto plan = find_plan(context, change.collection, fields);
    if (!plan) return plan.error();
    fields["planKey"] = sdk::text_member(plan->fields, "planKey");
    // Nobody else may leave out whose tenant it is to be.
    if (context.session().is_system && sdk::text_member(fields, "principalId").empty()) {
        fields["platformId"] = context.platform().id;
        return {};
    }
    if (context.platform().number != services_.registrar.root_platform().number) {
        return sdk::make_error(sdk::ErrorKind::conflict, "data_stores.tenant_nested",
                               "a tenant has no tenants of its own");
    }
    auto owner = find_owner(services_.principals, context, fields);
    if (!owner) return owner.error();
    fields["principalId"] = owner->id;
    fields["domainId"] = sdk::text_member(owner->fields, "domainId");
    auto platform = make_platform(services_.platforms, context, *change.after,
                                  change.collection.container, *owner);
    if (!platform) return platform.error();
    fields["platformId"] = platform->id;
    if (sdk::flag_member(fields, "enabled", true)) return {};
    return services_.platforms.set_open(context, *platform, false);
}

sdk::Result<void> Tenant::prepare_update(sdk::Change& change, sdk::Context& context) {
    sdk::Json& fields = change.after->fields;
    auto plan = find_plan(context, change.collection, fields);
    if (!plan) return plan.error();
    fields["planKey"] = sdk::text_member(plan->fields, "planKey");
    const bool was_enabled = sdk::flag_member(change.before->fields, "enabled", true);
    const auto enabled = fields.find("enabled");
    if (enabled == fields.end() || enabled->is_null()) fields["enabled"] = was_enabled;
    if (sdk::flag_member(fields, "enabled", true) == was_enabled) return {};
    return open_or_close(fields, context);
}

sdk::Result<void> Tenant::open_or_close(const sdk::Json& fields, sdk::Context& context) {
    if (is_own_tenant(fields, context)) return own_tenant_required();
    auto platform = services_.platforms.find(context, sdk::text_member(fields, "platformId"));
    if (!platform) return platform.error();
    return services_.platforms.set_open(context, *platform,
                                        sdk::flag_member(fields, "enabled", true));
}

sdk::Result<void> Tenant::prepare_remove(const sdk::Change& change, sdk::Context& context) {
    const sdk::Json& fields = change.before->fields;
    if (is_own_tenant(fields, context)) return own_tenant_required();
    auto platform = services_.platforms.find(context, sdk::text_member(fields, "platformId"));
    if (platform) return services_.platforms.remove(context, *platform);
    return is_missing(platform.error()) ? sdk::Result<void>() : platform.error();
}

void Tenant::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (!change.after) return;
    const auto slug = change.after->fields.find("dnsSlug");
    if (slug == change.after->fields.end() || slug->is_null()) return;
    const std::string text = sdk::text_member(change.after->fields, "dnsSlug");
    if (!text.empty() && is_slug(text)) return;
    violations.push_back({"dnsSlug", "data_stores.tenant_slug_malformed",
                          "dnsSlug must have 1 to 63 small letters, digits and hyphens, and no "
                          "hyphen at its ends"});
}

sdk::Result<void> Tenant::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::create) return {};
    return services_.catalogue.tell_made(context, *change.after, change.collection);
}

sdk::Result<sdk::Reply> Tenant::look_up(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const auto id = call.required_parameter("id");
    if (!id) return id.error();
    auto principal = services_.principals.find(context, *id);
    if (!principal) return is_missing(principal.error()) ? unknown_tenant(*id) : principal.error();
    sdk::PageRequest everything;
    everything.limit = -1;
    auto tenants = context.documents().query(
        call.collection(), {{"principalId", principal->id}, {"domainId", principal->domain_id}},
        everything);
    if (!tenants) return tenants.error();
    for (const sdk::Document& tenant : tenants->rows) {
        auto readable = sdk::holds(context, tenant.key, sdk::Permission::read);
        if (!readable) return readable.error();
        if (*readable) return sdk::Reply::json(tenant.fields);
    }
    return unknown_tenant(*id);
}

sdk::Result<sdk::Reply> Tenant::start(const sdk::Call& call) {
    if (!call.body().is_object()) return sdk::invalid_parameter("body", "must be an object");
    sdk::Context& context = call.context();
    // The job acts as the server; what the caller may not use is refused here.
    if (auto plan = find_plan(context, call.collection(), call.body()); !plan) return plan.error();
    auto owner = find_owner(services_.principals, context, call.body());
    if (!owner) return owner.error();
    auto job = services_.jobs.start(context, call.collection().container, call.body());
    if (!job) return job.error();
    return sdk::reply_of_started(services_.jobs.jobs(), call, *job);
}

sdk::Result<void> Tenant::run_on_platform(
    const sdk::Call& call, const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    sdk::Context& context = call.context();
    if (is_own_tenant(call.record().fields, context)) {
        // Rights on the record are none on the platform around it.
        auto owned = sdk::holds(context, context.platform().root, sdk::PermissionSet::all());
        if (!owned) return owned.error();
        if (!*owned) return ownership_missing();
    }
    auto platform =
        services_.platforms.find(context, sdk::text_member(call.record().fields, "platformId"));
    if (!platform) return platform.error();
    return services_.platforms.run_on(context, *platform, work);
}

sdk::Result<sdk::Reply> Tenant::read_default_client(const sdk::Call& call) {
    sdk::Result<sdk::Json> client = sdk::Json();
    auto done = run_on_platform(call, [&client](sdk::Context& inside) -> sdk::Result<void> {
        client = default_client(inside);
        return client ? sdk::Result<void>() : client.error();
    });
    if (!done) return done.error();
    return sdk::Reply::json(*client).header("Cache-Control", "no-store");
}

sdk::Result<sdk::Reply> Tenant::list_objects(const sdk::Call& call) {
    const std::string type = call.parameter("type").value_or("");
    sdk::Result<sdk::Json> rows = sdk::Json();
    auto done = run_on_platform(call, [&](sdk::Context& inside) -> sdk::Result<void> {
        rows = platform_objects(inside, type);
        return rows ? sdk::Result<void>() : rows.error();
    });
    if (!done) return done.error();
    return sdk::Reply::page_of(*rows, call.page());
}

sdk::Result<sdk::Reply> Tenant::list_mappings(const sdk::Call& call) {
    sdk::Result<sdk::Json> rows = sdk::Json();
    auto done = run_on_platform(call, [&rows](sdk::Context& inside) -> sdk::Result<void> {
        rows = client_mappings(inside);
        return rows ? sdk::Result<void>() : rows.error();
    });
    if (!done) return done.error();
    return sdk::Reply::page_of(*rows, call.page());
}

namespace {

/// The tenant's meters that fit, the latest first unless the page says otherwise.
sdk::Result<sdk::DocumentPage> meters_of(const sdk::Call& call, sdk::Json condition,
                                         sdk::PageRequest page) {
    if (page.sort.empty()) {
        page.sort.push_back({"meterStart.ms", false});
        // A removed tenant of the same id may have left some of the same month.
        page.sort.push_back({"_system.created_on.ms", false});
    }
    sdk::Json all = {{"tenantId", call.record().id}};
    if (!condition.empty()) all = {{"$and", sdk::Json::array({all, std::move(condition)})}};
    return call.context().documents().query(
        {"meter", call.collection().container, call.collection().container_key}, all, page);
}

}  // namespace

/// One page of a list that grows with every month.
sdk::Result<sdk::Reply> Tenant::list_meters(const sdk::Call& call) {
    sdk::Json condition = call.method() == "POST" ? call.body() : sdk::Json::object();
    if (!condition.is_object()) return sdk::invalid_parameter("body", "must be an object");
    sdk::Json shown = sdk::Json::object();
    if (const auto fields = condition.find("_fields"); fields != condition.end()) {
        shown["_fields"] = *fields;
        condition.erase("_fields");
    }
    auto meters = meters_of(call, std::move(condition), call.page());
    if (!meters) return meters.error();
    std::vector<sdk::Json> rows;
    for (sdk::Document& meter : meters->rows)
        rows.push_back(std::move(meter.fields));
    sdk::PageRequest all;
    all.limit = -1;
    auto projected = services_.rows.page(rows, shown, all);
    if (!projected) return projected;
    auto page = sdk::parse_json(projected->body(), {.depth = 200});
    if (!page) return page.error();
    return sdk::Reply::page((*page)["rows"], meters->total_rows, meters->offset);
}

sdk::Result<sdk::Reply> Tenant::read_current_meter(const sdk::Call& call) {
    std::string type(call.path("meterType"));
    sdk::PageRequest latest;
    latest.limit = 1;
    auto meters = meters_of(call, {{"meterType", type}}, latest);
    if (!meters) return meters.error();
    if (!meters->rows.empty()) return sdk::Reply::json(meters->rows.front().fields);
    return sdk::make_error(sdk::ErrorKind::not_found, "data_stores.tenant_meter_unknown",
                           "the tenant has no meter " + type);
}

sdk::Result<sdk::Reply> Tenant::close_out(const sdk::Call& call) {
    auto closed = services_.catalogue.tell_closed(call.context(), call.record(), call.collection());
    if (!closed) return closed.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

}  // namespace stele::data_stores
