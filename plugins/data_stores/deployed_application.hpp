#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::data_stores {

/// What a web host knows of an application that was deployed to it. Made by
/// `POST /applications/{applicationId}/deploy/{deploymentKey}`.
class DeployedApplication final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;

    /// POST {I}/undeploy
    sdk::Result<sdk::Reply> undeploy(const sdk::Call& call);
    /// POST {I}/redeploy, {I}/start, {I}/restart
    sdk::Result<sdk::Reply> start(const sdk::Call& call);
    /// POST {I}/stop
    sdk::Result<sdk::Reply> stop(const sdk::Call& call);
};

}  // namespace stele::data_stores
