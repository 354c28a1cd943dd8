#include "meter_keeper.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/log.hpp>
#include <stele/sdk/time.hpp>

#include "figures.hpp"
#include "meter.hpp"

namespace stele::meters {

namespace {

/// One per platform, type and month, so that servers that write at once meet. Another tenant may
/// get the id of one that was removed, no platform does.
std::string meter_id(const sdk::MeteredTenant& tenant, const char* type,
                     std::chrono::year_month month) {
    const int number =
        static_cast<int>(month.year()) * 100 + static_cast<int>(unsigned(month.month()));
    return tenant.platform.id + "-" + std::to_string(number) + "-" + type;
}

bool has_members(const sdk::Json& record, const sdk::Json& members) {
    for (const auto& [name, value] : members.items()) {
        const auto present = record.find(name);
        if (present == record.end() || *present != value) return false;
    }
    return true;
}

sdk::Result<void> write_meter(sdk::Context& context, const sdk::MeteredTenant& tenant,
                              const char* type, std::chrono::year_month month, sdk::Json members) {
    const sdk::CollectionName meters{kMeterType, tenant.registrar_id};
    const std::string id = meter_id(tenant, type, month);
    members["tenantId"] = tenant.id;
    members["meterType"] = type;
    members["meterStart"] = sdk::time_value(sdk::begin_of(month));
    members["meterEnd"] = sdk::time_value(sdk::begin_of(month + std::chrono::months(1)));
    auto present = context.documents().read(meters, id);
    if (!present && sdk::is_missing(present.error())) {
        present = context.documents().create(meters, {{"_doc", id}});
    }
    if (!present) return present.error();
    if (has_members(present->fields, members)) return {};
    auto written = context.documents().patch(meters, id, members);
    if (!written) return written.error();
    return {};
}

sdk::Result<void> write_both(sdk::Context& context, const sdk::MeteredTenant& tenant,
                             std::chrono::year_month month, const sdk::MonthlyUsage& usage) {
    auto storage =
        write_meter(context, tenant, kStorage, month, figures(usage.stored, {}, tenant.storage));
    if (!storage) return storage;
    // What is not written down yet would be out of date in a record.
    return write_meter(context, tenant, kTransferOut, month,
                       figures(usage.sent, {}, tenant.transfer_out));
}

}  // namespace

MeterKeeper::MeterKeeper(sdk::Registrar& registrar, sdk::Usage& usage, sdk::Tenants& tenants)
    : registrar_(registrar), usage_(usage), tenants_(tenants) {
    usage.on_written([this](const sdk::PlatformScope& platform, std::chrono::year_month month) {
        refresh(platform, month);
    });
    tenants.on_made([](sdk::Context& context, const sdk::MeteredTenant& tenant) {
        return write_both(context, tenant, sdk::month_of(sdk::now_ms()), {});
    });
}

void MeterKeeper::refresh(const sdk::PlatformScope& platform, std::chrono::year_month month) const {
    auto done = registrar_.run_as_system(registrar_.root_platform(), [&](sdk::Context& context) {
        return write(context, platform, month);
    });
    if (done) return;
    sdk::log(sdk::LogLevel::warning, "meters",
             "the meters of platform " + platform.id + " are out of date: " + done.error().code +
                 ": " + done.error().message);
}

sdk::Result<void> MeterKeeper::write(sdk::Context& context, const sdk::PlatformScope& platform,
                                     std::chrono::year_month month) const {
    auto tenant = tenants_.of_platform(context, platform);
    if (!tenant) return tenant.error();
    if (!*tenant) return {};
    auto usage = usage_.read(context, platform, month);
    if (!usage) return usage.error();
    return write_both(context, **tenant, month, *usage);
}

}  // namespace stele::meters
