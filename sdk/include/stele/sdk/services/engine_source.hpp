#pragma once

#include <memory>

#include <stele/sdk/engine.hpp>

namespace stele::sdk {

/// Opens the engine of a plugin whose manifest names one. Published by that plugin, which reads its
/// settings in `open` and touches nothing outside of the process before it is asked to.
class EngineSource {
public:
    virtual ~EngineSource();

    /// Opens the store, an empty one when there is none. Every failure is a sentence for the
    /// operator. The engine is destroyed before the process ends.
    virtual Result<std::unique_ptr<Engine>> open_engine() = 0;
};

}  // namespace stele::sdk
