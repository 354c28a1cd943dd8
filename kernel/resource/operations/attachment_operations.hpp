#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

/// What the capability `attachments` adds to a descriptor: `{I}/attachments`,
/// `{I}/attachments/{attachmentId}` and `{I}/preview/{name}`.
void add_attachments(sdk::ResourceDescriptor& descriptor);

}  // namespace stele::kernel::resource
