#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

namespace stele::sdk {

class AddressedEngineSource;

/// Opens the engine of a plugin whose manifest names one. Published by that plugin, which reads its
/// settings in `open` and touches nothing outside of the process before it is asked to.
class EngineSource {
public:
    virtual ~EngineSource();

    /// Opens the store, an empty one when there is none. Every failure is a sentence for the
    /// operator. The engine is destroyed before the process ends.
    virtual Result<std::unique_ptr<Engine>> open_engine() = 0;
    /// Null where it opens nothing by address.
    virtual AddressedEngineSource* as_addressed() { return nullptr; }
};

/// A source that also opens stores by address (`postgresql://host/database`), for moving a store.
class AddressedEngineSource : public EngineSource {
public:
    ~AddressedEngineSource() override;
    AddressedEngineSource* as_addressed() final { return this; }

    virtual bool knows_address(std::string_view address) const = 0;
    /// With the settings otherwise.
    virtual Result<std::unique_ptr<Engine>> open_address(const std::string& address) = 0;
};

}  // namespace stele::sdk
