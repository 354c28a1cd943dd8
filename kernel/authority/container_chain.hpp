#pragma once

#include <vector>

#include "kernel/authority/record_tree.hpp"

namespace stele::kernel::authority {

/// The record and what contains it, innermost first, up to the platform's root record.
using ContainerChain = std::vector<sdk::RecordKey>;

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record);

}  // namespace stele::kernel::authority
