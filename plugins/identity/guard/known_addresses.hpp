#pragma once

#include <string>

#include <stele/sdk/context.hpp>

namespace stele::identity {

/// The addresses from which a user has logged in, the last 64 of them, as digests. Who guesses from
/// elsewhere cannot make the user wait there.
sdk::Result<bool> is_known_address(sdk::Context& context, const sdk::RecordKey& user,
                                   const std::string& address);
/// Writes at most once a day for an address.
sdk::Result<void> remember_address(sdk::Context& context, const sdk::RecordKey& user,
                                   const std::string& address);
void forget_addresses(sdk::Context& context, const sdk::RecordKey& user);

}  // namespace stele::identity
