#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::kernel::resource {

/// The platforms' root records, which exist whatever plugins are enabled. Has no routes of its own:
/// a plugin serves them at `/`.
class PlatformFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

}  // namespace stele::kernel::resource
