#pragma once

#include <chrono>

#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::resource {

struct Services;

/// What the server does behind its callers' backs: empties removed containers, erases removed
/// platforms and takes the statistics of data stores. What there is to do lies in the store, so
/// that nothing is lost with the server, and servers that share a store may all do it: every step
/// is a transaction that looks again.
class Housekeeper {
public:
    /// `period`: how long the statistics of a store may be older than what is in it.
    Housekeeper(Services& services, std::chrono::milliseconds period)
        : services_(services), period_(period) {}
    ~Housekeeper();

    /// Once for all housekeepers of one server.
    void start();
    /// Ends after the step that is being done. May be repeated.
    void stop();

    /// Everything that there is to do now; a failure leaves the rest for the next time.
    sdk::Result<void> empty_removed();
    sdk::Result<void> empty_removed_platforms();
    sdk::Result<void> take_statistics();

private:
    void run();
    sdk::Result<void> empty_removed(const sdk::PlatformScope& platform);

    Services& services_;
    const std::chrono::milliseconds period_;
};

}  // namespace stele::kernel::resource
