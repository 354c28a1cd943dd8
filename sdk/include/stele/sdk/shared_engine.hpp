#pragma once

#include <cstdint>

#include <stele/sdk/engine.hpp>

namespace stele::sdk {

/// An engine that several servers may use at the same time. `Engine::as_shared` leads to it.
class SharedEngine : public Engine {
public:
    ~SharedEngine() override;
    SharedEngine* as_shared() final { return this; }
    /// How many other processes have this store open. One that was killed counts for some seconds.
    virtual Result<std::uint64_t> other_servers() = 0;
};

}  // namespace stele::sdk
