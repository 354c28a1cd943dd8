#include "open_collections.hpp"

#include <memory>
#include <utility>

#include <stele/sdk/registrar.hpp>

namespace stele::platform {

namespace {

class OpenCollection final : public sdk::Resource {
public:
    explicit OpenCollection(sdk::ResourceDescriptor descriptor)
        : descriptor_(std::move(descriptor)) {}

    sdk::ResourceDescriptor describe() const override { return descriptor_; }

private:
    sdk::ResourceDescriptor descriptor_;
};

constexpr auto kText = sdk::FieldKind::text;
constexpr auto kObject = sdk::FieldKind::object;

/// Every open document has a title and a description.
sdk::Fields with_titles(sdk::Fields own) {
    sdk::Fields fields{{.name = "title", .kind = kText}, {.name = "description", .kind = kText}};
    fields.insert(fields.end(), own.begin(), own.end());
    return fields;
}

std::vector<sdk::ResourceDescriptor> declarations_in_applications() {
    return {
        {.type = "settings",
         .container = "application",
         .path = "settings",
         .placeholder = "settingsId",
         .container_member = "applicationId",
         .fields = with_titles({{.name = "scope", .kind = kText},
                                {.name = "key", .kind = kText},
                                {.name = "settings", .kind = kObject}}),
         .title = "settings of applications"},
        {.type = "message",
         .container = "application",
         .path = "messages",
         .placeholder = "messageId",
         .container_member = "applicationId",
         .fields = with_titles({{.name = "key", .kind = kText},
                                {.name = "locale", .kind = kText},
                                {.name = "message", .kind = kText}}),
         .title = "messages of applications"},
        {.type = "apikey",
         .container = "application",
         .path = "apikeys",
         .placeholder = "apiKeyId",
         .container_member = "applicationId",
         .fields = with_titles(
             {{.name = "key", .kind = kText}, {.name = "secret", .kind = kText, .secret = true}}),
         .title = "keys that applications use"},
    };
}

std::vector<sdk::ResourceDescriptor> declarations() {
    return {
        {.type = "billingProviderConfiguration",
         .path = "billing/configurations",
         .placeholder = "billingProviderConfigurationId",
         .fields = with_titles({{.name = "providerId", .kind = kText},
                                {.name = "environment", .kind = kText},
                                {.name = "merchantId", .kind = kText},
                                {.name = "publicKey", .kind = kText},
                                {.name = "privateKey", .kind = kText, .secret = true}}),
         .title = "billing provider configurations"},
        {.type = "deployment-package",
         .path = "deployment/packages",
         .placeholder = "deploymentPackageId",
         .fields = with_titles({{.name = "key", .kind = kText}, {.name = "state", .kind = kText}}),
         .title = "deployment packages"},
        {.type = "deployment-receiver",
         .path = "deployment/receivers",
         .placeholder = "deploymentReceiverId",
         .fields =
             with_titles({{.name = "type", .kind = kText}, {.name = "config", .kind = kObject}}),
         .title = "deployment receivers"},
        {.type = "deployment-strategy",
         .path = "deployment/strategies",
         .placeholder = "deploymentStrategyId",
         .fields = with_titles({{.name = "type", .kind = kText}, {.name = "name", .kind = kText}}),
         .title = "deployment strategies"},
        {.type = "deployment-target",
         .path = "deployment/targets",
         .placeholder = "deploymentTargetId",
         .fields =
             with_titles({{.name = "type", .kind = kText}, {.name = "config", .kind = kObject}}),
         .title = "deployment targets"},
        {.type = "externalServiceDescriptor",
         .path = "descriptors",
         .placeholder = "serviceDescriptorId",
         .fields = with_titles({{.name = "key", .kind = kText},
                                {.name = "type", .kind = kText},
                                {.name = "family", .kind = kText},
                                {.name = "configuration", .kind = kObject}}),
         .title = "service descriptors"},
        {.type = "sidekick",
         .path = "sidekicks",
         .placeholder = "sidekickId",
         .fields = with_titles({}),
         .title = "sidekicks"},
        {.type = "view",
         .path = "views",
         .placeholder = "viewId",
         .fields = with_titles({}),
         .title = "views"},
    };
}

}  // namespace

void add_open_collections(sdk::Registrar& registrar) {
    for (auto* declared : {&declarations, &declarations_in_applications}) {
        for (sdk::ResourceDescriptor& descriptor : declared())
            registrar.add(std::make_unique<OpenCollection>(std::move(descriptor)));
    }
}

}  // namespace stele::platform
