#pragma once

#include <functional>
#include <string>

#include <stele/sdk/context.hpp>

namespace stele::identity {

using IsLeaving = std::function<bool(const sdk::Principal&)>;

/// `conflict` (`principal.last_owner`) with the message when somebody who leaves acts for an
/// `owner` of the platform, itself or through groups, and no enabled user besides does.
sdk::Result<void> keep_an_owner(sdk::Context& context, const IsLeaving& is_leaving,
                                const std::string& message);

}  // namespace stele::identity
