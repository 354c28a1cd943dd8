#pragma once

#include <mutex>

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

/// The same for a key of a passphrase, one at a time: what it costs is told by whoever sends it,
/// and a place is left for those who log in.
class KeyPlace {
public:
    KeyPlace();

private:
    const std::lock_guard<std::mutex> alone_;
    const HashPlace place_;
};

}  // namespace stele::sdk::detail
