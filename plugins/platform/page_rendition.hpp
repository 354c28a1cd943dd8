#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::platform {

/// Marks page renditions as out of date where they are too many for one operation.
class PageRenditionJobs {
public:
    /// Both must outlive it.
    PageRenditionJobs(sdk::Jobs& jobs, sdk::Registrar& registrar);

    /// What is left of a deployment's renditions after the operation.
    sdk::Result<void> start(sdk::Context& context, const std::string& application,
                            const std::string& deployment) const;

private:
    sdk::Jobs& jobs_;
};

/// A page, or a part of one, as a deployed application has rendered and keeps it: what it was asked
/// for, what it depends on, and whether it may still be shown (`active`). Each deployment of an
/// application has its own.
class PageRendition final : public sdk::Resource {
public:
    explicit PageRendition(const PageRenditionJobs& jobs) : jobs_(jobs) {}

    sdk::ResourceDescriptor describe() const override;
    /// Keeps its address in step with its key. One that is rendered anew under a key takes the
    /// place of the one before, where whoever tells of it could remove that.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;

    /// POST {I}/invalidate: it must not be shown any more.
    sdk::Result<sdk::Reply> invalidate(const sdk::Call& call);
    /// POST {C}/invalidateall: none of the deployment must.
    sdk::Result<sdk::Reply> invalidate_all(const sdk::Call& call);

private:
    const PageRenditionJobs& jobs_;
};

}  // namespace stele::platform
