#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>

namespace stele::identity {

/// What is wrong with the form of a principal's name: it must be visible as it is. Empty when
/// nothing is.
std::string name_problem(std::string_view name);

/// The same text for all names that look alike (Unicode Technical Standard 39).
std::string name_skeleton(std::string_view name);

/// Whether a principal of the domain other than `self` looks the same by its name.
sdk::Result<bool> has_lookalike(sdk::Context& context, std::string_view domain_id,
                                std::string_view name, const sdk::RecordKey& self = {});

/// Takes the name of a principal that was stored for the first time or under another name before.
/// `conflict` (`identity.principal_name_confusable`) when it looks like that of another one of the
/// domain, or of the server itself.
sdk::Result<void> take_name(sdk::Context& context, const sdk::Document& principal);
/// Gives back the one that it had.
sdk::Result<void> leave_name(sdk::Context& context, const sdk::Document& principal);

}  // namespace stele::identity
