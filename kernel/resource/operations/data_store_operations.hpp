#pragma once

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// Operations of the capability `data_store` (docs/reference/data-stores.md), on the store that the
/// route addresses.

/// `locked` while somebody else holds the lock.
sdk::Result<sdk::Reply> lock_store(const RoutedCall& call);
/// For the holder, and for whoever could lock it: that breaks the lock.
sdk::Result<sdk::Reply> unlock_store(const RoutedCall& call);
sdk::Result<sdk::Reply> take_statistics(const RoutedCall& call);
sdk::Result<sdk::Reply> read_store_info(const RoutedCall& call);

}  // namespace stele::kernel::resource
