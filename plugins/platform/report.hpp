#pragma once

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/family_operations.hpp>

namespace stele::platform {

/// A query that is kept, for whoever may read it to run with rights of their own
/// (docs/reference/platform.md, Reports). Otherwise an open document.
class Report final : public sdk::Resource {
public:
    /// They must outlive it.
    explicit Report(sdk::FamilyOperations& families) : families_(families) {}

    sdk::ResourceDescriptor describe() const override;

    /// POST {I}/execute : what the report's `source` finds, of what the caller may read.
    sdk::Result<sdk::Reply> execute(const sdk::Call& call);

private:
    sdk::FamilyOperations& families_;
};

}  // namespace stele::platform
