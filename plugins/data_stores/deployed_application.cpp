#include "deployed_application.hpp"

#include <nlohmann/json.hpp>

namespace stele::data_stores {

namespace {

constexpr char kType[] = "deployedApplication";
constexpr char kState[] = "state";

/// Whoever serves the application looks at its state.
sdk::Result<sdk::Reply> with_state(const sdk::Call& call, const char* state) {
    auto changed =
        call.context().documents().patch(call.collection(), call.record().id, {{kState, state}});
    if (!changed) return changed.error();
    return sdk::Reply::status(changed->fields);
}

}  // namespace

sdk::ResourceDescriptor DeployedApplication::describe() const {
    using enum sdk::FieldKind;
    using sdk::action;
    const sdk::Fields fields{
        {.name = "applicationId", .kind = text},
        {.name = "deploymentKey", .kind = text},
        {.name = "deploymentWebhost", .kind = text},
        {.name = "deploymentDomain", .kind = text},
        {.name = "deploymentSubdomain", .kind = text},
        {.name = "urls", .kind = array, .items = text},
        {.name = kState, .kind = text, .one_of = {"STARTED", "STOPPED"}},
    };
    sdk::Actions actions{{.name = "undeploy",
                          .permission = sdk::Permission::remove,
                          .run = action<&DeployedApplication::undeploy>(),
                          .urgent = true,
                          .answers = sdk::shape::changed()},
                         {.name = "stop",
                          .permission = sdk::Permission::update,
                          .run = action<&DeployedApplication::stop>(),
                          .answers = sdk::shape::written(kType)}};
    for (const char* name : {"redeploy", "start", "restart"}) {
        actions.push_back({.name = name,
                           .permission = sdk::Permission::update,
                           .run = action<&DeployedApplication::start>(),
                           .answers = sdk::shape::written(kType)});
    }
    return {.type = kType,
            .container = "webhost",
            .path = "applications",
            .placeholder = "deployedApplicationId",
            .container_member = "webhostId",
            .fields = fields,
            .operations = {.create = false, .update = false, .remove = false},
            .actions = actions,
            .title = "deployed applications"};
}

sdk::Result<sdk::Reply> DeployedApplication::undeploy(const sdk::Call& call) {
    const std::string id = call.record().id;
    if (auto gone = call.context().documents().remove(call.collection(), id); !gone)
        return gone.error();
    return sdk::Reply::status({{"_doc", id}});
}

sdk::Result<sdk::Reply> DeployedApplication::start(const sdk::Call& call) {
    return with_state(call, "STARTED");
}

sdk::Result<sdk::Reply> DeployedApplication::stop(const sdk::Call& call) {
    return with_state(call, "STOPPED");
}

}  // namespace stele::data_stores
