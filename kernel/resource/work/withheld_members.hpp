#pragma once

#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

// Members of a record that whoever may READ it is not told.

/// Those that only the family itself shows (`sdk::Field::withheld`).
std::vector<std::string_view> withheld_members(const RegisteredResource& resource);
void withhold_members(const RegisteredResource& resource, sdk::Json& fields);

/// Whether a condition or an order asks for one of the members: which records come back, and in
/// which order, would tell what they hold.
bool asks_for_members(const std::vector<std::string_view>& members, const sdk::Json& condition,
                      const sdk::PageRequest& page);
/// `forbidden` (`query.member_withheld`) for one that asks for what the family withholds.
sdk::Result<void> check_asks_nothing_withheld(const RegisteredResource& resource,
                                              const sdk::Json& condition,
                                              const sdk::PageRequest& page);

}  // namespace stele::kernel::resource
