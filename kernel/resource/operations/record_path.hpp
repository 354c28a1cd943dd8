#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

/// Where a record is found: the path of its family, and what stands in its placeholders.
struct RecordPath {
    /// Null for the platform's root, which has no path of its own.
    const RegisteredResource* family = nullptr;
    std::vector<std::string> values;

    /// Of what lies below it (`/acl/list`), or of itself: with placeholders.
    std::string pattern(std::string_view below = {}) const;
};

/// Of a record that whoever acts may know of. `not_found` where it is gone, or no enabled plugin
/// offers its family.
sdk::Result<RecordPath> record_path(WorkContext& context, const sdk::RecordKey& record);

}  // namespace stele::kernel::resource
