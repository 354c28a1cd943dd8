#pragma once

#include <string_view>

#include "kernel/resource/registry/kernel_action.hpp"

namespace stele::kernel::resource {

/// What the capability `attachments` adds to a family: `{I}/attachments`,
/// `{I}/attachments/{attachmentId}` and `{I}/preview/{name}`.
KernelActions attachment_actions(std::string_view type);

/// The same below `/tenant` of a platform: the attachments of the record of the tenant that the
/// platform is.
KernelActions tenant_attachment_actions();

}  // namespace stele::kernel::resource
