#pragma once

#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::pull_requests {

/// The state of a request. One that merges is open again when its job has ended without a word, as
/// when somebody has killed it: the record says so only once it is written again.
sdk::Result<std::string> state_of(sdk::Jobs& jobs, sdk::Context& context, const sdk::Json& request);

sdk::Error is_closed();
sdk::Error is_merged();
sdk::Error is_merging();

/// What was found out of a request that nobody has looked at, members of it.
sdk::Json nothing_known();

/// Of `rows`, the first that a record holds.
sdk::Json first_of(const std::vector<sdk::Json>& rows, std::size_t most);

}  // namespace stele::pull_requests
