#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

namespace stele::platform {

/// The member of an application that says where its deployments are, by their keys. The server's.
inline constexpr char kDeployed[] = "deployed";

/// Deployments of an application, `{key: {webhost, domain, subdomain}}` in its `deployments`: each
/// is a record `deployedApplication` of its web host.
sdk::Result<sdk::Reply> deploy_application(const sdk::Call& call);
sdk::Result<sdk::Reply> undeploy_application(const sdk::Call& call);
/// The record that the path's key names; `not_found` (`platform.deployment_unknown`).
sdk::Result<sdk::Reply> read_deployed_application(const sdk::Call& call);
sdk::Result<sdk::Reply> read_deployed_info(const sdk::Call& call);

}  // namespace stele::platform
