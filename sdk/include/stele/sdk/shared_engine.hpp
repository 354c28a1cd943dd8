#pragma once

#include <cstdint>

#include <stele/sdk/engine.hpp>

namespace stele::sdk {

/// An engine that several servers may use at the same time. Asked for by `dynamic_cast`.
class SharedEngine : public Engine {
public:
    ~SharedEngine() override;
    /// How many other processes have this store open. One that was killed counts for some seconds.
    virtual Result<std::uint64_t> other_servers() = 0;
};

}  // namespace stele::sdk
