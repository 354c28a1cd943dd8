#pragma once

namespace stele::sdk {
class Registrar;
}

namespace stele::platform {

/// Adds the platform's collections of open documents, which are declarations only: what clients
/// keep there has a meaning to them, not to the server (docs/specification/platform.md 3.1).
void add_open_collections(sdk::Registrar& registrar);

}  // namespace stele::platform
