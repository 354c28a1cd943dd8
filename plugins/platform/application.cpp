#include "application.hpp"

namespace stele::platform {

sdk::ResourceDescriptor Application::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "key", .kind = text, .addresses = true},
        {.name = "projectId", .kind = text},
        {.name = "applicationType", .kind = text},
        {.name = "source"},
        {.name = "deployments"},
        {.name = "isTenantDefault", .kind = boolean},
    };
    return {.type = "application",
            .path = "applications",
            .placeholder = "applicationId",
            .fields = fields,
            .capabilities = {.data_store = true},
            .title = "applications"};
}

}  // namespace stele::platform
