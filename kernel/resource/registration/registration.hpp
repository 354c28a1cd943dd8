#pragma once

#include <memory>
#include <string>

#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

/// The families that exist whatever plugins are enabled: platforms and their audit log. Before all
/// others.
void add_kernel_families(Registry& registry);

/// Takes a plugin's family with what its capabilities add. Checks the descriptor by itself
/// (`plugin.descriptor_incomplete`, `plugin.type_duplicate`).
sdk::Result<void> add_family(Registry& registry, std::string plugin_id,
                             std::unique_ptr<sdk::Resource> resource);
sdk::Result<void> add_endpoint(Registry& registry, std::string plugin_id, sdk::Endpoint endpoint);

/// Links the families and derives all routes; those of export and import where somebody transfers
/// records (`sdk::RecordTransfer`). Nothing may be added afterwards.
sdk::Result<void> freeze(Registry& registry, bool has_transfer = false);

}  // namespace stele::kernel::resource
