#pragma once

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

/// Takes the seed's members `admin`, `client` and `grant`, which `install` writes. A new store gets
/// a password and a client's key and secret where the seed says none.
void take_seed(sdk::Registrar& registrar);

}  // namespace stele::identity
