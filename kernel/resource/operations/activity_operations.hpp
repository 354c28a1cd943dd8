#pragma once

#include <stele/sdk/reply.hpp>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

// The part of the platform's audit log that concerns one data store, for those who manage the
// platform.
sdk::Result<sdk::Reply> list_store_activities(const RoutedCall& call);
sdk::Result<sdk::Reply> query_store_activities(const RoutedCall& call);
sdk::Result<sdk::Reply> read_store_activity(const RoutedCall& call);

}  // namespace stele::kernel::resource
