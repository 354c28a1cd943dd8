#pragma once

#include <optional>

#include <stele/sdk/context.hpp>

namespace stele::platform {

/// What was found, where the caller may READ it; nothing when there is none, or none for the
/// caller.
inline sdk::Result<std::optional<sdk::Document>> readable(sdk::Context& context,
                                                          sdk::Result<sdk::Document> found) {
    if (!found && sdk::is_missing(found.error())) {
        return std::optional<sdk::Document>();
    }
    if (!found) return found.error();
    const auto may = sdk::holds(context, found->key, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) return std::optional<sdk::Document>();
    return std::optional<sdk::Document>(*std::move(found));
}

}  // namespace stele::platform
