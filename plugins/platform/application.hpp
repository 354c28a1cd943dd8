#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::platform {

/// A program or site that uses the platform; other plugins put its parts below it.
class Application final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

}  // namespace stele::platform
