#pragma once

#include <stele/sdk/resource.hpp>

#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::resource {

/// The audit log of a platform: `/activities`, `/activities/query`, `/activities/{id}`, for those
/// who manage the platform. Written by nobody but the kernel.
class ActivityFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

/// Every write adds a record, so that only what is asked for often has an index.
storage::CollectionRules activity_rules();

}  // namespace stele::kernel::resource
