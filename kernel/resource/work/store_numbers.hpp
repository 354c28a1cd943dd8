#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

// The record of a data store says how much lies in the store: `size`, `objectcount` and when they
// were taken. That is for whoever may READ all of what lies there; others see the record without.

/// Whether records of the family say it.
bool has_store_numbers(const RegisteredResource& resource);
/// Whether whoever acts may know it of the store, by what the reader shows.
sdk::Result<bool> may_know_numbers(Services& services, const sdk::Session& session,
                                   const sdk::Reader& reader, const sdk::RecordKey& store);
/// Takes it out of a record.
void withhold_numbers(sdk::Json& fields);
sdk::Result<std::string> without_numbers(std::string_view text);
/// `forbidden` (`query.member_withheld`) for a condition or an order that asks for it: which
/// records come back would tell what they hold.
sdk::Result<void> check_asks_no_numbers(const sdk::Json& condition, const sdk::PageRequest& page);

}  // namespace stele::kernel::resource
