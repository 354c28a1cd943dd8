#include "meter.hpp"

namespace stele::meters {

namespace {

constexpr const char* kFigures[] = {
    "maxByteCount",           "rawByteCount",        "rawByteCountPercentage",
    "unprocessedByteCount",   "billableByteCount",   "billableByteCountPercentage",
    "maxObjectCount",         "rawObjectCount",      "rawObjectCountPercentage",
    "unprocessedObjectCount", "billableObjectCount", "billableObjectCountPercentage"};

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
            .title = "meters"};
}

}  // namespace stele::meters
