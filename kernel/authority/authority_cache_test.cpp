#include "kernel/authority/authority_cache.hpp"

#include <catch2/catch.hpp>

#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/authority_fakes.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::Permission;
using sdk::PermissionSet;
using sdk::RecordKey;

constexpr std::uint64_t kCachedPlatform = 1;

struct CacheFixture {
    RecordKey root = record_key(kCachedPlatform, 1, 0);
    RecordKey shop = record_key(kCachedPlatform, 2, 1);
    RecordKey leaf = record_key(kCachedPlatform, 100, 1);
    RecordKey other_leaf = record_key(kCachedPlatform, 100, 2);
    RecordKey ann = record_key(kCachedPlatform, 150, 1);
    RecordKey bob = record_key(kCachedPlatform, 150, 2);
    RecordKey group = record_key(kCachedPlatform, 151, 1);
    FakeTree tree;
    FakePolicies policies;
    sdk::testing::MemoryEngine engine;
    AuthorityStore store{tree};
    AuthorityCache cache{store, tree, engine};

    CacheFixture() {
        tree.containers = {{shop, root}, {leaf, shop}, {other_leaf, shop}};
        change([this](sdk::Transaction& transaction) {
            return store.grant(transaction, leaf, ann, "consumer");
        });
    }

    void change(const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
        write(engine, work);
    }
    void put(const std::string& key, std::string_view value) {
        change([&](sdk::Transaction& transaction) {
            transaction.put(key, value);
            return sdk::Result<void>();
        });
    }
    PermissionSet permissions(const RecordKey& principal, const RecordKey& record) {
        return value_of(latest_permissions(cache, engine, principal, record));
    }
    bool can_read(const RecordKey& principal, const RecordKey& record) {
        return permissions(principal, record).has(Permission::read);
    }
    bool is_remembered(const RecordKey& principal, const RecordKey& record) {
        const std::uint64_t before = tree.walks;
        permissions(principal, record);
        return tree.walks == before;
    }
    void remember_all() {
        for (const RecordKey& principal : {ann, bob}) {
            for (const RecordKey& record : {leaf, other_leaf})
                permissions(principal, record);
        }
    }
};

}  // namespace

TEST_CASE_METHOD(CacheFixture, "a decision is computed once") {
    CHECK(can_read(ann, leaf));
    CHECK(is_remembered(ann, leaf));
    CHECK(can_read(ann, leaf));
    CHECK_FALSE(can_read(bob, leaf));
    CHECK(is_remembered(bob, leaf));
    CHECK_FALSE(can_read(bob, leaf));
}

TEST_CASE_METHOD(CacheFixture,
                 "a grant on a plain record drops the decisions on that record alone") {
    remember_all();
    change([this](sdk::Transaction& transaction) {
        return store.revoke(transaction, leaf, ann, "consumer");
    });
    CHECK(is_remembered(ann, other_leaf));
    CHECK(is_remembered(bob, other_leaf));
    CHECK_FALSE(can_read(ann, leaf));
    CHECK_FALSE(is_remembered(bob, leaf));
}

TEST_CASE_METHOD(CacheFixture,
                 "whatever reaches further makes the decisions of its platform void") {
    const RecordKey far = record_key(2, 100, 1);
    remember_all();
    permissions(ann, far);
    SECTION("a grant on a container") {
        change([this](sdk::Transaction& transaction) {
            return store.grant(transaction, shop, bob, "consumer", true);
        });
        CHECK(can_read(bob, leaf));
    }
    SECTION("a membership") {
        change([this](sdk::Transaction& transaction) {
            expect(store.grant(transaction, leaf, group, "consumer"));
            return store.add_member(transaction, group, bob, sdk::PrincipalKind::user);
        });
        CHECK(can_read(bob, leaf));
    }
    SECTION("a role") {
        change([this](sdk::Transaction& transaction) {
            return store.define_role(transaction, shop, {"auditor", {}});
        });
    }
    SECTION("the group of everybody") {
        change([this](sdk::Transaction& transaction) {
            return store.set_everyone(transaction, kCachedPlatform, group);
        });
    }
    CHECK_FALSE(is_remembered(ann, other_leaf));
    CHECK(is_remembered(ann, far));
}

TEST_CASE_METHOD(CacheFixture, "each kind of entry that rights are made of makes decisions void") {
    // A member is written under its group and the group under its member, a source of rights with
    // its heir: each of them suffices, so that no way of writing one alone goes unnoticed.
    const RecordKey far = record_key(2, 100, 1);
    permissions(ann, far);
    for (const char tag : std::string("mMrehR")) {
        INFO("tag " << tag);
        remember_all();
        REQUIRE(is_remembered(bob, leaf));
        put(sdk::KeyWriter().integer(kCachedPlatform).tag(tag).text("any").key(), "");
        CHECK_FALSE(is_remembered(bob, leaf));
        CHECK(is_remembered(ann, far));
    }
    // How open a store is; its other rows, and what else lies beside records, decide nothing.
    remember_all();
    const auto store_row = [](char row) {
        return sdk::KeyWriter().integer(kCachedPlatform).tag('S').text("any").tag(row).key();
    };
    put(store_row('s'), "");
    put(store_row('n'), "");
    for (const char tag : std::string("xykbjtTqfvD"))
        put(sdk::KeyWriter().integer(kCachedPlatform).tag(tag).text("any").key(), "");
    CHECK(is_remembered(bob, leaf));
    put(store_row('o'), "");
    CHECK_FALSE(is_remembered(bob, leaf));
}

TEST_CASE_METHOD(CacheFixture, "what a record inherits from counts from the commit on") {
    const RecordKey stack = record_key(kCachedPlatform, 3, 1);
    tree.containers[stack] = root;
    change([&](sdk::Transaction& transaction) {
        return store.grant(transaction, stack, bob, "consumer", true);
    });
    CHECK_FALSE(can_read(bob, leaf));
    REQUIRE(is_remembered(bob, leaf));
    change([&](sdk::Transaction& transaction) { return store.inherit(transaction, shop, stack); });
    CHECK(can_read(bob, leaf));
    REQUIRE(is_remembered(bob, leaf));
    change(
        [&](sdk::Transaction& transaction) { return store.disinherit(transaction, shop, stack); });
    CHECK_FALSE(can_read(bob, leaf));
}

TEST_CASE_METHOD(CacheFixture, "a written record drops nothing while no policy looks at records") {
    remember_all();
    put(document_key(leaf), "red");
    put(document_key(shop), "red");
    CHECK(is_remembered(ann, leaf));
    CHECK(is_remembered(ann, other_leaf));
}

TEST_CASE_METHOD(CacheFixture, "policies and what they look at make decisions void") {
    store.set_policy_source(&policies);
    cache.watch(policies);
    remember_all();
    Statement statement{kCachedPlatform, 1, bob, false, "consumer", "red", {}};
    put(FakePolicies::key_of(statement), FakePolicies::value_of(statement));
    CHECK_FALSE(is_remembered(ann, leaf));
    remember_all();

    put(document_key(leaf), "red");
    CHECK(is_remembered(bob, other_leaf));
    CHECK(can_read(bob, leaf));

    statement.order = 2;
    statement.mark.clear();
    statement.store_title = "big";
    put(FakePolicies::key_of(statement), FakePolicies::value_of(statement));
    CHECK_FALSE(can_read(bob, other_leaf));
    put(document_key(shop), "big");
    CHECK(can_read(bob, other_leaf));

    remember_all();
    put(sdk::KeyWriter().integer(kCachedPlatform).tag('s').text("another.space").key(), "");
    CHECK(is_remembered(bob, other_leaf));
}

TEST_CASE_METHOD(CacheFixture, "a decision is not remembered when a revoke overtakes it") {
    bool has_revoked = false;
    const bool is_on_leaf = GENERATE(true, false);
    if (!is_on_leaf) {
        change([this](sdk::Transaction& transaction) {
            expect(store.revoke(transaction, leaf, ann, "consumer"));
            return store.grant(transaction, shop, ann, "consumer", true);
        });
    }
    tree.on_walk = [&] {
        if (has_revoked) return;
        has_revoked = true;
        change([&](sdk::Transaction& transaction) {
            return store.revoke(transaction, is_on_leaf ? leaf : shop, ann, "consumer");
        });
    };
    CHECK(can_read(ann, leaf));  // began before the revoke
    CHECK(has_revoked);
    CHECK_FALSE(can_read(ann, leaf));
}

TEST_CASE_METHOD(CacheFixture,
                 "an older reader gets what held at its state, and newer ones do not") {
    const bool is_remembered_before = GENERATE(true, false);
    if (is_remembered_before) permissions(ann, leaf);
    const Moment moment = cache.moment();
    const auto old = engine.snapshot();
    change([this](sdk::Transaction& transaction) {
        expect(store.grant(transaction, leaf, bob, "consumer"));
        return store.revoke(transaction, leaf, ann, "consumer");
    });
    const bool is_asked_by_newer_first = GENERATE(true, false);
    if (is_asked_by_newer_first) CHECK(can_read(bob, leaf));
    CHECK(value_of(cache.permissions(*old, moment, ann, leaf)).has(Permission::read));
    CHECK_FALSE(value_of(cache.permissions(*old, moment, bob, leaf)).has(Permission::read));
    CHECK_FALSE(can_read(ann, leaf));
    CHECK(can_read(bob, leaf));
}

TEST_CASE_METHOD(CacheFixture, "what was remembered before a reader was made serves it") {
    permissions(ann, leaf);
    const Moment moment = cache.moment();
    const auto reader = engine.snapshot();
    permissions(bob, leaf);
    const std::uint64_t before = tree.walks;
    value_of(cache.permissions(*reader, moment, ann, leaf));
    CHECK(tree.walks == before);
    // Nothing else is known of what was remembered later.
    value_of(cache.permissions(*reader, moment, bob, leaf));
    CHECK(tree.walks > before);
}

TEST_CASE_METHOD(CacheFixture, "a full cache begins anew and stays right") {
    AuthorityCache small(store, tree, engine, 16);
    for (std::uint64_t number = 1; number <= 200; ++number) {
        const RecordKey record = record_key(kCachedPlatform, 100, number);
        const bool is_granted = record == leaf;
        const PermissionSet held = value_of(latest_permissions(small, engine, ann, record));
        CHECK(held.has(Permission::read) == is_granted);
    }
    const std::uint64_t before = tree.walks;
    for (std::uint64_t number = 1; number <= 200; ++number)
        value_of(latest_permissions(small, engine, ann, record_key(kCachedPlatform, 100, number)));
    CHECK(tree.walks - before >= 200 - 16);
}

TEST_CASE_METHOD(CacheFixture, "failures are not remembered") {
    tree.containers[root] = leaf;
    CHECK(latest_permissions(cache, engine, ann, leaf).has_error());
    tree.containers.erase(root);
    CHECK(can_read(ann, leaf));
}

TEST_CASE_METHOD(CacheFixture, "the engine may outlive the cache") {
    auto brief = std::make_unique<AuthorityCache>(store, tree, engine);
    brief.reset();
    put(document_key(leaf), "red");
    change([this](sdk::Transaction& transaction) {
        return store.grant(transaction, leaf, bob, "consumer");
    });
    CHECK(can_read(bob, leaf));
}

}  // namespace stele::kernel::authority::testing
