#pragma once

#include <optional>
#include <string>

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::editorial_flows {

/// Work of editors on a branch of its own, which ends in a pull request to the branch that it was
/// begun from, or in nothing (docs/reference/editorial_flows.md).
class EditorialFlow final : public sdk::Resource {
public:
    /// Both outlive this.
    EditorialFlow(sdk::InnerOperations& operations, sdk::Jobs& jobs)
        : operations_(operations), jobs_(jobs) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    sdk::Result<sdk::Reply> start(const sdk::Call& call);
    sdk::Result<sdk::Reply> task(const sdk::Call& call);
    sdk::Result<sdk::Reply> transition(const sdk::Call& call);

private:
    /// By what has become of its pull request.
    sdk::Result<std::string> state_of(sdk::Context& context, const sdk::Json& flow) const;
    /// Whether the job that merges a request has not ended.
    sdk::Result<bool> is_being_merged(sdk::Context& context, const sdk::Json& request) const;
    sdk::Result<std::string> make_branch(sdk::Context& context, const sdk::Document& from,
                                         const std::string& title) const;
    sdk::Result<void> finish(const sdk::Call& call, const std::string& state) const;
    sdk::Result<void> cancel(const sdk::Call& call) const;
    sdk::Result<sdk::Json> shown_task(sdk::Context& context, const sdk::Document& flow) const;

    sdk::InnerOperations& operations_;
    sdk::Jobs& jobs_;
};

}  // namespace stele::editorial_flows
