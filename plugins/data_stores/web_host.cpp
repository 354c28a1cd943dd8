#include "web_host.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::data_stores {

namespace {

constexpr char kWebHost[] = "webhost";
constexpr char kWebHostId[] = "webhostId";
constexpr char kClientKey[] = "clientKey";

}  // namespace

sdk::ResourceDescriptor WebHost::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "key", .kind = text},
        {.name = "deployerTypes", .kind = array, .items = text, .most = sdk::kMaxBodyEntries},
        {.name = "urlPatterns", .kind = array, .items = text, .most = sdk::kMaxBodyEntries},
    };
    return {.type = kWebHost,
            .path = "webhosts",
            .placeholder = kWebHostId,
            .fields = fields,
            .capabilities = {.data_store = true},
            .title = "web hosts"};
}

sdk::ResourceDescriptor AutoClientMapping::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "host", .kind = text},           {.name = "applicationId", .kind = text},
        {.name = "applicationKey", .kind = text}, {.name = kClientKey, .kind = text},
        {.name = "authGrantKey", .kind = text},   {.name = "tenantId", .kind = text},
        {.name = "automanaged", .kind = boolean},
    };
    return {.type = "autoClientMapping",
            .container = kWebHost,
            .path = "autoclientmappings",
            .placeholder = "autoClientMappingId",
            .container_member = kWebHostId,
            .fields = fields,
            .title = "auto client mappings"};
}

sdk::Result<void> AutoClientMapping::prepare(sdk::Change& change, sdk::Context& context) {
    if (!change.after) return {};
    const std::string named = sdk::text_member(change.after->fields, kClientKey);
    if (named.empty()) return {};
    auto client = sdk::if_readable(context, context.documents().read({"client", ""}, named));
    if (!client) return client.error();
    const std::string key = *client ? sdk::text_member((*client)->fields, "key") : std::string();
    if (!key.empty()) change.after->fields[kClientKey] = key;
    return {};
}

sdk::ResourceDescriptor TrustedDomainMapping::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{{.name = "host", .kind = text}, {.name = "scope", .kind = text}};
    return {.type = "trustedDomainMapping",
            .container = kWebHost,
            .path = "trusteddomainmappings",
            .placeholder = "trustedDomainMappingId",
            .container_member = kWebHostId,
            .fields = fields,
            .title = "trusted domain mappings"};
}

}  // namespace stele::data_stores
