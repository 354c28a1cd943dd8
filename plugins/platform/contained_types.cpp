#include "contained_types.hpp"

#include <map>

namespace stele::platform {

const std::vector<std::string_view>* contained_types(std::string_view type) {
    static const std::map<std::string_view, std::vector<std::string_view>> kTypes{
        {"platform",
         {"accessPolicy",
          "application",
          "authenticationGrant",
          "billingProviderConfiguration",
          "client",
          "deploymentPackage",
          "deploymentReceiver",
          "deploymentStrategy",
          "deploymentTarget",
          "directory",
          "domain",
          "project",
          "registrar",
          "report",
          "repository",
          "scheduled-work",
          "stack",
          "uiconfig",
          "vault",
          "webhost"}},
        {"application",
         {"apikey", "email", "emailProvider", "message", "pageRendition", "registration",
          "settings"}},
        {"directory", {"connection", "identity"}},
        {"domain", {"group", "user"}},
        {"registrar", {"meter", "plan", "tenant"}},
        {"repository", {"branch", "changeset", "pullRequest", "release"}},
        {"branch", {"association", "node"}},
        {"vault", {"archive"}},
        {"webhost", {"autoClientMapping", "deployedApplication", "trustedDomainMapping"}},
    };
    const auto found = kTypes.find(type);
    return found == kTypes.end() ? nullptr : &found->second;
}

}  // namespace stele::platform
