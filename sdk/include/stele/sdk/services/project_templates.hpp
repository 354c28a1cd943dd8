#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Archives of projects that new projects can be made from (docs/specification/platform.md 8.2.8).
/// Published by the plugin that keeps archives. Any thread.
class ProjectTemplates {
public:
    virtual ~ProjectTemplates();

    /// The published archives of projects that whoever acts may READ, as project types: `_doc`,
    /// `identifier`, `reference`, `title` and `description`.
    virtual Result<std::vector<Json>> list(Context& context) = 0;
    /// Brings what such an archive holds into a project that was just made: its stack, data stores
    /// and UI configs; the project's own record stays as it is. With the rights of whoever acts.
    /// `invalid` (`archives.template_unknown`) for a reference that names no published archive of a
    /// project that they may READ.
    virtual Result<void> apply(Context& context, std::string_view reference,
                               const RecordKey& project) = 0;
};

}  // namespace stele::sdk
