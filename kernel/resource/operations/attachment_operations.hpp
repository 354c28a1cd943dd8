#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

/// What the capability `attachments` adds to a descriptor: `{I}/attachments`,
/// `{I}/attachments/{attachmentId}` and `{I}/preview/{name}`.
void add_attachments(sdk::ResourceDescriptor& descriptor);

/// The same below `/tenant` of a platform: the attachments of the record of the tenant that the
/// platform is.
void add_tenant_attachments(sdk::ResourceDescriptor& platform);

}  // namespace stele::kernel::resource
