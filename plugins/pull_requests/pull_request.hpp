#pragma once

#include <stele/sdk/resource.hpp>

#include "services.hpp"

namespace stele::pull_requests {

/// A proposal to merge one branch of a repository into another one, to be looked at and talked over
/// first (docs/reference/pull_requests.md).
class PullRequest final : public sdk::Resource {
public:
    /// `services` outlive this.
    explicit PullRequest(const RequestServices& services) : services_(services) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    sdk::Result<sdk::Reply> close(const sdk::Call& call);
    sdk::Result<sdk::Reply> start_merge(const sdk::Call& call);
    sdk::Result<sdk::Reply> start_validation(const sdk::Call& call);
    sdk::Result<sdk::Reply> changes(const sdk::Call& call);

private:
    sdk::Result<void> prepare_new(sdk::Change& change, sdk::Context& context) const;
    sdk::Result<void> prepare_update(sdk::Change& change, sdk::Context& context) const;
    /// Looks up the branches that a request names, those of `former` excepted, and begins anew.
    sdk::Result<void> settle_branches(sdk::Change& change, sdk::Context& context,
                                      const sdk::Json& former) const;
    /// The job of a request that is being merged, or was, to those who may READ its branches.
    sdk::Result<sdk::Reply> running_merge(const sdk::Call& call, const sdk::Error& otherwise) const;

    const RequestServices& services_;
};

}  // namespace stele::pull_requests
