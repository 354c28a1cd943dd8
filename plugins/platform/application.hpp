#pragma once

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/row_query.hpp>

namespace stele::platform {

/// A program or site that uses the platform; other plugins put its parts below it.
class Application final : public sdk::Resource {
public:
    /// Must outlive it.
    explicit Application(sdk::RowQuery& rows) : rows_(rows) {}

    sdk::ResourceDescriptor describe() const override;
    /// One that is created with a `projectId` joins that project's stack
    /// (docs/specification/platform.md 2.6).
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;

private:
    sdk::RowQuery& rows_;
};

}  // namespace stele::platform
