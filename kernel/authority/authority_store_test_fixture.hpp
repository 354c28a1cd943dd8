#pragma once

#include "kernel/authority/authority_store.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/authority_fakes.hpp"

namespace stele::kernel::authority::testing {

using Keys = std::vector<sdk::RecordKey>;

inline constexpr std::uint64_t kPlatform = 1;
inline constexpr sdk::PermissionSet kConsumer{sdk::Permission::connect, sdk::Permission::read};

/// A platform with a store, a branch in it and two leaves in that.
struct StoreFixture {
    sdk::RecordKey root = record_key(kPlatform, 1, 0);
    sdk::RecordKey shop = record_key(kPlatform, 2, 1);
    sdk::RecordKey branch = record_key(kPlatform, 3, 1);
    sdk::RecordKey leaf = record_key(kPlatform, 100, 1);
    sdk::RecordKey other_leaf = record_key(kPlatform, 100, 2);
    sdk::RecordKey ann = user(1);
    sdk::RecordKey bob = user(2);
    FakeTree tree;
    sdk::testing::MemoryEngine engine;
    FakePolicies policies;
    AuthorityStore store{tree};

    StoreFixture() {
        tree.containers = {{shop, root}, {branch, shop}, {leaf, branch}, {other_leaf, branch}};
    }

    static sdk::RecordKey user(std::uint64_t number) { return record_key(kPlatform, 150, number); }
    static sdk::RecordKey group(std::uint64_t number) { return record_key(kPlatform, 151, number); }

    /// A record of the platform's from which others inherit.
    sdk::RecordKey stack(std::uint64_t number) {
        const sdk::RecordKey key = record_key(kPlatform, 4, number);
        tree.containers[key] = root;
        return key;
    }
    void inherit(const sdk::RecordKey& record, const sdk::RecordKey& source) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.inherit(transaction, record, source);
        });
    }
    void disinherit(const sdk::RecordKey& record, const sdk::RecordKey& source) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.disinherit(transaction, record, source);
        });
    }

    void grant(const sdk::RecordKey& record, const sdk::RecordKey& principal, std::string_view role,
               bool is_deep = false) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.grant(transaction, record, principal, role, is_deep);
        });
    }
    void revoke(const sdk::RecordKey& record, const sdk::RecordKey& principal,
                std::string_view role) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.revoke(transaction, record, principal, role);
        });
    }
    void join(const sdk::RecordKey& container, const sdk::RecordKey& member,
              sdk::PrincipalKind kind = sdk::PrincipalKind::user) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.add_member(transaction, container, member, kind);
        });
    }
    void define(const sdk::RecordKey& container, std::string key, sdk::PermissionSet permissions) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.define_role(transaction, container, {key, permissions});
        });
    }
    void assign(const sdk::RecordKey& principal, std::uint64_t order, bool is_revoke,
                std::string role_key, std::string mark = {}) {
        write(engine, [&](sdk::Transaction& transaction) {
            const Statement statement{kPlatform, order, principal, is_revoke, role_key, mark, {}};
            transaction.put(FakePolicies::key_of(statement), FakePolicies::value_of(statement));
            return sdk::Result<void>();
        });
    }
    sdk::Error error_of(const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
        const auto transaction = engine.begin();
        const auto done = work(*transaction);
        return done ? sdk::Error() : done.error();
    }

    sdk::PermissionSet permissions(const sdk::RecordKey& principal, const sdk::RecordKey& record) {
        return value_of(store.permissions(*engine.snapshot(), principal, record));
    }
    bool can_read(const sdk::RecordKey& principal, const sdk::RecordKey& record) {
        return permissions(principal, record).has(sdk::Permission::read);
    }
    bool has_role(const sdk::RecordKey& principal, const sdk::RecordKey& record,
                  std::string_view role) {
        return value_of(store.has_role(*engine.snapshot(), principal, record, role));
    }
    std::vector<sdk::AclEntry> acl(const sdk::RecordKey& record) {
        return value_of(store.acl(*engine.snapshot(), record));
    }
    std::vector<sdk::GrantOrigin> report(const sdk::RecordKey& record,
                                         const sdk::RecordKey& principal) {
        return value_of(store.report(*engine.snapshot(), record, principal));
    }
    VisibleRecords visible_leaves(const sdk::RecordKey& principal) {
        return value_of(store.visible_records(*engine.snapshot(), principal, branch,
                                              collection_prefix(kPlatform, 100)));
    }
    Keys members(const sdk::RecordKey& of, sdk::MemberKind kind, bool is_indirect) {
        return value_of(store.members(*engine.snapshot(), of, kind, is_indirect));
    }
    Keys memberships(const sdk::RecordKey& of, bool is_indirect) {
        return value_of(store.memberships(*engine.snapshot(), of, is_indirect));
    }
};

}  // namespace stele::kernel::authority::testing
