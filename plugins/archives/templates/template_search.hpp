#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/services/families.hpp>

namespace stele::archives {

/// `{group}-{artifact}-{version}`.
std::string template_identifier(const sdk::Json& archive);

/// Whether an archive that is published holds a project, and says of itself to be a template of
/// nothing else.
bool is_project_template(const sdk::Json& archive);

/// Whether it is the reference of an archive, and no name.
bool is_archive_reference(std::string_view name);

/// A condition of the query language on the coordinates that an identifier may be put together
/// from; null where it is put together from none, or has more hyphens than anybody looks through.
sdk::Json coordinates_condition(std::string_view identifier);

/// Published archives of projects in all vaults of the platform, as far as whoever acts may READ
/// them; nothing else of the others is told. Both that it is given outlive it; one thread.
class TemplateSearch {
public:
    using Visit = std::function<sdk::Result<void>(const sdk::Document& archive)>;

    TemplateSearch(const sdk::Families& families, sdk::Context& context)
        : families_(families), context_(context) {}

    /// Vault by vault, the oldest first.
    sdk::Result<void> for_each(const Visit& visit) const;

    /// By its reference, else by its identifier, else by its `templateKey`: of several the one that
    /// was made last, of these the one with the greatest id.
    sdk::Result<std::optional<sdk::Document>> find(const std::string& name) const;

private:
    using Fits = std::function<bool(const sdk::Json& archive)>;
    using Look = std::function<sdk::Result<bool>(sdk::Document& archive)>;

    sdk::Result<std::optional<sdk::Document>> find_reference(const std::string& reference) const;
    sdk::Result<std::optional<sdk::Document>> find_newest(const sdk::Json& condition,
                                                          const Fits& fits) const;
    /// Of one vault, ordered by when they were made, until `look` answers false.
    sdk::Result<void> look_through(const sdk::RecordKey& vault, sdk::Json condition,
                                   bool is_oldest_first, const Look& look) const;

    const sdk::Families& families_;
    sdk::Context& context_;
};

}  // namespace stele::archives
