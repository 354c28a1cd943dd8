#pragma once

#include <cstdint>
#include <memory>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/permission.hpp>

#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/decision_table.hpp"

namespace stele::kernel::authority {

/// Remembers decisions per principal and record, and answers what holds at the state that a reader
/// shows. It observes every commit before anybody is shown it: a grant on a plain record drops that
/// record's decisions; one on a container, a membership, a role or a policy drops the platform's; a
/// changed record drops its own. Bounded; any thread.
class AuthorityCache {
public:
    AuthorityCache(AuthorityStore& store, RecordTree& tree, sdk::Engine& engine,
                   std::size_t capacity = 200'000);
    /// The engine may outlive the cache.
    ~AuthorityCache();
    AuthorityCache(const AuthorityCache&) = delete;
    AuthorityCache& operator=(const AuthorityCache&) = delete;

    /// To be asked for before a reader is made.
    Moment moment() const;
    /// As `AuthorityStore::permissions`, or only a part of them that holds `enough`, unless that is
    /// empty. `reader` was made after `moment`. What a transaction has written decides for it
    /// alone: nothing of that is remembered.
    sdk::Result<sdk::PermissionSet> permissions(const sdk::Reader& reader, Moment moment,
                                                const sdk::RecordKey& principal,
                                                const sdk::RecordKey& record,
                                                sdk::PermissionSet enough = {});

    /// As `AuthorityStore::inside_permissions`. The reader as above.
    sdk::Result<sdk::PermissionSet> inside_permissions(const sdk::Reader& reader, Moment moment,
                                                       const sdk::RecordKey& principal,
                                                       const sdk::RecordKey& container);

    /// Begins to observe the key space of a policy source. Before serving begins.
    void watch(const sdk::PolicySource& source);

private:
    class State;
    // Shared with the engine, which observes until it ends.
    std::shared_ptr<State> state_;
};

}  // namespace stele::kernel::authority
