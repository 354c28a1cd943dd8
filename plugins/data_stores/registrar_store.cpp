#include "registrar_store.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "plan.hpp"
#include "tenant.hpp"

namespace stele::data_stores {

namespace {

constexpr char kDefault[] = "default";
constexpr char kPrimary[] = "primary";

/// The record of the id, made of the fields when there is none.
sdk::Result<sdk::Document> ensure(sdk::Context& context, const sdk::CollectionName& collection,
                                  std::string_view id, sdk::Json fields) {
    auto present = context.documents().read(collection, id);
    if (present || !is_missing(present.error())) return present;
    return context.documents().create(collection, std::move(fields));
}

/// Tells the platform which tenant it is.
sdk::Result<void> install_own_tenant(sdk::Context& context, const sdk::Document& registrar) {
    auto platform = context.documents().read(context.platform().root);
    if (!platform) return platform.error();
    if (!sdk::text_member(platform->fields, "ownerTenantId").empty()) return {};
    auto tenant = context.documents().create(
        {kTenantType, registrar.id},
        {{"title", sdk::text_member(platform->fields, "title")}, {"planKey", kUnlimitedPlan}});
    if (!tenant) return tenant.error();
    auto told = context.documents().patch(
        {"platform", ""}, platform->id,
        {{"ownerRegistrarId", registrar.id}, {"ownerTenantId", tenant->id}});
    if (!told) return told.error();
    return {};
}

sdk::Result<void> install_registrar(sdk::Context& context) {
    const sdk::CollectionName registrars{kRegistrarType, ""};
    auto primary =
        ensure(context, registrars, kPrimary, {{"_doc", kDefault}, {"title", "Primary registrar"}});
    if (!primary) return primary.error();
    auto named = context.documents().set_alias(registrars, kPrimary, primary->id);
    if (!named) return named;
    auto plan = ensure(context, {kPlanType, primary->id}, kUnlimitedPlan,
                       {{"planKey", kUnlimitedPlan}, {"title", "Unlimited"}});
    if (!plan) return plan.error();
    return install_own_tenant(context, *primary);
}

sdk::Result<void> install_web_host(sdk::Context& context) {
    auto host = ensure(context, {"webhost", ""}, kDefault,
                       {{"_doc", kDefault}, {"title", "Primary web host"}});
    if (!host) return host.error();
    return {};
}

}  // namespace

sdk::ResourceDescriptor RegistrarStore::describe() const {
    return {.type = kRegistrarType,
            .path = "registrars",
            .placeholder = kRegistrarId,
            .capabilities = {.data_store = true},
            .title = "registrars"};
}

sdk::Result<void> RegistrarStore::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    auto primary = context.documents().read(change.collection, kPrimary);
    if (!primary) return is_missing(primary.error()) ? sdk::Result<void>() : primary.error();
    if (primary->id != change.before->id) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "store.primary_required",
                           "the primary registrar cannot be removed");
}

sdk::Result<void> install_stores(sdk::Registrar& registrar, sdk::Context& context) {
    const bool is_first = context.platform().number == registrar.root_platform().number;
    return is_first ? install_registrar(context) : install_web_host(context);
}

}  // namespace stele::data_stores
