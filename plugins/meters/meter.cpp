#include "meter.hpp"

#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>

#include "meter_keeper.hpp"

namespace stele::meters {

namespace {

constexpr const char* kFigures[] = {
    "maxByteCount",           "rawByteCount",        "rawByteCountPercentage",
    "unprocessedByteCount",   "billableByteCount",   "billableByteCountPercentage",
    "maxObjectCount",         "rawObjectCount",      "rawObjectCountPercentage",
    "unprocessedObjectCount", "billableObjectCount", "billableObjectCountPercentage"};

/// The platform of a tenant of the registrar.
sdk::Result<std::string> platform_of(const sdk::Call& call, const std::string& tenant_id) {
    const sdk::CollectionName& meters = call.collection();
    auto tenant = call.context().documents().read(
        {"tenant", meters.container, meters.container_key}, tenant_id);
    if (!tenant && sdk::is_missing(tenant.error()))
        return sdk::invalid_parameter("tenantId", "names no tenant of the registrar");
    if (!tenant) return tenant.error();
    return sdk::text_member(tenant->fields, "platformId");
}

/// Members of the body that are the client's own, put into the meter like those of an update.
sdk::Result<sdk::Document> with_members(const sdk::Call& call, sdk::Document meter) {
    sdk::Json fields = meter.fields;
    for (const auto& [name, value] : call.body().items()) {
        if (name != "_doc" && name != "_system") fields[name] = value;
    }
    if (fields == meter.fields) return meter;
    return call.context().documents().update(call.collection(), meter.id, std::move(fields));
}

}  // namespace

sdk::ResourceDescriptor Meter::describe() const {
    using enum sdk::FieldKind;
    sdk::Fields fields{
        {.name = "tenantId", .kind = text, .read_only = true},
        {.name = "meterType", .kind = text, .read_only = true, .one_of = {kStorage, kTransferOut}},
        {.name = "meterStart", .kind = timestamp, .read_only = true},
        {.name = "meterEnd", .kind = timestamp, .read_only = true},
    };
    for (const char* name : kFigures)
        fields.push_back({.name = name, .kind = number, .read_only = true});
    return {.type = kMeterType,
            .container = "registrar",
            .path = "meters",
            .placeholder = "meterId",
            .container_member = "registrarId",
            .fields = fields,
            .operations = {.create = false},
            .actions = {{.name = "",
                         .scope = sdk::ActionScope::collection,
                         .permission = sdk::Permission::create_subobjects,
                         .run = sdk::action<&Meter::make>(),
                         .parameters = {{"tenantId", true},
                                        {"meterType", true, text, {kStorage, kTransferOut}}},
                         .slow = true,
                         .answers = sdk::shape::written(kMeterType)}},
            .unmoved_members = {std::begin(kFigures), std::end(kFigures)},
            .title = "meters"};
}

sdk::Result<sdk::Reply> Meter::make(const sdk::Call& call) {
    sdk::Context& context = call.context();
    auto may = sdk::require_inside(context, call.collection().container_key,
                                   sdk::PermissionSet::all(), "authority.permission_missing",
                                   "every permission on the registrar and on all that is inside "
                                   "it is needed for this");
    if (!may) return may.error();
    const std::string type = call.parameter("meterType").value_or("");
    if (type != kStorage && type != kTransferOut)
        return sdk::invalid_parameter("meterType", "must be STORAGE or TRANSFER_OUT");
    auto platform = platform_of(call, call.parameter("tenantId").value_or(""));
    if (!platform) return platform.error();
    auto id = keeper_.keep(context.as_system(), *platform, type.c_str());
    if (!id) return id.error();
    auto meter = context.documents().read(call.collection(), *id);
    if (!meter) return meter.error();
    auto written = with_members(call, *std::move(meter));
    if (!written) return written.error();
    return sdk::Reply::status(written->fields);
}

}  // namespace stele::meters
