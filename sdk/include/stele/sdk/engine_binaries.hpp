#pragma once

#include <memory>
#include <string>

#include <stele/sdk/blob_store.hpp>

namespace stele::sdk {

/// An engine that also keeps binaries, so that all servers which share the store share them.
/// `Engine::binaries` leads to it.
class EngineBinaries {
public:
    virtual ~EngineBinaries();
    /// Their `binaryStorageProviderType`; taken where a data store names none, unless the setting
    /// `storage.binaries` names another.
    virtual std::string binaries_name() const = 0;
    /// The engine outlives it.
    virtual std::unique_ptr<BlobStore> open_binaries() = 0;
};

}  // namespace stele::sdk
