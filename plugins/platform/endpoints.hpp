#pragma once

namespace stele::sdk {
class Registrar;
}

namespace stele::platform {

class ReferenceOperations;

/// Adds the operations that no family owns. `references` must live until the process ends.
void add_endpoints(sdk::Registrar& registrar, ReferenceOperations& references);

}  // namespace stele::platform
