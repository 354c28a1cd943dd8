#pragma once

#include <cstdint>
#include <memory>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/permission.hpp>

#include "kernel/authority/authority_store.hpp"

namespace stele::kernel::authority {

/// Remembers decisions per principal and record, with exact invalidation: it observes every commit,
/// before the commit is acknowledged, so a revoke holds from the next request on. A grant on a
/// plain record drops that record's decisions; one on a container, a membership, a role or a policy
/// drops the platform's; a changed record drops its own. Bounded; any thread.
///
/// A decision that is being computed while something that it depends on commits is not remembered.
class AuthorityCache {
public:
    AuthorityCache(AuthorityStore& store, RecordTree& tree, sdk::Engine& engine,
                   std::size_t capacity = 200'000);
    /// The engine may outlive the cache.
    ~AuthorityCache();
    AuthorityCache(const AuthorityCache&) = delete;
    AuthorityCache& operator=(const AuthorityCache&) = delete;

    /// As `AuthorityStore::permissions` at the latest state. `reader` may be null: then one is made
    /// on a miss. What a caller's reader shows is not remembered, as it may be older than a revoke.
    sdk::Result<sdk::PermissionSet> permissions(const sdk::Reader* reader,
                                                const sdk::RecordKey& principal,
                                                const sdk::RecordKey& record);

    /// Begins to observe the key space of a policy source. Before serving begins.
    void watch(const sdk::PolicySource& source);

private:
    class State;
    // Shared with the engine, which observes until it ends.
    std::shared_ptr<State> state_;
};

}  // namespace stele::kernel::authority
