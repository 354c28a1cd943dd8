#include "tenant_platform.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::data_stores {

namespace {

constexpr char kPlatformType[] = "platform";
/// Of objects at a platform's own level; those that no enabled plugin offers are left out.
constexpr const char* kObjectTypes[] = {"application", "client", "directory", "domain", "registrar",
                                        "repository",  "stack",  "vault",     "webhost"};
/// What a principal of a tenant takes over from the one it is a copy of.
constexpr const char* kCopiedMembers[] = {"name",        "title",       "email",
                                          "firstName",   "lastName",    "jobTitle",
                                          "companyName", "directoryId", "identityId"};
/// Every platform has a guest of its own, as which anybody may log in.
constexpr char kGuest[] = "guest";

sdk::Error unfit_owner(const std::string& form) {
    return sdk::make_error(
        {{"principalId", "data_stores.tenant_principal_unfit",
          form + " must be an enabled user that you may read, other than a guest"}});
}

sdk::Result<void> settle_owner(sdk::Context& context, const sdk::Document& owner) {
    sdk::Json fields = {{"type", "USER"}};
    for (const char* member : kCopiedMembers) {
        std::string value = sdk::text_member(owner.fields, member);
        if (!value.empty()) fields[member] = std::move(value);
    }
    auto domain = context.documents().read({"domain", ""}, "primary");
    if (!domain) return domain.error();
    auto copy = context.documents().create({"principal", domain->id}, std::move(fields));
    if (!copy) return copy.error();
    return context.authorities().grant(context.platform().root, copy->key, "owner");
}

sdk::Result<void> add_rows(sdk::Context& context, const std::string& type,
                           const sdk::CollectionName& collection, sdk::Json& rows) {
    sdk::PageRequest everything;
    everything.limit = -1;
    auto page = context.documents().query(collection, sdk::Json::object(), everything);
    if (!page) return is_missing(page.error()) ? sdk::Result<void>() : page.error();
    for (sdk::Document& document : page->rows) {
        auto reference = context.reference(document.key);
        if (!reference) return reference.error();
        document.fields["typeId"] = type;
        document.fields["ref"] = *std::move(reference);
        rows.push_back(std::move(document.fields));
    }
    return {};
}

}  // namespace

sdk::Result<sdk::Document> find_owner(sdk::PrincipalDirectory& principals, sdk::Context& context,
                                      const sdk::Json& tenant) {
    const std::string id = sdk::text_member(tenant, "principalId");
    const std::string domain = sdk::text_member(tenant, "domainId");
    const std::string form = domain.empty() ? id : domain + "/" + id;
    if (id.empty()) {
        return sdk::make_error({{"principalId", "field.missing", "principalId is required"}});
    }
    auto principal = principals.find(context, form);
    if (!principal) return is_missing(principal.error()) ? unfit_owner(form) : principal.error();
    auto readable = sdk::holds(context, principal->key, sdk::Permission::read);
    if (!readable) return readable.error();
    const bool is_fit = *readable && principal->kind == sdk::PrincipalKind::user &&
                        principal->enabled && principal->name != kGuest;
    if (!is_fit) return unfit_owner(form);
    auto owner = context.documents().read(principal->key);
    if (!owner) return owner;
    // Without one there is no password by which to log in.
    if (sdk::text_member(owner->fields, "identityId").empty()) return unfit_owner(form);
    return owner;
}

sdk::Result<sdk::PlatformScope> make_platform(sdk::Platforms& platforms, sdk::Context& context,
                                              const sdk::Document& tenant,
                                              std::string_view registrar_id,
                                              const sdk::Document& owner) {
    std::string title = sdk::text_member(tenant.fields, "title");
    if (title.empty()) title = sdk::text_member(owner.fields, "name");
    auto platform = platforms.create(context, title);
    if (!platform) return platform;
    auto settled =
        platforms.run_on(context, *platform, [&](sdk::Context& inside) -> sdk::Result<void> {
            if (auto copied = settle_owner(inside, owner); !copied) return copied;
            auto told = inside.documents().patch(
                {kPlatformType, ""}, platform->id,
                {{"ownerRegistrarId", registrar_id}, {"ownerTenantId", tenant.id}});
            if (!told) return told.error();
            return {};
        });
    if (!settled) return settled.error();
    return platform;
}

sdk::Result<sdk::Json> default_client(sdk::Context& context) {
    sdk::PageRequest first;
    first.limit = 1;
    auto page = context.documents().query({"client", ""}, {{"isTenantDefault", true}}, first);
    if (!page) return page.error();
    if (page->rows.empty()) {
        return sdk::make_error(sdk::ErrorKind::not_found, "data_stores.tenant_client_missing",
                               "the tenant has removed its default client");
    }
    sdk::Document& client = page->rows.front();
    client.fields["secret"] = sdk::text_member(client.secrets, "secret");
    return std::move(client.fields);
}

sdk::Result<sdk::Json> platform_objects(sdk::Context& context, std::string_view type) {
    sdk::Json rows = sdk::Json::array();
    if (type.empty() || type == kPlatformType) {
        auto root = context.documents().read(context.platform().root);
        if (!root) return root.error();
        auto reference = context.reference(root->key);
        if (!reference) return reference.error();
        root->fields["typeId"] = kPlatformType;
        root->fields["ref"] = *std::move(reference);
        rows.push_back(std::move(root->fields));
    }
    for (const char* known : kObjectTypes) {
        if (!type.empty() && type != known) continue;
        if (auto added = add_rows(context, known, {known, ""}, rows); !added) return added.error();
    }
    return rows;
}

sdk::Result<sdk::Json> client_mappings(sdk::Context& context) {
    sdk::PageRequest everything;
    everything.limit = -1;
    auto hosts = context.documents().query({"webhost", ""}, sdk::Json::object(), everything);
    if (!hosts) return hosts.error();
    sdk::Json rows = sdk::Json::array();
    for (const sdk::Document& host : hosts->rows) {
        const std::string type = "autoClientMapping";
        auto added = add_rows(context, type, {type, host.id, host.key}, rows);
        if (!added) return added.error();
    }
    return rows;
}

}  // namespace stele::data_stores
