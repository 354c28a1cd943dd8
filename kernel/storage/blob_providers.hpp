#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/blob_store.hpp>

namespace stele::kernel::storage {

/// The places for binaries that data stores can pick, by name. Filled while plugins open, then read
/// by any thread.
class BlobProviders {
public:
    /// `conflict` (`plugin.provider_duplicate`) when the name is taken.
    sdk::Result<void> add(std::string name, std::unique_ptr<sdk::BlobStore> store);
    /// An empty name stands for the default. `unavailable` (`data_store.provider_missing`).
    sdk::Result<sdk::BlobStore*> find(std::string_view name) const;
    bool has(std::string_view name) const { return stores_.contains(name); }
    std::vector<std::string> names() const;

private:
    std::map<std::string, std::unique_ptr<sdk::BlobStore>, std::less<>> stores_;
};

}  // namespace stele::kernel::storage
