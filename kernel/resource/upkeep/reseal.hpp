#pragma once

#include <cstdint>
#include <functional>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/sealer.hpp>

#include "kernel/resource/record/platforms.hpp"

namespace stele::kernel::resource {

struct ResealOutcome {
    std::uint64_t sealed = 0;    ///< records with secrets
    std::uint64_t resealed = 0;  ///< those of them that an older key had sealed
};

/// Seals every secret of the store with the newest key. Others may write meanwhile; whatever they
/// write is sealed with it already. Can be broken off and repeated at any time. Nothing else of a
/// record changes, its version included. Waits: not on a thread that serves connections.
sdk::Result<ResealOutcome> reseal_secrets(sdk::Engine& engine, Platforms& platforms,
                                          const sdk::Sealer& sealer,
                                          const std::function<bool()>& must_stop);

}  // namespace stele::kernel::resource
