#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::ui_configs {

/// Configuration of a user interface, for a platform or one of its projects
/// (docs/specification/interface.md 3.8; docs/specification/semantics.md 13). Everything comes from
/// the descriptor.
class UiConfig final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

}  // namespace stele::ui_configs
