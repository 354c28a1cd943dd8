#pragma once

#include <functional>

#include <stele/sdk/result.hpp>

namespace stele::archives {

/// `work` reads binaries that records name. Where one of them is not there (`blob.unknown`) the
/// record may have changed or gone since it was read, and its binary with it: `work` is begun anew
/// once, to read what there is now. Where one still is not there it is damage: `internal`
/// (`store.damaged`), with the message of `work`. Any thread.
sdk::Result<void> look_twice(const std::function<sdk::Result<void>()>& work);

/// Whether a binary that a record names is not there.
bool is_binary_gone(const sdk::Error& error);

}  // namespace stele::archives
