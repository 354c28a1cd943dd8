#include "deployments.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/context.hpp>
#include <stele/sdk/members.hpp>

namespace stele::platform {

namespace {

constexpr char kDeploymentKey[] = "deploymentKey";
constexpr char kWebHostMember[] = "webhost";

std::string key_of(const sdk::Call& call) {
    return std::string(call.path(kDeploymentKey));
}

sdk::Error unknown_deployment(const std::string& key) {
    return sdk::make_error(sdk::ErrorKind::not_found, "platform.deployment_unknown",
                           fmt::format("the application has no deployment {}", key));
}

/// What a member of the application says of the key; null when it says nothing.
const sdk::Json* said_of(const sdk::Json& application, const char* member, const std::string& key) {
    const auto all = application.find(member);
    if (all == application.end() || !all->is_object()) return nullptr;
    const auto one = all->find(key);
    return one != all->end() && one->is_object() ? &*one : nullptr;
}

sdk::Result<sdk::Document> web_host_of(const sdk::Call& call, const std::string& key,
                                       const sdk::Json& wanted) {
    sdk::Context& context = call.context();
    const std::string id = sdk::text_member(wanted, kWebHostMember);
    auto host = sdk::if_readable(context, context.documents().read({"webhost", ""}, id));
    if (!host) return host.error();
    if (!*host) {
        return sdk::make_error({{fmt::format("deployments.{}.{}", key, kWebHostMember),
                                 "platform.webhost_unknown", "there is no web host " + id}});
    }
    auto may = sdk::holds(context, (*host)->key, sdk::Permission::create_subobjects);
    if (!may) return may.error();
    if (*may) return **std::move(host);
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           fmt::format("CREATE_SUBOBJECTS on web host {} is needed for this", id));
}

sdk::Json deployed_fields(const sdk::Document& application, const std::string& key,
                          const sdk::Document& host, const sdk::Json& wanted) {
    const std::string domain = sdk::text_member(wanted, "domain");
    const std::string subdomain = sdk::text_member(wanted, "subdomain");
    std::string address =
        subdomain.empty() || domain.empty() ? subdomain + domain : subdomain + '.' + domain;
    if (address.empty()) address = host.id;
    return {{"applicationId", application.id},
            {kDeploymentKey, key},
            {"deploymentWebhost", host.id},
            {"deploymentDomain", domain},
            {"deploymentSubdomain", subdomain},
            {"urls", sdk::Json::array({"https://" + address})},
            {"state", "STARTED"}};
}

/// The record of a deployment, as far as the caller may READ it.
sdk::Result<std::optional<sdk::Document>> find_deployed(const sdk::Call& call) {
    const sdk::Json* place = said_of(call.record().fields, kDeployed, key_of(call));
    if (place == nullptr) return std::optional<sdk::Document>();
    return sdk::if_readable(call.context(),
                            call.context().documents().read(
                                {"deployedApplication", sdk::text_member(*place, kWebHostMember)},
                                sdk::text_member(*place, "id")));
}

/// Null where it is deployed no more.
sdk::Result<void> note_place(const sdk::Call& call, sdk::Json place) {
    sdk::Json all = sdk::Json::object();
    const auto kept = call.record().fields.find(kDeployed);
    if (kept != call.record().fields.end() && kept->is_object()) all = *kept;
    all.erase(key_of(call));
    if (!place.is_null()) all[key_of(call)] = std::move(place);
    auto noted = call.context().documents().patch(call.collection(), call.record().id,
                                                  {{kDeployed, std::move(all)}});
    return noted ? sdk::Result<void>() : noted.error();
}

sdk::Result<void> remove_deployed(const sdk::Call& call, const sdk::Document& deployed) {
    sdk::Context& context = call.context();
    auto may = sdk::holds(context, deployed.key, sdk::Permission::remove);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(
            sdk::ErrorKind::forbidden, "authority.permission_missing",
            fmt::format("DELETE on deployed application {} is needed for this", deployed.id));
    }
    return context.documents().remove(
        {"deployedApplication", sdk::text_member(deployed.fields, "webhostId")}, deployed.id);
}

}  // namespace

sdk::Result<sdk::Reply> deploy_application(const sdk::Call& call) {
    const std::string key = key_of(call);
    const sdk::Json* wanted = said_of(call.record().fields, "deployments", key);
    if (wanted == nullptr) return unknown_deployment(key);
    auto host = web_host_of(call, key, *wanted);
    if (!host) return host.error();
    auto present = find_deployed(call);
    if (!present) return present.error();
    // It may have lain in another web host.
    if (*present) {
        if (auto gone = remove_deployed(call, **present); !gone) return gone.error();
    }
    auto made = call.context().documents().create(
        {"deployedApplication", host->id}, deployed_fields(call.record(), key, *host, *wanted));
    if (!made) return made.error();
    auto noted = note_place(call, {{kWebHostMember, host->id}, {"id", made->id}});
    if (!noted) return noted.error();
    return sdk::Reply::status(made->fields);
}

sdk::Result<sdk::Reply> undeploy_application(const sdk::Call& call) {
    const std::string key = key_of(call);
    auto present = find_deployed(call);
    if (!present) return present.error();
    if (!*present) return unknown_deployment(key);
    if (auto gone = remove_deployed(call, **present); !gone) return gone.error();
    if (auto noted = note_place(call, nullptr); !noted) return noted.error();
    return sdk::Reply::status({{"_doc", call.record().id}, {kDeploymentKey, key}});
}

sdk::Result<sdk::Reply> read_deployed_application(const sdk::Call& call) {
    auto present = find_deployed(call);
    if (!present) return present.error();
    if (!*present) return unknown_deployment(key_of(call));
    return sdk::Reply::json((*present)->fields);
}

sdk::Result<sdk::Reply> read_deployed_info(const sdk::Call& call) {
    auto present = find_deployed(call);
    if (!present) return present.error();
    if (!*present) return unknown_deployment(key_of(call));
    const sdk::Json& fields = (*present)->fields;
    return sdk::Reply::json({{"_doc", (*present)->id},
                             {kDeploymentKey, key_of(call)},
                             {"webhostId", fields.value("webhostId", sdk::Json())},
                             {"state", fields.value("state", sdk::Json())},
                             {"urls", fields.value("urls", sdk::Json::array())}});
}

}  // namespace stele::platform
