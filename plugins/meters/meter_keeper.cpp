#include "meter_keeper.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/log.hpp>
#include <stele/sdk/time.hpp>

#include "figures.hpp"
#include "meter.hpp"

namespace stele::meters {

namespace {

/// The time that meters are of: a month, or the part of one between two closings.
struct Span {
    std::chrono::year_month month;
    std::uint64_t period = 0;
    std::int64_t begin_ms = 0;
    std::int64_t end_ms = 0;
};

/// That of the figures, as long as nobody closes it.
Span open_span(std::chrono::year_month month, const sdk::MonthlyUsage& usage) {
    const std::int64_t begin = usage.begin_ms > 0 ? usage.begin_ms : sdk::begin_of(month);
    return {month, usage.period, begin, sdk::begin_of(month + std::chrono::months(1))};
}

/// One per platform, type and span, so that servers that write at once meet. Another tenant may
/// get the id of one that was removed, no platform does.
std::string meter_id(const sdk::MeteredTenant& tenant, const char* type, const Span& span) {
    const int number =
        static_cast<int>(span.month.year()) * 100 + static_cast<int>(unsigned(span.month.month()));
    const std::string id = tenant.platform.id + "-" + std::to_string(number) + "-" + type;
    return span.period == 0 ? id : id + "-" + std::to_string(span.period + 1);
}

bool has_members(const sdk::Json& record, const sdk::Json& members) {
    for (const auto& [name, value] : members.items()) {
        const auto present = record.find(name);
        if (present == record.end() || *present != value) return false;
    }
    return true;
}

sdk::Result<void> write_meter(sdk::Context& context, const sdk::MeteredTenant& tenant,
                              const char* type, const Span& span, sdk::Json members) {
    const sdk::CollectionName meters{kMeterType, tenant.registrar_id};
    const std::string id = meter_id(tenant, type, span);
    members["tenantId"] = tenant.id;
    members["meterType"] = type;
    members["meterStart"] = sdk::time_value(span.begin_ms);
    members["meterEnd"] = sdk::time_value(span.end_ms);
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
                             const Span& span, const sdk::MonthlyUsage& usage) {
    auto storage =
        write_meter(context, tenant, kStorage, span, figures(usage.stored, {}, tenant.storage));
    if (!storage) return storage;
    // What is not written down yet would be out of date in a record.
    return write_meter(context, tenant, kTransferOut, span,
                       figures(usage.sent, {}, tenant.transfer_out));
}

}  // namespace

MeterKeeper::MeterKeeper(sdk::Registrar& registrar, sdk::Usage& usage, sdk::Tenants& tenants,
                         sdk::Platforms& platforms)
    : registrar_(registrar), usage_(usage), tenants_(tenants), platforms_(platforms) {
    usage.on_written([this](const sdk::PlatformScope& platform, std::chrono::year_month month) {
        refresh(platform, month);
    });
    tenants.on_made([](sdk::Context& context, const sdk::MeteredTenant& tenant) {
        return write_both(context, tenant, open_span(sdk::month_of(sdk::now_ms()), {}), {});
    });
    tenants.on_closed([this](sdk::Context& context, const sdk::MeteredTenant& tenant) {
        // Whoever closes a period does not come to own the meters of the next one.
        return close(context.as_system(), tenant);
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
    return write_both(context, **tenant, open_span(month, *usage), *usage);
}

sdk::Result<std::string> MeterKeeper::keep(sdk::Context& context, std::string_view platform_id,
                                           const char* type) const {
    auto platform = platforms_.find(context, platform_id);
    if (!platform) return platform.error();
    auto tenant = tenants_.of_platform(context, *platform);
    if (!tenant) return tenant.error();
    if (!*tenant) {
        return sdk::make_error(sdk::ErrorKind::not_found, "meters.tenant_unknown",
                               "the platform is no tenant's");
    }
    const std::chrono::year_month month = sdk::month_of(sdk::now_ms());
    auto usage = usage_.read(context, *platform, month);
    if (!usage) return usage.error();
    const Span span = open_span(month, *usage);
    if (auto written = write_both(context, **tenant, span, *usage); !written)
        return written.error();
    return meter_id(**tenant, type, span);
}

sdk::Result<void> MeterKeeper::close(sdk::Context& context,
                                     const sdk::MeteredTenant& tenant) const {
    // A request that is repeated, because its answer got lost, closes no second period.
    constexpr std::int64_t kMinMs = 60'000;
    const std::int64_t now = sdk::now_ms();
    const std::chrono::year_month month = sdk::month_of(now);
    auto usage = usage_.read(context, tenant.platform, month);
    if (!usage) return usage.error();
    Span closed = open_span(month, *usage);
    if (now - closed.begin_ms < kMinMs) return {};
    closed.end_ms = now;
    if (auto written = write_both(context, tenant, closed, *usage); !written) return written;
    if (auto done = usage_.close(context, tenant.platform, now); !done) return done;
    auto next = usage_.read(context, tenant.platform, month);
    if (!next) return next.error();
    return write_both(context, tenant, open_span(month, *next), *next);
}

}  // namespace stele::meters
