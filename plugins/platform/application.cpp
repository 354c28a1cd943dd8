#include "application.hpp"

#include <stele/sdk/data_store.hpp>

namespace stele::platform {

namespace {
constexpr char kApplicationType[] = "application";
}

sdk::ResourceDescriptor Application::describe() const {
    using enum sdk::FieldKind;
    sdk::Fields fields = sdk::data_store_fields();
    const sdk::Fields own{
        {.name = "key", .kind = text, .addresses = true},
        {.name = "projectId", .kind = text},
        {.name = "applicationType", .kind = text},
        {.name = "source"},
        {.name = "deployments"},
        {.name = "isTenantDefault", .kind = boolean},
    };
    fields.insert(fields.end(), own.begin(), own.end());
    return {.type = kApplicationType,
            .path = "applications",
            .placeholder = "applicationId",
            .fields = fields,
            .title = "applications"};
}

sdk::Result<void> Application::prepare(sdk::Change& change, sdk::Context&) {
    sdk::prepare_data_store(change, kApplicationType);
    return {};
}

}  // namespace stele::platform
