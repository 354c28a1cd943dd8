#pragma once

#include <string>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Ids for an operation on many records, in every form that clients send: `{_docs: [...]}`, the
/// array itself, or numbered parameters (`0=..&1=..`). Each once, in order; `invalid`
/// (`request.ids_malformed`) when there is something else among them.
sdk::Result<std::vector<std::string>> id_list(const sdk::Call& call);

}  // namespace stele::nodes
