#include "tenant_catalogue.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "plan.hpp"
#include "tenant.hpp"

namespace stele::data_stores {

namespace {

std::int64_t amount(const sdk::Json& part, const char* name) {
    constexpr double kMax = 9e18;
    const auto member = part.find(name);
    if (member == part.end() || !member->is_number()) return -1;
    const double value = member->get<double>();
    if (value < 0) return -1;
    const std::int64_t unit = unit_bytes(sdk::text_member(part, "unit")).value_or(1);
    return static_cast<std::int64_t>(std::min(std::round(value * static_cast<double>(unit)), kMax));
}

sdk::PlanLimits limits_of(const sdk::Json& plan, const char* name) {
    const auto part = plan.find(name);
    if (part == plan.end() || !part->is_object()) return {};
    return {amount(*part, "allowance"), amount(*part, "max")};
}

/// A tenant whose plan is gone has no limits.
sdk::Result<sdk::MeteredTenant> metered(sdk::Context& context, const sdk::Document& tenant,
                                        const sdk::CollectionName& tenants,
                                        sdk::PlatformScope platform) {
    sdk::MeteredTenant result{tenant.id, tenants.container, std::move(platform), {}, {}};
    auto plan = context.documents().read({kPlanType, tenants.container, tenants.container_key},
                                         sdk::text_member(tenant.fields, "planKey"));
    if (!plan && is_missing(plan.error())) return result;
    if (!plan) return plan.error();
    result.storage = limits_of(plan->fields, "storage");
    result.transfer_out = limits_of(plan->fields, "transferOut");
    return result;
}

}  // namespace

sdk::Result<std::optional<sdk::MeteredTenant>> TenantCatalogue::of_platform(
    sdk::Context& context, const sdk::PlatformScope& platform) {
    std::optional<sdk::MeteredTenant> none;
    auto root = context.documents().read(platform.root);
    if (!root) return is_missing(root.error()) ? sdk::Result<decltype(none)>(none) : root.error();
    const std::string registrar = sdk::text_member(root->fields, "ownerRegistrarId");
    const std::string id = sdk::text_member(root->fields, "ownerTenantId");
    if (id.empty()) return none;
    const sdk::CollectionName tenants{kTenantType, registrar};
    auto tenant = context.documents().read(tenants, id);
    if (!tenant) {
        return is_missing(tenant.error()) ? sdk::Result<decltype(none)>(none) : tenant.error();
    }
    auto found = metered(context, *tenant, tenants, platform);
    if (!found) return found.error();
    return std::optional(*std::move(found));
}

sdk::Result<sdk::RecordKey> TenantCatalogue::record_of(sdk::Context& context) {
    const auto none = sdk::make_error(sdk::ErrorKind::not_found, "tenant.unknown",
                                      "this platform is no tenant's");
    auto root = context.documents().read(context.platform().root);
    if (!root) return root.error();
    const std::string id = sdk::text_member(root->fields, "ownerTenantId");
    if (id.empty()) return none;
    const sdk::CollectionName tenants{kTenantType,
                                      sdk::text_member(root->fields, "ownerRegistrarId")};
    sdk::Result<sdk::Document> tenant = none;
    auto looked = platforms_.run_on(context, registrar_.root_platform(),
                                    [&](sdk::Context& first) -> sdk::Result<void> {
                                        tenant = first.documents().read(tenants, id);
                                        return {};
                                    });
    if (!looked) return looked.error();
    if (!tenant) return is_missing(tenant.error()) ? none : tenant.error();
    // Both must say so: a platform gets at no other tenant by what it says of itself.
    if (sdk::text_member(tenant->fields, "platformId") != context.platform().id) return none;
    return tenant->key;
}

sdk::Result<void> TenantCatalogue::tell_made(sdk::Context& context, const sdk::Document& tenant,
                                             const sdk::CollectionName& tenants) const {
    if (made_.empty()) return {};
    sdk::PlatformScope platform = context.platform();
    const std::string platform_id = sdk::text_member(tenant.fields, "platformId");
    // The platform of a new tenant is known to others once it is committed; its id is enough here.
    if (platform_id != platform.id) platform = {0, platform_id, {}};
    auto made = metered(context, tenant, tenants, std::move(platform));
    if (!made) return made.error();
    for (const Made& tell : made_) {
        if (auto told = tell(context, *made); !told) return told;
    }
    return {};
}

sdk::Result<void> TenantCatalogue::tell_closed(sdk::Context& context, const sdk::Document& tenant,
                                               const sdk::CollectionName& tenants) const {
    if (closed_.empty()) {
        return sdk::make_error(sdk::ErrorKind::conflict, "data_stores.tenant_meters_missing",
                               "no enabled plugin keeps meters whose period could end");
    }
    auto platform = platforms_.find(context, sdk::text_member(tenant.fields, "platformId"));
    if (!platform) return platform.error();
    auto closing = metered(context, tenant, tenants, *std::move(platform));
    if (!closing) return closing.error();
    for (const Closed& tell : closed_) {
        if (auto told = tell(context, *closing); !told) return told;
    }
    return {};
}

}  // namespace stele::data_stores
