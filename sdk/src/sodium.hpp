#pragma once

namespace stele::sdk::detail {

/// Makes libsodium ready; every function that uses it calls this first. Cheap when repeated.
void require_sodium();

/// Held while Argon2id works: two keep two cores busy, more at once would only add memory.
class HashPlace {
public:
    HashPlace();
    ~HashPlace();
    HashPlace(const HashPlace&) = delete;
    HashPlace& operator=(const HashPlace&) = delete;
};

}  // namespace stele::sdk::detail
