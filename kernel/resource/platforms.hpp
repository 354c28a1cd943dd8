#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

#include "kernel/storage/document_store.hpp"

namespace stele::kernel::resource {

/// The platforms (tenants) of a store. Each has a number, with which all its keys begin, and a root
/// record. The first one is the root platform. Any thread.
class Platforms {
public:
    Platforms(sdk::Engine& engine, storage::DocumentStore& documents)
        : engine_(engine), documents_(documents) {}

    /// The root platform, number 1; `not_found` while the store is empty.
    sdk::Result<sdk::PlatformScope> root();
    sdk::Result<sdk::PlatformScope> find(std::uint64_t number);
    sdk::Result<std::vector<sdk::PlatformScope>> all();

    /// Makes a platform with its root record. Its number becomes known with the commit.
    sdk::Result<sdk::PlatformScope> create(sdk::Transaction& transaction, std::string_view title);

private:
    sdk::Result<sdk::PlatformScope> load(std::uint64_t number);

    sdk::Engine& engine_;
    storage::DocumentStore& documents_;
    std::shared_mutex mutex_;
    std::map<std::uint64_t, sdk::PlatformScope> known_;
};

/// What the server itself acts as on a platform.
sdk::Session system_session(const sdk::PlatformScope& platform);

}  // namespace stele::kernel::resource
