#pragma once

namespace stele::sdk::detail {

/// Makes libsodium ready; every function that uses it calls this first. Cheap when repeated.
void require_sodium();

}  // namespace stele::sdk::detail
