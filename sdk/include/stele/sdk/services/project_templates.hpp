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
    /// `identifier`, `reference`, `title`, `description` and, where it has one, `templateKey`.
    virtual Result<std::vector<Json>> list(Context& context) = 0;
    /// Brings what such an archive holds into a project that was just made: its stack, data stores
    /// and UI configs; the project's own record stays as it is. With the rights of whoever acts.
    /// `name` is the archive's reference, else its identifier, else its `templateKey`, of which the
    /// newest is meant that they may READ. `invalid` (`archives.template_unknown`) for a reference
    /// that leads to no published archive of a project that they may READ; any other word that
    /// names none is one of clients, and brings nothing.
    virtual Result<void> apply(Context& context, std::string_view name,
                               const RecordKey& project) = 0;
};

}  // namespace stele::sdk
